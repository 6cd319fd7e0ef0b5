"""The traces of attempts, each as a readable file and as rows of `events` and `steps`.

While some are read from the database, those before them are put together and those before these written, each by a thread of its own,
from the first attempt of a bundle to its last.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from annotate.actions.cleanings import full_name, lines_of, texts_of
from annotate.models import Attempt, Cleaning
from recorder import fast
from recorder.cleaning.registry import clean_events
from recorder.columns import proofs_of, table_of
from recorder.held import Aside, Stored, aside_of, stored_of
from recorder.models import Recording
from recorder.trace import document_entry, frame_of
from tasks_admin.exports.files import Part, sha256, written_to
from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.readable import BETWEEN, Trace, event_columns, step_columns, trace_of
from tasks_admin.exports.rows import attempt_id
from tasks_admin.exports.side_by_side import side_by_side, uncollected
from tasks_admin.exports.stretches import Piece, Place, Stretch
from tasks_admin.release.masks import Masks
from tasks_admin.release.typed import masked_events

EVENTS_AT_ONCE = 10_000  # of a batch, or of one attempt that has more; each batch costs as much as a few thousand
BATCHES_UNDER_WAY = 2  # while one more is read


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
    """A piece's attempts that have a recording, with it, and all that their traces are made of; `known` is what cleaning gave of an
    attempt (by pk)."""

    place: Place
    recorded: list[tuple[Attempt, Recording]]
    stored: Stored
    known: dict[int, Cleaning]


@dataclass(frozen=True)
class Traces:
    """The traces of a piece, all of their events as a table (see recorder.columns), and these joined, as text: {recording, text}."""

    place: Place
    table: pl.DataFrame
    texts: pl.DataFrame
    traces: list[Trace]


@dataclass(frozen=True)
class Done:
    """A piece that is written; `made` is what was written of its stretch, where it was the last of it."""

    place: Place
    made: Made | None


def write(stretches: Iterable[Stretch], folder: Path, rules: Rules) -> Generator[Done, None, None]:
    """Write the traces of stretches and their parts of `events` and `steps`, and tell of each piece of them. The database is asked by
    this thread alone. Raises Leak; to be closed where it is not gone through."""
    batches = (batch for stretch in stretches for batch in batches_of(stretch, rules))
    make = partial(traces_of, rules=rules)
    with (
        Writer(folder, rules.canary) as writer,
        uncollected() as collect,
        closing(side_by_side(batches, make, writer.put, BATCHES_UNDER_WAY)) as pieces_done,
    ):
        for done in pieces_done:
            yield done
            if done.made:
                collect()


def batches_of(stretch: Stretch, rules: Rules) -> Iterator[Batch]:
    """The stretch, read piece by piece."""
    aside = aside_of([attempt.recording for attempt in stretch.attempts if attempt.recording is not None])
    for piece in stretch.pieces(EVENTS_AT_ONCE):
        yield read(piece, aside, rules)


def read(piece: Piece, aside: Aside, rules: Rules) -> Batch:
    """What the traces of attempts are made of; `aside` is what lies aside of their stretch."""
    recorded = [(attempt, attempt.recording) for attempt in piece.attempts if attempt.recording is not None]
    stored = stored_of([recording for _, recording in recorded], aside)
    return Batch(piece.place, recorded, stored, known_of([attempt for attempt, _ in recorded], rules))


def known_of(attempts: list[Attempt], rules: Rules) -> dict[int, Cleaning]:
    """{attempt: what its cleaning gave}, where that is stored. What is masked has to be cleaned again."""
    if rules.masks:
        return {}
    stored = Cleaning.objects.filter(attempt__in=attempts, cleaner=full_name(rules.cleaner)).order_by()
    stored = stored.only("attempt_id", "raw_events", "result")
    return {cleaning.attempt_id: cleaning for cleaning in stored}


def traces_of(batch: Batch, rules: Rules) -> Traces:
    """The traces of a batch, masked."""
    table = masked(table_of(batch.stored), rules.masks)
    joined = pl.col("event").str.join(BETWEEN).alias("text")
    texts = table.group_by("recording", maintain_order=True).agg(joined, pl.len().alias("count"))
    return Traces(batch.place, table, texts, list(_traces(batch, table, texts, rules)))


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
    """A verdict with its texts masked, but for the checks' names and kinds: their author wrote them, and `verdict_checks` has them."""
    if verdict is None:
        return None
    checks = [
        masks.event(check) | {"name": check["name"], "kind": check["kind"]} for check in verdict.get("checks", [])
    ]
    told: dict[str, Any] = masks.event({name: value for name, value in verdict.items() if name != "checks"})
    return {name: checks if name == "checks" else told[name] for name in verdict}


def _traces(batch: Batch, table: pl.DataFrame, texts: pl.DataFrame, rules: Rules) -> Iterator[Trace]:
    told_of = dict(zip(texts["recording"], zip(bytes_of(texts["text"]), texts["count"], strict=True), strict=True))
    proofs = proofs_of(batch.stored, table)
    for attempt, recording in batch.recorded:
        events, count = told_of.get(recording.pk, (memoryview(b""), 0))
        known = batch.known.get(attempt.pk)
        if known is None or known.raw_events != count:
            result = clean_events(fast.parsed(b"[%b]" % events), rules.cleaner)
            cleaned, steps = lines_of(result.cleaned), lines_of(result.steps)
        else:
            cleaned, steps = texts_of(known)
        told = frame_of(
            recording,
            [rules.masks.event(document_entry(page)) for page in batch.stored.opened(recording)],
            proofs[recording.pk],
            {"raw_events": count, "cleaned_events": lines_in(cleaned), "steps": lines_in(steps)},
            rules.cleaner,
            condition=attempt.round.assignment.task_condition.condition,
            attempt=attempt.kind,
            verdict=masked_verdict(rules.masks, attempt.verdict),
        )
        yield trace_of(attempt_id(attempt), recording.pk, told, events, cleaned, steps)


class Writer:
    """Writes traces and their rows, a piece after another; a stretch's parts are open from its first piece to its last."""

    def __init__(self, folder: Path, canary: Canary) -> None:
        self.folder, self.canary = folder, canary
        self._parts: tuple[Part, Part] | None = None
        self._made = Made()
        self._open = ExitStack()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def put(self, batch: Traces) -> Done:
        """Write a piece. Raises Leak."""
        made = self._made
        events, steps = self._parts = self._parts or self._begun(batch.place.stretch)
        self._check(batch)
        events.add(event_columns(batch.table, {trace.recording: trace.name for trace in batch.traces}))
        steps.add(step_columns({trace.name: trace.steps for trace in batch.traces}))
        for trace in batch.traces:
            file = f"traces/{trace.name}.json"
            made.files[file] = written_to(self.folder / file, trace.pieces())
        return Done(batch.place, self._ended(events, steps) if batch.place.is_last else None)

    def _begun(self, stretch: int) -> tuple[Part, Part]:
        part = f"part-{stretch:05d}.parquet"
        events, steps = (
            self._open.enter_context(Part(self.folder / table / part, table)) for table in ("events", "steps")
        )
        return events, steps

    def _check(self, batch: Traces) -> None:
        names = {trace.recording: trace.name for trace in batch.traces}
        around = pl.Series([trace.before + trace.after for trace in batch.traces], dtype=pl.String)
        where = [f"the trace of {names[recording]}" for recording in (*batch.texts["recording"], *names)]
        relied = self.canary.check(pl.concat([batch.texts["text"], around]), where)
        self._made.relied = sorted(relied.union(self._made.relied))

    def _ended(self, events: Part, steps: Part) -> Made:
        self._open.close()
        made, self._made, self._parts = self._made, Made(), None
        made.events, made.steps = events.rows, steps.rows
        made.files |= {f"{one.path.parent.name}/{one.path.name}": sha256(one.path) for one in (events, steps)}
        return made


def lines_in(text: str) -> int:
    """How many lines a text has; none where it is empty."""
    return text.count("\n") + 1 if text else 0


def bytes_of(texts: pl.Series) -> list[memoryview]:
    """The bytes of each text, where they lie."""
    return [memoryview(text.as_buffer()) for text in texts.to_arrow()]
