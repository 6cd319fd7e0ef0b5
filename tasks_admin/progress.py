"""Where a study stands: cells × conditions, people, who is recording now. A fixed number of queries, whatever its size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg, Count, Q, QuerySet

from annotate.counting import in_figures
from annotate.models import Assignment, Attempt, Flag, Participation, Round, Study
from annotate.models.catalogue import Difficulty

CONDITIONS = ("clean", "intervention")


@dataclass(frozen=True)
class Cell:
    """Complete and all primary assignments of one environment, difficulty and condition."""

    environment: str
    difficulty: str
    condition: str
    done: int = 0
    total: int = 0

    @property
    def level(self) -> str:
        """The shade of the heat map: none, done-0 (nothing yet) to done-4 (all)."""
        if not self.total:
            return "none"
        return f"done-{4 * self.done // self.total}"


@dataclass(frozen=True)
class HeatRow:
    """One environment and condition over the difficulties."""

    environment: str
    condition: str
    cells: list[Cell] = field(default_factory=list)


def counted(study: Study) -> QuerySet[Assignment]:
    """The assignments that count: no practice, none withdrawn."""
    return Assignment.objects.filter(participation__study=study).exclude(role="practice").exclude(state="withdrawn")


def heat_map(study: Study) -> list[HeatRow]:
    """Rows environment × condition, columns difficulty, for primary assignments."""
    where = "task_condition__task__environment__slug"
    rows = (
        counted(study)
        .filter(role="primary")
        .values(where, "task_condition__task__difficulty", "task_condition__condition")
        .annotate(total=Count("pk"), done=Count("pk", filter=Q(state="complete")))
    )
    cells = {
        (row[where], row["task_condition__condition"], row["task_condition__task__difficulty"]): (
            row["done"],
            row["total"],
        )
        for row in rows
    }
    keys = sorted({(environment, condition) for environment, condition, _ in cells})
    return [
        HeatRow(
            environment,
            condition,
            [
                Cell(environment, level, condition, *cells.get((environment, condition, level), (0, 0)))
                for level in Difficulty.values
            ],
        )
        for environment, condition in keys
    ]


def people(study: Study) -> QuerySet[Participation]:
    """Participations with `done`, `total` and `ended_early` (rounds that do not count)."""
    mine = Q(assignments__role__in=["primary", "duplicate"]) & ~Q(assignments__state="withdrawn")
    return (
        Participation.objects.filter(study=study)
        .annotate(
            total=Count("assignments", filter=mine, distinct=True),
            done=Count("assignments", filter=mine & Q(assignments__state="complete"), distinct=True),
            ended_early=Count(
                "rounds", filter=Q(rounds__state__in=["rolled_back", "abandoned", "void"]), distinct=True
            ),
        )
        .order_by("code")
    )


def now_recording(study: Study) -> QuerySet[Round]:
    """Open rounds, longest first."""
    return (
        Round.objects.filter(participation__study=study, state__in=Round.OPEN)
        .select_related("participation", "assignment__task_condition__task__environment")
        .order_by("opened_at")
    )


def summary(study: Study) -> dict[str, Any]:
    """Totals and pass rates of complete rounds: by condition and attempt `passed` of `n`, None where there is no data."""
    totals = counted(study).aggregate(total=Count("pk"), done=Count("pk", filter=Q(state="complete")))
    rates = (
        Attempt.objects.filter(in_figures("round__"), round__participation__study=study)
        .exclude(round__assignment__role="practice")
        .values("round__assignment__task_condition__condition", "kind")
        .annotate(n=Count("pk"), passed=Count("pk", filter=Q(passed=True)), score=Avg("score"))
        .order_by("round__assignment__task_condition__condition", "kind")
    )
    return {
        **totals,
        "open": now_recording(study).count(),
        "flags": Flag.objects.filter(round__participation__study=study, lifted_at=None).count(),
        "rates": [
            {
                "condition": row["round__assignment__task_condition__condition"],
                "kind": row["kind"],
                "n": row["n"],
                "passed": row["passed"],
                "score": row["score"],
            }
            for row in rates
        ],
    }
