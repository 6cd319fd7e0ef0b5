"""The page that compares people with each other, and its file."""

from __future__ import annotations

import json

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotate.access import person_of
from tasks_admin import access
from tasks_admin.agreement import people
from tasks_admin.models import ComparisonReport
from tasks_admin.views.duplicates import attached

OUTCOMES = {"passed": "pass", "log_time": "time of passed attempts", "log_steps": "steps of passed attempts"}


@login_required
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Marginals, pace, drift, step agreement; and the mixed model as the last comparison has it."""
    study = access.load_study(person_of(request), slug)
    frame = people.frame_of(study)
    report = ComparisonReport.objects.filter(study=study, state="done").first()
    models = (report.figures or {}).get("mixed_model", {}) if report else {}
    context = {
        "study": study,
        "people": people.people_of(frame),
        "marginals": people.marginals(frame),
        "paces": people.paces(frame),
        "drifts": people.drifts(frame),
        "agreement": people.agreement_of(frame),
        "report": report,
        "models": [(words, models[name]) for name, words in OUTCOMES.items() if name in models],
        "limits": models.get("limits", ""),
        "thin": people.THIN,
        "every": people.EVERY,
    }
    return render(request, "tasks_admin/between_people.html", context)


@login_required
@require_GET
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures as JSON."""
    study = access.load_study(person_of(request), slug)
    body = json.dumps(people.everything(people.frame_of(study)), ensure_ascii=False, indent=1)
    return attached(body, "application/json", f"{study.slug}-between-people.json")
