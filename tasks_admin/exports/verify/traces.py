"""Whether every trace, cleaned again, is what it says, and what the tables say of it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from recorder.cleaning.registry import CLEANERS, clean_events
from tasks_admin.exports.verify.reading import Manifest, lines_of, parts_of


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
    events, steps = Parts(folder, "events", "event"), Parts(folder, "steps", "step")
    for name, attempt in attempts.items():
        path = folder / "traces" / f"{name}.json"
        if not path.exists():  # it was never started
            continue
        trace = json.loads(path.read_text(encoding="utf-8"))
        yield from _recleaned(path.name, trace, attempt, known.name)
        yield from _same_verdict(path.name, trace["verdict"], attempt, checks[name])
        for part, items in ((events, trace["events"]), (steps, trace["steps"])):
            if [json.loads(text) for text in part.of(name)] != items:
                yield f"{part.table}: the rows of {name} are not those of its trace"


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


class Parts:
    """A column of a table that is split into parts, read once from the first attempt to the last."""

    def __init__(self, folder: Path, table: str, column: str) -> None:
        self.table = table
        self._groups = groupby(self._pairs(folder, column), key=itemgetter(0))
        self._next = next(self._groups, None)

    def _pairs(self, folder: Path, column: str) -> Iterator[tuple[str, str]]:
        pieces = parts_of(folder, self.table).to_batches(
            columns=["attempt_id", column], batch_size=10_000, batch_readahead=1, fragment_readahead=1
        )
        for piece in pieces:
            yield from zip(piece.column("attempt_id").to_pylist(), piece.column(column).to_pylist(), strict=True)

    def of(self, name: str) -> list[str]:
        """The rows of an attempt where they stand in the order of the attempts; none where they do not."""
        if self._next is None or self._next[0] != name:
            return []
        found = [text for _, text in self._next[1]]
        self._next = next(self._groups, None)
        return found
