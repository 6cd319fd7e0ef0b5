"""The traces of attempts, each as a readable file and as rows of `events` and `steps`."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from annotate.actions.cleanings import full_name, unpacked
from annotate.models import Attempt, Cleaning
from recorder.held import Held, held_of
from recorder.trace import trace_of
from tasks_admin.exports.files import Part, sha256
from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.rows import attempt_id
from tasks_admin.exports.stretches import Stretch
from tasks_admin.release.masks import Masks

EVENTS_AT_ONCE = 2_000  # in memory, unless one attempt has more
LISTS = ("documents", "events", "cleaned", "steps")
EVENT_COLUMNS = ("doc", "n", "t", "tab", "frame", "type", "origin")


@dataclass(frozen=True)
class Rules:
    """By what the traces of a bundle are made: the cleaner's name, the masks, and what must not be in them."""

    cleaner: str
    masks: Masks
    canary: Canary


@dataclass
class Made:
    """What was written: {file, from the bundle's folder: its SHA-256}, and rows of `events` and of `steps`."""

    files: dict[str, str] = field(default_factory=dict)
    events: int = 0
    steps: int = 0


def write(stretch: Stretch, folder: Path, rules: Rules, written: Callable[[], None]) -> Made:
    """Write the traces of a stretch and its parts of `events` and `steps`. `written` is called after each attempt. Raises Leak."""
    made = Made()
    part = f"part-{stretch.number:05d}.parquet"
    with (
        Part(folder / "events" / part, "events") as events,
        Part(folder / "steps" / part, "steps") as steps,
    ):
        for batch in stretch.batches(EVENTS_AT_ONCE):
            with uncollected():
                _write_batch(batch, folder, rules, made, events, steps)
            for _ in batch:
                written()
    made.events, made.steps = events.rows, steps.rows
    made.files |= {f"{one.path.parent.name}/{part}": sha256(one.path) for one in (events, steps)}
    return made


def _write_batch(batch: list[Attempt], folder: Path, rules: Rules, made: Made, events: Part, steps: Part) -> None:
    recorded = {attempt.recording.pk: attempt for attempt in batch if attempt.recording is not None}
    texts = []
    known = known_of(batch, rules)
    for held in held_of([attempt.recording for attempt in recorded.values() if attempt.recording is not None]):
        attempt = recorded[held.recording.pk]
        name, trace = attempt_id(attempt), trace_for(attempt, held, rules, known.get(attempt.pk))
        lines = {one: [to_json(item) for item in trace[one]] for one in LISTS}
        events.add(event_columns(name, trace["events"], lines["events"]))
        steps.add(step_columns(name, trace["steps"], lines["steps"]))
        texts.append((name, readable(trace, lines)))
    rules.canary.check([text.decode() for _, text in texts], [f"the trace of {name}" for name, _ in texts])
    for name, text in texts:
        file = f"traces/{name}.json"
        (folder / file).write_bytes(text)
        made.files[file] = hashlib.sha256(text).hexdigest()


def known_of(batch: list[Attempt], rules: Rules) -> dict[int, Cleaning]:
    """{attempt: what its cleaning gave}, where that is stored. What is masked has to be cleaned again."""
    if rules.masks:
        return {}
    stored = Cleaning.objects.filter(attempt__in=batch, cleaner=full_name(rules.cleaner))
    return {cleaning.attempt_id: cleaning for cleaning in stored}


def trace_for(attempt: Attempt, held: Held, rules: Rules, known: Cleaning | None) -> dict[str, Any]:
    """The attempt's trace, masked."""
    is_same = known is not None and known.raw_events == len(held.events)
    return trace_of(
        held,
        condition=attempt.round.assignment.task_condition.condition,
        attempt=attempt.kind,
        verdict=rules.masks.event(attempt.verdict),
        cleaner=rules.cleaner,
        masked=rules.masks.event if rules.masks else None,
        known=unpacked(known) if known is not None and is_same else None,
    )


def readable(trace: dict[str, Any], lines: dict[str, list[bytes]]) -> bytes:
    """A trace as JSON with a field a line, and in its lists an item a line; `lines` are the items, written already."""
    fields = [
        b' "%s": %s' % (name.encode(), _listed(lines[name]) if name in lines else to_json(trace[name]))
        for name in trace
    ]
    return b"{\n" + b",\n".join(fields) + b"\n}\n"


def _listed(items: list[bytes]) -> bytes:
    return b"[\n  " + b",\n  ".join(items) + b"\n ]" if items else b"[]"


def event_columns(name: str, events: list[dict[str, Any]], lines: list[bytes]) -> dict[str, Sequence[Any]]:
    """The rows of `events` for the attempt called `name`; `lines` are the events as JSON."""
    own = {column: [event[column] for event in events] for column in EVENT_COLUMNS}
    return {"attempt_id": [name] * len(events), "index": range(len(events)), **own, "event": lines}


def step_columns(name: str, steps: list[dict[str, Any]], lines: list[bytes]) -> dict[str, Sequence[Any]]:
    """The rows of `steps` for the attempt called `name`; `lines` are the steps as JSON."""
    return {
        "attempt_id": [name] * len(steps),
        "index": range(len(steps)),
        "type": [step["type"] for step in steps],
        "t": [step["t"] for step in steps],
        "t_end": [step.get("t_end", step["t"]) for step in steps],
        "raw_first": [step["raw"][0] for step in steps],
        "raw_last": [step["raw"][1] for step in steps],
        "step": lines,
    }


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for garbage meanwhile: parsed events hold no cycles, and looking through them takes as long as parsing them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
