"""The traces of attempts, each as a readable file and as rows of `events` and `steps`.

While some are read from the database, those before them are put together and those before these written, each by a thread of its own.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from annotate.actions.cleanings import full_name, texts_of, written
from annotate.models import Attempt, Cleaning
from recorder import fast
from recorder.cleaning.registry import clean_events
from recorder.columns import proofs_of, table_of
from recorder.held import Stored, stored_of
from recorder.models import Recording
from recorder.trace import document_entry, frame_of
from tasks_admin.exports.files import Part, sha256
from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.readable import BETWEEN, Trace, event_columns, step_columns, trace_of
from tasks_admin.exports.rows import attempt_id
from tasks_admin.exports.stretches import Stretch
from tasks_admin.release.masks import Masks
from tasks_admin.release.typed import masked_events

EVENTS_AT_ONCE = 10_000  # of a batch, or of one attempt that has more; three batches are in memory at once
Given = TypeVar("Given")
Done = TypeVar("Done")


@dataclass(frozen=True)
class Rules:
    """By what the traces of a bundle are made: the cleaner's name, the masks, and what must not be in them."""

    cleaner: str
    masks: Masks
    canary: Canary


@dataclass
class Made:
    """What was written: {file, from the bundle's folder: its SHA-256}, rows of `events` and of `steps`, and the clearances of texts
    that stand in it."""

    files: dict[str, str] = field(default_factory=dict)
    events: int = 0
    steps: int = 0
    relied: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Batch:
    """So `many` attempts: those that have a recording with it, and all that their traces are made of; `known` is what cleaning
    gave of an attempt (by pk)."""

    many: int
    recorded: list[tuple[Attempt, Recording]]
    stored: Stored
    known: dict[int, Cleaning]


@dataclass(frozen=True)
class Traces:
    """The traces of so `many` attempts, and all of their events as a table (see recorder.columns)."""

    many: int
    table: pl.DataFrame
    traces: list[Trace]


def write(stretch: Stretch, folder: Path, rules: Rules, one_done: Callable[[], None]) -> Made:
    """Write the traces of a stretch and its parts of `events` and `steps`. `one_done` is called after each attempt. Raises Leak."""
    made = Made()
    part = f"part-{stretch.number:05d}.parquet"
    with (
        Part(folder / "events" / part, "events") as events,
        Part(folder / "steps" / part, "steps") as steps,
        ThreadPoolExecutor(1, thread_name_prefix="traces-made") as making,
        ThreadPoolExecutor(1, thread_name_prefix="traces-written") as writing,
    ):
        batches = (read(attempts, rules) for attempts in stretch.batches(EVENTS_AT_ONCE))
        traces = side_by_side(partial(traces_of, rules=rules), batches, making)
        for many in side_by_side(partial(put, folder, rules.canary, made, events, steps), traces, writing):
            for _ in range(many):
                one_done()
    made.events, made.steps = events.rows, steps.rows
    made.files |= {f"{one.path.parent.name}/{part}": sha256(one.path) for one in (events, steps)}
    return made


def side_by_side(work: Callable[[Given], Done], source: Iterable[Given], executor: Executor) -> Iterator[Done]:
    """`work` done on each item in its turn, by the executor's thread, while this one gets the next item."""
    under_way: Future[Done] | None = None
    for item in source:
        done = [under_way.result()] if under_way else []  # before the next begins: so few are in memory
        under_way = executor.submit(work, item)
        yield from done
    if under_way:
        yield under_way.result()


def read(attempts: list[Attempt], rules: Rules) -> Batch:
    """What the traces of attempts are made of."""
    recorded = [(attempt, attempt.recording) for attempt in attempts if attempt.recording is not None]
    stored = stored_of([recording for _, recording in recorded])
    return Batch(len(attempts), recorded, stored, known_of([attempt for attempt, _ in recorded], rules))


def known_of(attempts: list[Attempt], rules: Rules) -> dict[int, Cleaning]:
    """{attempt: what its cleaning gave}, where that is stored. What is masked has to be cleaned again."""
    if rules.masks:
        return {}
    stored = Cleaning.objects.filter(attempt__in=attempts, cleaner=full_name(rules.cleaner))
    return {cleaning.attempt_id: cleaning for cleaning in stored}


def traces_of(batch: Batch, rules: Rules) -> Traces:
    """The traces of a batch, masked."""
    table = masked(table_of(batch.stored), rules.masks)
    with uncollected():
        return Traces(batch.many, table, list(_traces(batch, table, rules)))


def masked(table: pl.DataFrame, masks: Masks) -> pl.DataFrame:
    """The events with their texts masked; what the other columns tell is never masked."""
    if not masks or table.is_empty():
        return table
    texts = table.group_by("recording", maintain_order=True).agg(pl.col("event"))["event"]
    told = (masked_events(masks, [fast.parsed(text) for text in of_one]) for of_one in texts)
    return table.with_columns(
        event=pl.Series([fast.written(event) for events in told for event in events], dtype=pl.String)
    )


def masked_verdict(masks: Masks, verdict: dict[str, Any] | None) -> dict[str, Any] | None:
    """A verdict with its texts masked, but for the checks' names: its author wrote them, and `verdict_checks` has them, too."""
    if verdict is None:
        return None
    checks = [masks.event(check) | {"name": check["name"]} for check in verdict.get("checks", [])]
    told: dict[str, Any] = masks.event({name: value for name, value in verdict.items() if name != "checks"})
    return {name: checks if name == "checks" else told[name] for name in verdict}


def _traces(batch: Batch, table: pl.DataFrame, rules: Rules) -> Iterator[Trace]:
    joined = table.group_by("recording").agg(pl.col("event").str.join(BETWEEN), pl.len())
    texts = {recording: (text, count) for recording, text, count in joined.iter_rows()}
    proofs = proofs_of(batch.stored, table)
    for attempt, recording in batch.recorded:
        events, count = texts.get(recording.pk, ("", 0))
        known = batch.known.get(attempt.pk)
        if known is None or known.raw_events != count:
            result = clean_events(fast.parsed(f"[{events}]"), rules.cleaner)
            cleaned, steps = written(result.cleaned), written(result.steps)
        else:
            cleaned, steps = texts_of(known)
        told = frame_of(
            recording,
            [rules.masks.event(document_entry(page)) for page in batch.stored.opened(recording)],
            proofs[recording.pk],
            {"raw_events": count, "cleaned_events": len(cleaned), "steps": len(steps)},
            rules.cleaner,
            condition=attempt.round.assignment.task_condition.condition,
            attempt=attempt.kind,
            verdict=masked_verdict(rules.masks, attempt.verdict),
        )
        yield trace_of(attempt_id(attempt), recording.pk, told, events, cleaned, steps)


def put(folder: Path, canary: Canary, made: Made, events: Part, steps: Part, batch: Traces) -> int:
    """Write traces and their rows; returns of how many attempts. Raises Leak."""
    traces = batch.traces
    where = [f"the trace of {trace.name}" for trace in traces]
    relied = canary.check([trace.events for trace in traces], where)
    relied |= canary.check([trace.before + trace.after for trace in traces], where)
    made.relied = sorted(relied.union(made.relied))
    events.add(event_columns(batch.table, {trace.recording: trace.name for trace in traces}))
    steps.add(step_columns({trace.name: trace.steps for trace in traces}))
    for trace in traces:
        file, text = f"traces/{trace.name}.json", trace.text()
        (folder / file).write_bytes(text)
        made.files[file] = hashlib.sha256(text).hexdigest()
    return batch.many


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
