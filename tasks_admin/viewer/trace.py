"""Reading an attempt's trace for its page without cleaning it again, and its raw events a piece at a time.

A closed recording never changes, so that the order of its events is worked out once per process and kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from annotate.actions.cleanings import cleaner_of, full_name, unpacked
from annotate.models import Attempt, Cleaning
from recorder import recordings, stretches
from recorder.cleaning.order import order_key
from recorder.cleaning.registry import clean_events
from recorder.models import Event, Recording
from recorder.recordings import assemble

KEPT = 24  # recordings whose order is kept per process, about 0.5 MB each at 20,000 events
TRACES = 4  # traces kept unpacked per process: one is asked for again and again while somebody scrolls
LEAST_IDLE_MS = 5_000  # a shorter pause is no stretch on the timeline


@dataclass(frozen=True)
class Trace:
    """Cleaned events and steps as the study's cleaner made them, `cleaner` as name/version."""

    cleaner: str
    cleaned: list[dict[str, Any]]
    steps: list[dict[str, Any]]


def trace_of(attempt: Attempt) -> Trace | None:
    """The stored result of the study's cleaner, or one made now where the attempt has not ended; None without a recording."""
    if attempt.recording is None:
        return None
    name = cleaner_of(attempt.round.participation.study)
    stored = Cleaning.objects.filter(attempt=attempt, cleaner=full_name(name)).values_list("pk", flat=True).first()
    if stored is not None:
        return stored_trace(stored)
    made = clean_events(recordings.raw_events(attempt.recording), name)
    return Trace(f"{made.cleaner}/{made.version}", made.cleaned, made.steps)


@lru_cache(maxsize=TRACES)
def stored_trace(cleaning_id: int) -> Trace:
    """A stored result; such a row is never changed."""
    stored = Cleaning.objects.get(pk=cleaning_id)
    return Trace(stored.cleaner, **unpacked(stored))


@dataclass(frozen=True)
class Order:
    """The raw events of a recording in order: row ids, times, types (as an index into `names`), and whose act each was."""

    ids: array[int] = field(default_factory=lambda: array("q"))
    times: array[float] = field(default_factory=lambda: array("d"))
    kinds: array[int] = field(default_factory=lambda: array("B"))
    users: array[int] = field(default_factory=lambda: array("B"))
    names: tuple[str, ...] = ()
    idle: tuple[stretches.Stretch, ...] = ()
    hidden: tuple[stretches.Stretch, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)


def order_of(recording: Recording, end: float) -> Order:
    """The order of the recording's events; stretches reach to `end` (ms), or to the last event where that is 0."""
    if recording.state == Recording.State.CLOSED:
        return order_of_closed(recording.pk, end)
    return read_order(recording, end)


@lru_cache(maxsize=KEPT)
def order_of_closed(recording_id: int, end: float) -> Order:
    return read_order(Recording.objects.get(pk=recording_id), end)


def read_order(recording: Recording, end: float) -> Order:
    """Read every event once and keep what the timeline and paging need."""
    documents = {document.pk: document for document in recording.documents.all()}
    lines = Event.objects.filter(recording=recording).values_list("pk", "document_id", "body")
    read = ((pk, assemble(body, documents[document_id])) for pk, document_id, body in lines.iterator(5000))
    listed = sorted(read, key=lambda pair: order_key(pair[1]))
    events = [event for _, event in listed]
    end = end or (events[-1]["t"] if events else 0.0)
    names = sorted({event["type"] for event in events})
    place = {name: index for index, name in enumerate(names)}
    inside = [event for event in events if event["t"] <= end]
    return Order(
        array("q", (pk for pk, _ in listed)),
        array("d", (event["t"] for event in events)),
        array("B", (place[event["type"]] for event in events)),
        array("B", (event["origin"] != "page" for event in events)),
        tuple(names),
        tuple(stretches.idle(inside, end, LEAST_IDLE_MS)),
        tuple(stretches.hidden(inside, end)),
    )


def raw_piece(recording: Recording, order: Order, first: int, count: int) -> list[dict[str, Any]]:
    """The events of these places in the order."""
    wanted = list(order.ids[first : first + count])
    documents = {document.pk: document for document in recording.documents.all()}
    found = {
        pk: assemble(body, documents[document_id])
        for pk, document_id, body in Event.objects.filter(pk__in=wanted).values_list("pk", "document_id", "body")
    }
    return [found[pk] for pk in wanted]


def holding(listed: Iterable[dict[str, Any]], raw: int) -> int | None:
    """Place of the cleaned event or step that the raw event of this place went into; None where it went into none."""
    for place, one in enumerate(listed):
        if one["raw"][0] <= raw <= one["raw"][1]:
            return place
    return None
