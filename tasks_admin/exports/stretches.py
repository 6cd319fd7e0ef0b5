"""The attempts of a bundle in stretches: each has files of its own, and can be kept where an export that was stopped goes on.

Where a stretch ends depends on the attempts alone, so that the same data gives the same files, in one go or in several.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db.models import Count, Max, QuerySet, Sum

from annotate.models import Attempt
from recorder.models import Document, Event, RefusedEvent
from recorder.proof import unseen_requests
from tasks_admin.exports.files import compact
from tasks_admin.exports.rows import attempt_id

MOST_ATTEMPTS = 500
MOST_EVENTS = 200_000  # but for the attempt that goes beyond it
READ_AT_ONCE = 100  # attempts


@dataclass
class Stretch:
    """Consecutive attempts, with what is stored of each recording: {its pk: numbers that change whenever it does, the events first}."""

    number: int
    attempts: list[Attempt] = field(default_factory=list)
    stored: dict[int, list[Any]] = field(default_factory=dict)
    held: int = 0  # raw events

    def events(self, attempt: Attempt) -> int:
        """How many raw events of the attempt are stored."""
        return int(self.stored[attempt.recording_id][0]) if attempt.recording_id else 0

    def add(self, attempt: Attempt, stored: list[Any] | None) -> None:
        self.attempts.append(attempt)
        if attempt.recording_id and stored:
            self.stored[attempt.recording_id] = stored
            self.held += self.events(attempt)

    def is_full(self) -> bool:
        return len(self.attempts) >= MOST_ATTEMPTS or self.held >= MOST_EVENTS

    def inputs(self) -> str:
        """A hash of all that the stretch's files are made of, but for what all stretches share."""
        return hashlib.sha256(compact([self._told(attempt) for attempt in self.attempts]).encode()).hexdigest()

    def _told(self, attempt: Attempt) -> list[Any]:
        recording, condition = attempt.recording, attempt.round.assignment.task_condition.condition
        told = [attempt_id(attempt), condition, attempt.verdict]
        if recording is None:
            return told
        named = [recording.key, recording.environment, recording.task, recording.seed, str(recording.closing_at)]
        return [*told, *named, *self.stored[recording.pk]]

    def pieces(self, most: int) -> Iterator[Piece]:
        """The attempts in pieces of at most `most` events, or of one attempt that has more."""
        inputs, piece = self.inputs(), list[Attempt]()
        waiting = 0
        for attempt in self.attempts:
            if piece and waiting + self.events(attempt) > most:
                yield Piece(Place(self.number, inputs, len(piece), is_last=False), piece)
                piece, waiting = [], 0
            piece.append(attempt)
            waiting += self.events(attempt)
        yield Piece(Place(self.number, inputs, len(piece), is_last=True), piece)


@dataclass(frozen=True)
class Place:
    """Where a piece belongs: its stretch's number and inputs, how many attempts it has, whether it is the stretch's last."""

    stretch: int
    inputs: str
    many: int
    is_last: bool


@dataclass(frozen=True)
class Piece:
    """Consecutive attempts of a stretch that are worked on together."""

    place: Place
    attempts: list[Attempt]


def stretches(attempts: Iterable[Attempt]) -> Iterator[Stretch]:
    """The attempts in their order, a stretch at a time."""
    source, stretch = iter(attempts), Stretch(0)
    while piece := list(islice(source, READ_AT_ONCE)):
        stored = stored_of([attempt.recording_id for attempt in piece if attempt.recording_id])
        for attempt in piece:
            stretch.add(attempt, stored.get(attempt.recording_id or 0))
            if stretch.is_full():
                yield stretch
                stretch = Stretch(stretch.number + 1)
    if stretch.attempts:
        yield stretch


def stored_of(recordings: list[int]) -> dict[int, list[Any]]:
    """{recording: numbers that change whenever something is added to it}. What is stored is never changed itself."""
    numbers = [
        _by_recording(Event.objects.filter(recording__in=recordings), Count("*")),  # out of the index alone
        _by_recording(
            Document.objects.filter(recording__in=recordings), Count("pk"), Sum("last"), Sum("received"), Max("seen_at")
        ),
        _by_recording(RefusedEvent.objects.filter(recording__in=recordings), Count("pk")),
        _by_recording(unseen_requests(recordings), Count("pk")),
    ]
    return {pk: [number for found in numbers for number in found.get(pk, [0])] for pk in recordings}


def _by_recording(rows: QuerySet[Any], *numbers: Any) -> dict[int, list[Any]]:
    named = {f"n{place}": number for place, number in enumerate(numbers)}
    found = rows.order_by().values("recording").annotate(**named)
    return {row["recording"]: [row[name] for name in named] for row in found}
