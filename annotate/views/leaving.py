"""Leaving a study: what goes and what stays, the wish, and taking it back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate.access import load_leaving, person_of
from annotate.actions import leaving
from annotate.errors import NotFound
from recorder.wire import storable


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def leave(request: HttpRequest, study: str) -> HttpResponse:
    """GET says what leaving means; POST, with the policy that was read, notes the wish."""
    person = person_of(request)
    participation, standing = load_leaving(person, study)
    if request.method == "POST" and standing is None:
        leaving.ask_to_leave(participation, request.POST.get("policy", ""), storable(request.POST.get("words", "")))
        messages.success(request, "Your wish is noted, and nothing more is asked of you.")
        return redirect("leave", study=study)
    context = {
        "participation": participation,
        "standing": standing,
        "policy": standing.policy if standing else leaving.policy_of(participation),
        "only_here": person.participations.count() == 1 and not person.study_roles.exists(),
        "rounds": participation.rounds.count(),
    }
    return render(request, "annotate/leave.html", context)


@login_required
@require_POST
def stay(request: HttpRequest, study: str) -> HttpResponse:
    """Take the wish back."""
    _, standing = load_leaving(person_of(request), study)
    if standing is None:
        raise NotFound
    leaving.take_back(standing)
    messages.success(request, "Good to have you back. Everything is as it was.")
    return redirect("dashboard")
