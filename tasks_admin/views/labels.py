"""Blind labels of attempts, and how far the environments' verdicts agree with them."""

from __future__ import annotations

import json

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.access import person_of
from annotate.actions.labelling import label as keep
from annotate.errors import BadInput, NotFound
from annotate.models import Label
from tasks_admin import access
from tasks_admin.agreement import labels
from tasks_admin.viewer.lists import Lists
from tasks_admin.viewer.page import list_of
from tasks_admin.viewer.timeline import timeline_of
from tasks_admin.views.duplicates import attached

SHOWN = ("raw", "cleaned", "steps", "requests")


@login_required
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Rate, κ and confusion of the verdicts against people, and of leads against each other."""
    person = person_of(request)
    study = access.load_study(person, slug)
    found = labels.labelled(study)
    context = {
        "study": study,
        "figures": labels.figures(found),
        "leads": labels.between_leads(found),
        "parted": [one for one in found if one.verdict_of_people not in (None, one.passed)][:200],
        "mine": Label.objects.filter(lead=person, attempt__round__participation__study=study)
        .values("attempt")
        .distinct()
        .count(),
        "open": labels.open_to_labels(study).count(),
        "may_decide": access.may_decide(person, study),
    }
    return render(request, "tasks_admin/labels.html", context)


@login_required
@require_GET
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures as JSON."""
    study = access.load_study(person_of(request), slug)
    found = labels.labelled(study)
    body = {"verdict_against_people": labels.figures(found), "leads": labels.between_leads(found)}
    return attached(json.dumps(body, ensure_ascii=False, indent=1), "application/json", f"{study.slug}-labels.json")


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Go to an attempt that this lead has not labelled."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    found = labels.next_for(study, person)
    if found is None:
        messages.success(request, "You have labelled every attempt that can be.")
        return redirect("labels", slug)
    return redirect("label", slug, found.pk)


@login_required
@require_http_methods(["GET", "POST"])
def label(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """What was done in an attempt, without verdict, checks, flags, rating, pictures or person; POST keeps `success` yes or no.

    Pictures come from replays, which only passed attempts have: they would tell.
    """
    person = person_of(request)
    study = access.load_study(person, slug)
    found = labels.open_to_labels(study).filter(pk=attempt_id).select_related(*Lists.LOADED).first()
    if found is None:
        raise NotFound
    if request.method == "POST":
        access.load_study_to_change(person, slug)
        word = request.POST.get("success")
        if word not in ("yes", "no"):
            raise BadInput("Please say whether the attempt did what was asked.", "success")
        keep(found, person, success=word == "yes", note=request.POST.get("note", ""))
        following = labels.next_for(study, person)
        return redirect("label", slug, following.pk) if following else redirect("labels", slug)
    lists = Lists(found)
    assert found.recording is not None
    context = {
        "study": study,
        "attempt": found,
        "task": found.round.assignment.task_condition.task,
        "lists": [list_of(lists, kind, 0) for kind in SHOWN],
        "timeline": timeline_of(found.recording, lists.order, lists.steps, lists.wall_ms),
        "backend": (found.backend_record or [])[:200],
        "last": Label.objects.filter(attempt=found, lead=person).order_by("-pk").first(),
        "may_decide": access.may_decide(person, study),
        "start": 0,
        "without_pictures": True,
    }
    return render(request, "tasks_admin/label.html", context)
