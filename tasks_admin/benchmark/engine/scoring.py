"""Scoring by state: what had to change (obligations) and what must not have changed (invariants).

The score is the weighted share of fulfilled obligations, in (0, 1) lowered by half of the share of broken invariants;
an attempt passes only if every obligation holds and nothing protected changed, and only then is its score 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks_admin.benchmark.engine.changes import Change, Rows, by_id, differences
from tasks_admin.benchmark.engine.matching import maximum_matching
from tasks_admin.benchmark.engine.predicates import Where, holds, words
from tasks_admin.benchmark.engine.tables import Row

PENALTY = 0.5  # of the score, if every invariant is broken


@dataclass(frozen=True)
class Outcome:
    """What became of one obligation: the share fulfilled (0..1), the changes that it explains, and words."""

    credit: float
    covers: frozenset[Change]
    detail: str


@dataclass(frozen=True)
class Create:
    """New rows that suit the predicates, one row each."""

    name: str
    table: str
    wanted: tuple[Where, ...]
    weight: float = 1.0

    def judge(self, initial: Rows, final: Rows) -> Outcome:
        before = by_id(initial, self.table)
        new = [row for row in final.get(self.table, []) if row["id"] not in before]
        pairs = _pair(self.wanted, new)
        covers = frozenset(Change("create", self.table, row["id"]) for _, row in pairs)
        return Outcome(_share(pairs, self.wanted), covers, f"{len(pairs)} of {len(self.wanted)} new rows as asked")


@dataclass(frozen=True)
class Delete:
    """Initial rows that suit the predicates and are gone."""

    name: str
    table: str
    wanted: tuple[Where, ...]
    weight: float = 1.0

    def judge(self, initial: Rows, final: Rows) -> Outcome:
        after = by_id(final, self.table)
        gone = [row for row in initial.get(self.table, []) if row["id"] not in after]
        pairs = _pair(self.wanted, gone)
        covers = frozenset(Change("delete", self.table, row["id"]) for _, row in pairs)
        return Outcome(_share(pairs, self.wanted), covers, f"{len(pairs)} of {len(self.wanted)} rows removed as asked")


@dataclass(frozen=True)
class Update:
    """Rows that were ``which`` and are now ``then``: pairs (which, then), one row each."""

    name: str
    table: str
    wanted: tuple[tuple[Where, Where], ...]
    weight: float = 1.0

    def judge(self, initial: Rows, final: Rows) -> Outcome:
        before = by_id(initial, self.table)
        kept = [row for row in final.get(self.table, []) if row["id"] in before]
        edges = [
            [i for i, row in enumerate(kept) if holds(which, before[row["id"]]) and holds(then, row)]
            for which, then in self.wanted
        ]
        matched = maximum_matching(edges)
        covers = frozenset(
            Change("update", self.table, kept[row]["id"], field)
            for wanted, row in matched.items()
            for field in self.wanted[wanted][1]
        )
        share = len(matched) / len(self.wanted) if self.wanted else 1.0
        return Outcome(share, covers, f"{len(matched)} of {len(self.wanted)} rows changed as asked")


Obligation = Create | Delete | Update


@dataclass(frozen=True)
class Free:
    """Changes that nobody minds: of these fields (all if empty), in rows that were or are as ``where`` says.

    Creating and deleting is free only if ``rows`` is true.
    """

    table: str
    fields: tuple[str, ...] = ()
    where: Where | None = None
    rows: bool = False

    def excuses(self, change: Change, row: Row) -> bool:
        if change.table != self.table or (self.where is not None and not holds(self.where, row)):
            return False
        if change.kind == "update":
            return not self.fields or change.field in self.fields
        return self.rows


@dataclass(frozen=True)
class Protect:
    """Rows (all if ``where`` is None, judged as they were at first) or fields that get a check of their own."""

    name: str
    table: str
    where: Where | None = None
    fields: tuple[str, ...] = ()
    weight: float = 1.0

    def touched_by(self, change: Change, row: Row) -> bool:
        if change.table != self.table or (self.where is not None and not holds(self.where, row)):
            return False
        return change.kind != "update" or not self.fields or change.field in self.fields


@dataclass(frozen=True)
class Spec:
    """What one task asks for: whatever no obligation covers and nothing declares free must stay as it was."""

    obligations: tuple[Obligation, ...]
    protect: tuple[Protect, ...] = ()
    free: tuple[Free, ...] = ()


@dataclass(frozen=True)
class Line:
    """One check of the result; ``credit`` is 0..1."""

    name: str
    kind: str
    credit: float
    weight: float
    detail: str

    @property
    def passed(self) -> bool:
        return self.credit == 1.0


@dataclass(frozen=True)
class Result:
    """Score 0..1, whether it passed, and the checks."""

    score: float
    passed: bool
    lines: tuple[Line, ...]


def score(spec: Spec, initial: Rows, final: Rows) -> Result:
    """Judge the final state against the initial one."""
    outcomes = [(obligation, obligation.judge(initial, final)) for obligation in spec.obligations]
    lines = [Line(o.name, "obligation", out.credit, o.weight, out.detail) for o, out in outcomes]
    covered = frozenset().union(*(out.covers for _, out in outcomes))
    lines += _invariants(spec, differences(initial, final) - covered, initial, final)
    passed = bool(spec.obligations) and all(line.passed for line in lines)
    return Result(1.0 if passed else _partial(lines), passed, tuple(lines))


def _partial(lines: Sequence[Line]) -> float:
    fulfilled = _mean([line for line in lines if line.kind == "obligation"])
    broken = 1.0 - _mean([line for line in lines if line.kind == "invariant"])
    return min(0.99, round(fulfilled * (1.0 - PENALTY * broken), 4))


def _mean(lines: Sequence[Line]) -> float:
    total = sum(line.weight for line in lines)
    return sum(line.credit * line.weight for line in lines) / total if total else 0.0


def _invariants(spec: Spec, changes: set[Change], initial: Rows, final: Rows) -> list[Line]:
    def rows_of(change: Change) -> list[Row]:
        seen = (by_id(rows, change.table).get(change.row_id) for rows in (initial, final))
        return [row for row in seen if row is not None]

    left = {c for c in changes if not any(f.excuses(c, row) for f in spec.free for row in rows_of(c))}
    lines = []
    for protect in spec.protect:
        touched = {c for c in left if protect.touched_by(c, rows_of(c)[0])}
        left -= touched
        lines.append(_untouched(protect.name, protect.weight, touched))
    return [*lines, _untouched("Nothing else changed", 1.0, left)]


def _untouched(name: str, weight: float, touched: set[Change]) -> Line:
    detail = "; ".join(sorted(change.words() for change in touched)[:6])
    return Line(name, "invariant", 0.0 if touched else 1.0, weight, detail or "unchanged")


def _pair(wanted: Sequence[Where], rows: Sequence[Row]) -> list[tuple[Where, Row]]:
    edges = [[i for i, row in enumerate(rows) if holds(where, row)] for where in wanted]
    return [(wanted[left], rows[right]) for left, right in maximum_matching(edges).items()]


def _share(pairs: Sequence[object], wanted: Sequence[object]) -> float:
    return len(pairs) / len(wanted) if wanted else 1.0


def asked(obligation: Obligation) -> str:
    """The obligation in words, for messages and tests."""
    if isinstance(obligation, Update):
        return "; ".join(f"[{words(which)}] → [{words(then)}]" for which, then in obligation.wanted)
    return "; ".join(words(where) for where in obligation.wanted)
