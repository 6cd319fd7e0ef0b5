"""Replays on the lead's side: ask for one, and see its pictures."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from annotate.access import person_of
from annotate.actions import replays
from annotate.errors import NotFound
from annotate.models import Attempt, Picture, Replay, ReplayStep
from tasks_admin import access

KEPT_S = 365 * 24 * 3600  # a picture's address is its content


@login_required
@require_POST
def again(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """Queue another replay of the attempt."""
    person = person_of(request)
    access.load_study_to_change(person, slug)
    replays.again(access.load_attempt(person, slug, attempt_id), person)
    messages.success(request, "The replay is queued; reload in a while to see what came of it.")
    return redirect("attempt", slug, attempt_id)


@login_required
@require_GET
def picture(request: HttpRequest, slug: str, attempt_id: int, content_hash: str) -> HttpResponse:
    """A picture of one of the attempt's replays."""
    attempt = access.load_attempt(person_of(request), slug, attempt_id)
    found = Picture.objects.filter(content_hash=content_hash).first()
    if found is None or not is_of(found, attempt):
        raise NotFound
    with found.file.open("rb") as file:
        response = HttpResponse(file.read(), content_type=found.media_type)
    response.headers["Cache-Control"] = f"private, max-age={KEPT_S}, immutable"
    return response


def is_of(picture: Picture, attempt: Attempt) -> bool:
    """True where one of the attempt's replays shows the picture."""
    of_step = Q(before=picture) | Q(after=picture) | Q(thumbnail=picture)
    return (
        ReplayStep.objects.filter(of_step, replay__attempt=attempt).exists()
        or Replay.objects.filter(attempt=attempt, filmstrip=picture).exists()
    )
