"""What an annotator sees outside a round: dashboard, consent, guidelines."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate import dashboard as board
from annotate import queries
from annotate.access import load_assignment, load_note, load_participation, person_of
from annotate.actions import leaving, people, rounds
from annotate.errors import MovedOn

PAGE = 50  # assignments


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Leads go to their studies, everybody else to their work."""
    return redirect("studies" if person_of(request).leads_studies else "dashboard")


@never_cache
@login_required
@require_GET
def dashboard(request: HttpRequest) -> HttpResponse:
    """Own assignments with progress, and what is next."""
    person = person_of(request)
    boards = [board.for_participation(part) for part in queries.participations_of(person)]
    context = {
        "boards": boards,
        "standing": queries.open_round_of(person),
        "leaving": leaving.open_withdrawals_of(person),
    }
    return render(request, "annotate/dashboard.html", context)


@never_cache
@login_required
@require_GET
def assignments(request: HttpRequest, study: str) -> HttpResponse:
    """All of one's own assignments in a study, by the page."""
    participation = load_participation(person_of(request), study)
    page = Paginator(board.own_assignments(participation), PAGE).get_page(request.GET.get("page"))
    return render(request, "annotate/assignments.html", {"participation": participation, "page": page})


@login_required
@require_http_methods(["GET", "POST"])
def consent(request: HttpRequest, study: str) -> HttpResponse:
    """The consent text: accept this version, or decline it, which is noted and may be changed at any time."""
    participation = load_participation(person_of(request), study)
    text = queries.current_text(participation.study_id, "consent")
    if text is None:
        return redirect("dashboard")
    if request.method == "POST":
        if request.POST.get("version") != str(text.version):
            raise MovedOn("consent text", "consent")
        if request.POST.get("answer") == "no":
            people.decline_consent(participation, text)
            return redirect("consent", study=study)
        people.give_consent(participation, text)
        return redirect("guidelines", study=study)
    return render(request, "annotate/consent.html", {"participation": participation, "text": text})


@login_required
@require_http_methods(["GET", "POST"])
def guidelines(request: HttpRequest, study: str) -> HttpResponse:
    """The guidelines, one click away at any time; the first reading is noted."""
    participation = load_participation(person_of(request), study)
    if request.method == "POST":
        people.read_guidelines(participation)
        return redirect("dashboard")
    text = queries.current_text(participation.study_id, "guidelines")
    return render(request, "annotate/guidelines.html", {"participation": participation, "text": text})


@login_required
@require_http_methods(["GET", "POST"])
def start(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Open a round (or find the open one) and go to its control tab. A GET, as after signing in again, opens nothing."""
    person = person_of(request)
    if request.method == "GET":
        return redirect("dashboard")
    round_ = rounds.open_round(person, load_assignment(person, assignment_id))
    return redirect("round", round_id=round_.pk)


@login_required
@require_POST
def read_note(request: HttpRequest, note_id: int) -> HttpResponse:
    """A lead's message was read; it is no longer shown on top."""
    people.read_note(load_note(person_of(request), note_id))
    return redirect("dashboard")
