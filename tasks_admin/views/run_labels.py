"""Blind labels of agents' runs."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotate.access import person_of
from annotate.models import Reference
from tasks_admin import access
from tasks_admin.labels import runs
from tasks_admin.models import RunLabel, RunTrajectory
from tasks_admin.views.labels import word_of


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Go to a run that this lead has not labelled."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    found = runs.next_for(study, person)
    if found is None:
        messages.success(request, "You have labelled every run that can be.")
        return redirect("labels", slug)
    return redirect("run_label", slug, found.pk)


@login_required
@require_http_methods(["GET", "POST"])
def label(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    """What a run did, without model, harness, score, verdict or judges; POST keeps `success` yes or no."""
    person = person_of(request)
    study = access.load_study(person, slug)
    run = access.load_run(person, slug, run_id)
    if request.method == "POST":
        access.load_study_to_change(person, slug)
        runs.label(run, person, success=word_of(request), note=request.POST.get("note", ""))
        following = runs.next_for(study, person)
        return redirect("run_label", slug, following.pk) if following else redirect("labels", slug)
    trajectory = RunTrajectory.objects.filter(run=run).first()
    steps = trajectory.steps if trajectory else []
    pieces = runs.pieces(steps)
    number = min(max(int(request.GET["part"]) if request.GET.get("part", "").isdecimal() else 1, 1), len(pieces))
    context = {
        "study": study,
        "run": run,
        "condition": run.task_condition,
        "trajectory": trajectory,
        "steps": [(place + 1, steps[place]) for place in pieces[number - 1]],
        "step_count": len(steps),
        "part": number,
        "parts": len(pieces),
        "reference": Reference.objects.filter(
            task_condition=run.task_condition, is_current=True, attempt__isnull=False
        ).first(),
        "last": RunLabel.objects.filter(run=run, lead=person).order_by("-pk").first(),
        "may_decide": access.may_decide(person, study),
    }
    return render(request, "tasks_admin/run_label.html", context)
