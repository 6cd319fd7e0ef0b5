"""The other attempts on the same task: the one beside it in its round, the same task-condition's, and the other condition's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotate.models import Attempt
from tasks_admin.access import attempts_of
from tasks_admin.viewer.align import Alignment, align
from tasks_admin.viewer.rows import row
from tasks_admin.viewer.trace import trace_of

MOST = 30


@dataclass(frozen=True)
class Other:
    """An attempt, and what it is to the one that is looked at; `other_condition` where that is the other condition's."""

    attempt: Attempt
    words: str
    other_condition: bool


def others_of(attempt: Attempt) -> list[Other]:
    """The nearest first: its own round's, the same task-condition's, the other condition's; ended rounds only."""
    condition = attempt.round.assignment.task_condition
    listed = attempts_of(attempt.round.participation.study).filter(
        round__assignment__task_condition__task=condition.task_id, evaluated_at__isnull=False
    )
    found = [
        Other(one, relation(attempt, one), one.round.assignment.task_condition_id != condition.pk)
        for one in listed.exclude(pk=attempt.pk).order_by("pk")[:MOST]
    ]
    return sorted(found, key=lambda other: nearness(attempt, other))


def nearness(attempt: Attempt, other: Other) -> tuple[bool, bool, bool, int]:
    same_round = other.attempt.round_id == attempt.round_id
    return not same_round, other.other_condition, other.attempt.kind != attempt.kind, other.attempt.pk


def relation(attempt: Attempt, other: Attempt) -> str:
    """What the other one is to this, in words."""
    if other.round_id == attempt.round_id:
        return f"{other.kind}, same round"
    role, condition = other.round.assignment.role, other.round.assignment.task_condition
    if other.round.assignment_id == attempt.round.assignment_id:
        return f"{other.kind}, round {other.round.number}"
    if condition.pk == attempt.round.assignment.task_condition_id:
        return f"{other.kind}, {role}"
    return f"{other.kind}, {role}, {condition.condition}"


@dataclass(frozen=True)
class Beside:
    """Two attempts side by side: the alignment of their steps, and its rows for the page."""

    other: Other
    alignment: Alignment | None
    rows: list[dict[str, Any]]
    counts: tuple[int, int]
    same: int = 0
    changed: int = 0
    left: int = 0
    right: int = 0


def beside(steps: Sequence[dict[str, Any]], other: Other) -> Beside:
    """Align the steps of an attempt with those of another."""
    trace = trace_of(other.attempt)
    theirs = trace.steps if trace else []
    found = align(steps, theirs)
    rows = [
        {
            "kind": pair.kind,
            "left": None if pair.left is None else row(steps[pair.left], pair.left),
            "right": None if pair.right is None else row(theirs[pair.right], pair.right),
        }
        for pair in (found.pairs if found else [])
    ]
    kinds = Counter(pair["kind"] for pair in rows)
    return Beside(
        other, found, rows, (len(steps), len(theirs)), kinds["same"], kinds["changed"], kinds["left"], kinds["right"]
    )
