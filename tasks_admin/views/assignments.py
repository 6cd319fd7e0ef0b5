"""A study's assignments on the lead's side: the list with its filters, one of them, and what a lead may do with it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotate import tallies
from annotate.access import person_of
from annotate.actions.assignments import end_stuck_round, return_assignment, withdraw_assignment
from annotate.errors import BadInput, MovedOn
from annotate.models import Assignment
from annotate.models.catalogue import Difficulty
from recorder.wire import storable
from tasks_admin import access, live, progress
from tasks_admin.paging import FirstRows

FILTERS = (*progress.FILTERS, "state")


@login_required
@require_GET
def assignments(request: HttpRequest, slug: str) -> HttpResponse:
    """Who does what, and where it stands; filters live in the address."""
    found = access.load_study(person_of(request), slug)
    chosen = {name: request.GET[name] for name in FILTERS if request.GET.get(name)}
    if any("\x00" in value for value in chosen.values()):
        raise BadInput("A filter holds a character that no text can hold.")
    page = FirstRows(progress.assignments(found, chosen), 50).get_page(request.GET.get("page"))
    context = {
        "study": found,
        "page": page,
        "chosen": chosen,
        "environments": progress.environments_of(found),
        "levels": Difficulty.values,
        "codes": found.participations.order_by("code").values_list("code", flat=True),
        "roles": Assignment.Role.values,
        "states": [*tallies.STATES, "withdrawn"],
    }
    return render(request, "tasks_admin/assignments.html", context)


@never_cache
@login_required
@require_GET
def assignment(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """One assignment: its rounds, its moves, what the annotator was told, and what may be done with it."""
    person = person_of(request)
    found = access.load_assignment(person, slug, assignment_id)
    rounds = list(found.rounds.prefetch_related("attempts").order_by("-number"))
    standing = next((one for one in rounds if one.ended_at is None), None)
    attempt = max(standing.attempts.all(), key=lambda one: one.kind, default=None) if standing else None
    context = {
        "study": found.participation.study,
        "assignment": found,
        "rounds": rounds,
        "standing": standing,
        "stuck": live.stuck_why(standing, attempt, timezone.now()) if standing else "",
        "moves": found.transitions.filter(round=None).select_related("actor"),
        "notes": found.notes.select_related("author"),
        "may_decide": access.may_decide(person, found.participation.study),
    }
    return render(request, "tasks_admin/assignment.html", context)


def _to_change(request: HttpRequest, slug: str, assignment_id: int) -> Assignment:
    person = person_of(request)
    access.load_study_to_change(person, slug)
    return access.load_assignment(person, slug, assignment_id)


@login_required
@require_POST
def give_back(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Return a complete assignment with a message."""
    found = _to_change(request, slug, assignment_id)
    return_assignment(found, person_of(request), storable(request.POST.get("message", "")))
    messages.success(request, f"Returned. {found.participation.code} sees your message on their page.")
    return redirect("assignment", slug, assignment_id)


@login_required
@require_POST
def withdraw(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Take an assignment out of the study, with a reason."""
    found = _to_change(request, slug, assignment_id)
    withdraw_assignment(found, person_of(request), storable(request.POST.get("why", "")))
    messages.success(request, "Withdrawn. What was recorded is kept, marked, and not counted.")
    return redirect("assignment", slug, assignment_id)


@login_required
@require_POST
def end_round(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """End the round that is open, with a reason; the form names the one the lead saw."""
    found = _to_change(request, slug, assignment_id)
    standing = found.rounds.filter(ended_at=None).select_related("assignment__participation__study").first()
    if standing is None or request.POST.get("round") != str(standing.number):
        raise MovedOn("round", "void")
    end_stuck_round(standing, person_of(request), storable(request.POST.get("why", "")))
    messages.success(request, f"Ended. {found.participation.code} is told why, and can start again.")
    return redirect("assignment", slug, assignment_id)
