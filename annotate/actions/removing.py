"""Removing what was recorded of somebody who took their data back: the worker's part, a piece at a time, safe to repeat."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.actions.attempts import tidy
from annotate.models import Attempt, Picture, Replay, ReplayStep, Round
from recorder.models import Recording

BARE = {
    "recording": None,
    "error": "",
    "fault": "",
    "declared": None,
    "evaluated_at": None,
    "score": None,
    "passed": None,
    "verdict": None,
    "backend_record": None,
    "proof": None,
    "proof_complete": None,
    "raw_events": None,
    "cleaned_events": None,
    "steps": None,
    "active_ms": None,
    "cleaner": "",
}


def left() -> QuerySet[Attempt]:
    """Attempts whose data is still to be removed."""
    return Attempt.objects.filter(round__set_aside=Round.SetAside.REMOVED, recording__isnull=False).order_by("pk")


def remove_left(participation_id: int | None = None) -> int:
    """Remove the data of every such attempt, or of one participation's; how many there were."""
    attempts = left()
    if participation_id is not None:
        attempts = attempts.filter(round__participation=participation_id)
    waiting = list(attempts.select_related("recording", "round"))
    for attempt in waiting:
        remove(attempt)
    return len(waiting)


def remove(attempt: Attempt) -> None:
    """Delete an attempt's recording with its pages, events, requests and capture, its cleanings and replays; the bare row stays."""
    recording = attempt.recording
    assert recording is not None
    if recording.state != Recording.State.CLOSED:
        tidy(attempt.round_id)  # its page may still be open: after this it can send no more
    pictures = _pictures(attempt)
    with transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(**BARE)
        attempt.cleanings.all().delete()
        attempt.replays.all().delete()
        recording.delete()
        _delete_unused(pictures)


def _pictures(attempt: Attempt) -> set[int]:
    steps = ReplayStep.objects.filter(replay__attempt=attempt).values_list("before", "after", "thumbnail")
    strips = attempt.replays.values_list("filmstrip", flat=True)
    return {pk for row in steps for pk in row if pk} | {pk for pk in strips if pk}


def _delete_unused(pictures: set[int]) -> None:
    """A picture is stored once for all who show it: only what nobody shows any more goes, file and row."""
    shown = Q(before=OuterRef("pk")) | Q(after=OuterRef("pk")) | Q(thumbnail=OuterRef("pk"))
    unused = Picture.objects.filter(pk__in=pictures).exclude(
        Exists(ReplayStep.objects.filter(shown)) | Exists(Replay.objects.filter(filmstrip=OuterRef("pk")))
    )
    for picture in unused:
        storage, name = picture.file.storage, str(picture.file.name)
        picture.delete()
        transaction.on_commit(partial(storage.delete, name))
