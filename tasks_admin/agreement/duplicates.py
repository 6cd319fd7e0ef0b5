"""The duplicate audit of a study: pairs planned and valid, what they agree in with intervals, and where they part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotate.counting import in_figures
from annotate.models import Assignment, Attempt, Review, Study
from recorder.errors import FootpathError
from tasks_admin.comparison import pair_intervals
from tasks_admin.comparison.agreement import passes, ratios

KINDS = ("cold", "warm")
MOST = 5000  # pairs that a page takes in
COLUMNS = (
    "environment", "task", "condition", "attempt", "primary", "duplicate", "primary_passed", "duplicate_passed", "primary_ms",
    "duplicate_ms", "primary_steps", "duplicate_steps", "primary_review", "duplicate_review",
)  # fmt: skip


class TooManyPairs(FootpathError):
    """More pairs than a page can count."""

    def __init__(self) -> None:
        super().__init__(
            "too_many_pairs",
            413,
            f"There are more than {MOST} pairs; export the study and use ./run compute_metrics, which takes any number.",
        )


@dataclass(frozen=True)
class Pair:
    """A primary attempt and a duplicate of the same task-condition and kind, and what reviews decided on each ("" for nothing)."""

    primary: Attempt
    duplicate: Attempt
    decided: tuple[str, str]

    @property
    def agrees(self) -> bool:
        return self.primary.passed == self.duplicate.passed

    def row(self) -> dict[str, Any]:
        """The pair as the files have it."""
        condition = self.primary.round.assignment.task_condition
        sides = (("primary", self.primary), ("duplicate", self.duplicate))
        told: dict[str, Any] = {
            "environment": condition.task.environment.slug,
            "task": condition.task.slug,
            "condition": condition.condition,
            "attempt": self.primary.kind,
        }
        for name, attempt in sides:
            told |= {
                name: attempt.round.participation.code,
                f"{name}_passed": attempt.passed,
                f"{name}_ms": attempt.wall_ms,
                f"{name}_steps": attempt.steps,
            }
        return told | {"primary_review": self.decided[0] or None, "duplicate_review": self.decided[1] or None}


def planned(study: Study) -> int:
    """How many duplicates the plan has."""
    return duplicates(study).count()


def duplicates(study: Study) -> QuerySet[Assignment]:
    return Assignment.objects.filter(participation__study=study, role="duplicate").exclude(state="withdrawn")


def pairs(study: Study) -> list[Pair]:
    """Every valid pair: both sides in rounds that count. Ordered by task, condition, kind and person. Raises TooManyPairs."""
    conditions = duplicates(study).values("task_condition")
    attempts = (
        Attempt.objects.filter(in_figures("round__"), round__assignment__task_condition__in=conditions)
        .exclude(round__assignment__role="practice")
        .select_related("round__participation", "round__assignment__task_condition__task__environment")
        .defer("verdict", "backend_record", "proof")
        .order_by("round__assignment__task_condition", "kind", "round__participation__code")
    )
    found = list(attempts[: 2 * MOST + 1])
    if len(found) > 2 * MOST:
        raise TooManyPairs
    primaries = {key_of(one): one for one in found if one.round.assignment.role == "primary"}
    decided = decisions(study)
    return [
        Pair(primaries[key_of(one)], one, (decided.get(primaries[key_of(one)].round_id, ""), decided.get(one.round_id, "")))
        for one in found
        if one.round.assignment.role == "duplicate" and key_of(one) in primaries
    ]  # fmt: skip


def key_of(attempt: Attempt) -> tuple[int, str]:
    return attempt.round.assignment.task_condition_id, attempt.kind


def decisions(study: Study) -> dict[int, str]:
    """What stands on rounds of task-conditions that have a duplicate."""
    standing = Review.objects.filter(
        study=study, is_current=True, round__assignment__task_condition__in=duplicates(study).values("task_condition")
    )
    return dict(standing.values_list("round", "decision"))


def figures(found: list[Pair]) -> dict[str, Any]:
    """Per kind the figures of DESIGN.md with intervals: {"pairs", "passes", "time", "steps"}, each {values, intervals}."""
    return {kind: of_kind([pair for pair in found if pair.primary.kind == kind]) for kind in KINDS}


def of_kind(found: list[Pair]) -> dict[str, Any]:
    first = np.array([bool(pair.primary.passed) for pair in found], dtype=bool)
    second = np.array([bool(pair.duplicate.passed) for pair in found], dtype=bool)
    told = passes(first, second)
    return {
        "pairs": len(found),
        "passes": told | {"intervals": pair_intervals.of_passes(told["table"])},
        "time": of_numbers([(pair.primary.wall_ms, pair.duplicate.wall_ms) for pair in found]),
        "steps": of_numbers([(pair.primary.steps, pair.duplicate.steps) for pair in found]),
    }


def of_numbers(sides: list[tuple[int | None, int | None]]) -> dict[str, Any]:
    """Ratios of the pairs in which both numbers are over 0."""
    usable = np.array([(a, b) for a, b in sides if a and b], dtype=np.float64).reshape(-1, 2)
    told = ratios(usable[:, 0], usable[:, 1])
    return told | {"intervals": pair_intervals.of_ratios(usable[:, 0], usable[:, 1]) if len(usable) else {}}


def rows(found: list[Pair]) -> Iterator[dict[str, Any]]:
    """The pairs for a file."""
    return (pair.row() for pair in found)
