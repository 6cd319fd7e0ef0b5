"""Whether every trace, cleaned again, is what it says, and what the tables say of it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from recorder.cleaning.registry import CLEANERS, clean_events
from tasks_admin.exports.tables import arrow_schema
from tasks_admin.exports.verify.reading import Manifest, lines_of, parts_of

EVENT_COLUMNS = ("doc", "n", "t", "tab", "frame", "type", "origin")


def traces_clean_to_what_they_say(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every trace's raw events, cleaned again, give its cleaned events, its steps and the counts of its row."""
    attempts = {row["attempt_id"]: row for _, row in lines_of(folder, "attempts")}
    checks = defaultdict(list)
    for _, row in lines_of(folder, "verdict_checks"):
        checks[row["attempt_id"]].append(row)
    cleaner = manifest["cleaner"]
    known = CLEANERS.get(cleaner.get("name", ""))
    if known is None or known.version != cleaner.get("version"):
        yield f"manifest.json: this version does not have cleaner {cleaner.get('name')} {cleaner.get('version')}"
        return
    parts = (Parts(folder, "events", event_row), Parts(folder, "steps", step_row))
    for name, attempt in attempts.items():
        path = folder / "traces" / f"{name}.json"
        if not path.exists():  # it was never started
            if attempt["raw_events"] is not None:
                yield f"traces/{path.name}: missing, though attempts says that it has {attempt['raw_events']} raw events"
            continue
        trace = json.loads(path.read_text(encoding="utf-8"))
        yield from _recleaned(path.name, trace, attempt, known.name)
        yield from _same_verdict(path.name, trace["verdict"], attempt, checks[name])
        yield from _same_attempt(path.name, trace, attempt, cleaner)
        for part in parts:
            if part.of(name) != [part.row(index, item) for index, item in enumerate(trace[part.table])]:
                yield f"{part.table}: the rows of {name} are not those of its trace"
    for part in parts:
        if left := part.left():
            yield f"{part.table}: rows of {left} stand where none should"


def _same_attempt(name: str, trace: dict[str, Any], attempt: dict[str, Any], cleaner: dict[str, Any]) -> Iterator[str]:
    """What a trace tells beside its events is what the attempt's row tells, and what its events come to."""
    for field in ("environment", "task", "condition", "attempt"):
        if trace[field] != attempt[field]:
            yield f"traces/{name}: its {field} is {trace[field]!r}, that of its attempt {attempt[field]!r}"
    if trace["cleaner"] != cleaner:
        yield f"traces/{name}: its cleaner is not the manifest's"
    lists = {"raw_events": "events", "cleaned_events": "cleaned", "steps": "steps"}
    if trace["counts"] != {count: len(trace[items]) for count, items in lists.items()}:
        yield f"traces/{name}: its counts are not those of its lists"


def _recleaned(name: str, trace: dict[str, Any], attempt: dict[str, Any], cleaner: str) -> Iterator[str]:
    result = clean_events(trace["events"], cleaner)
    if result.events != trace["events"]:
        yield f"traces/{name}: its raw events are not in order"
    if result.cleaned != trace["cleaned"]:
        yield f"traces/{name}: cleaning its raw events gives other cleaned events"
    if result.steps != trace["steps"]:
        yield f"traces/{name}: its raw events give other steps"
    for column, count in result.counts().items():
        if attempt[column] is not None and attempt[column] != count:
            yield f"attempts: {attempt['attempt_id']} says {attempt[column]} {column}, its trace has {count}"
    if trace["proof"]["complete"] != attempt["proof_complete"] and attempt["proof_complete"] is not None:
        yield f"traces/{name}: its proof says complete={trace['proof']['complete']}, its attempt says otherwise"


def _same_verdict(
    name: str, verdict: dict[str, Any] | None, attempt: dict[str, Any], checks: list[dict[str, Any]]
) -> Iterator[str]:
    told = verdict or {"score": None, "passed": None, "checks": []}
    if (told["score"], told["passed"]) != (attempt["score"], attempt["passed"]):
        yield f"traces/{name}: its verdict is not that of its attempt"
    if [(check["name"], check["passed"]) for check in told["checks"]] != [
        (row["name"], row["passed"]) for row in checks
    ]:
        yield f"traces/{name}: its checks are not those of verdict_checks"


Row = tuple[Any, ...]


def event_row(index: int, event: dict[str, Any]) -> Row:
    """What a row of `events` says of an event, after the attempt's name and with the event parsed."""
    return (index, *(event[column] for column in EVENT_COLUMNS), event)


def step_row(index: int, step: dict[str, Any]) -> Row:
    """The same of `steps`."""
    return (index, step["type"], step["t"], step.get("t_end", step["t"]), *step["raw"], step)


class Parts:
    """A table that is split into parts, read once from the first attempt to the last; `row` makes what it should say of an item."""

    def __init__(self, folder: Path, table: str, row: Callable[[int, dict[str, Any]], Row]) -> None:
        self.table, self.row = table, row
        self._groups = groupby(self._rows(folder), key=itemgetter(0))
        self._next = next(self._groups, None)

    def _rows(self, folder: Path) -> Iterator[Row]:
        names = arrow_schema(self.table).names
        pieces = parts_of(folder, self.table).to_batches(
            columns=names, batch_size=10_000, batch_readahead=1, fragment_readahead=1
        )
        for piece in pieces:
            yield from zip(*(piece.column(name).to_pylist() for name in names), strict=True)

    def of(self, name: str) -> list[Row]:
        """The rows of an attempt where they stand in the order of the attempts; none where they do not."""
        if self._next is None or self._next[0] != name:
            return []
        found = [(*row[1:-1], json.loads(row[-1])) for row in self._next[1]]
        self._next = next(self._groups, None)
        return found

    def left(self) -> str | None:
        """Of which attempt there are rows still, or None."""
        return self._next[0] if self._next else None
