"""Where a study stands: cells × conditions, people with their pace, who is recording now. A fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotate import health, tallies
from annotate.models import Assignment, Flag, Participation, Round, Study, Tally
from annotate.models.catalogue import Difficulty
from tasks_admin.pace import Pace, pace

CONDITIONS = ("clean", "intervention")
ROLES = ("primary", "duplicate")


@dataclass(frozen=True)
class Cell:
    """Assignments of one environment, difficulty and condition by where they stand."""

    environment: str
    difficulty: str
    condition: str
    done: int = 0
    running: int = 0
    returned: int = 0
    missing: int = 0

    @property
    def total(self) -> int:
        return self.done + self.running + self.returned + self.missing

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


@dataclass(frozen=True)
class PersonRow:
    """One participation's progress: counts by state, rounds that ended early, pace, and when something was completed last."""

    participation: Participation
    done: int
    running: int
    returned: int
    missing: int
    ended_early: int
    pace: Pace
    last: datetime | None

    @property
    def total(self) -> int:
        return self.done + self.running + self.returned + self.missing


@dataclass(frozen=True)
class End:
    """When the study will be done: by the slowest of those with a pace; `unknown` have work left and none."""

    at: datetime | None
    unknown: list[str]


def heat_map(body: tallies.Body, role: str, chosen: dict[str, str]) -> list[HeatRow]:
    """Rows environment × condition, columns difficulty, of the assignments of one role; `chosen` may name an environment
    and a condition to show alone."""
    cells = {
        (one["environment"], one["condition"], one["difficulty"]): [one[state] for state in tallies.STATES]
        for one in body["cells"]
        if one["role"] == role and all(one[name] == value for name, value in chosen.items())
    }
    keys = sorted({(environment, condition) for environment, condition, _ in cells})
    return [
        HeatRow(
            environment,
            condition,
            [
                Cell(environment, level, condition, *cells.get((environment, condition, level), ()))
                for level in Difficulty.values
            ],
        )
        for environment, condition in keys
    ]


def people(body: tallies.Body, participations: list[Participation]) -> list[PersonRow]:
    """A row for each of `participations`."""
    return [_person(one, body["people"].get(one.code) or {}) for one in participations]


def _person(participation: Participation, told: dict[str, Any]) -> PersonRow:
    counts = {state: told.get(state, 0) for state in tallies.STATES}
    return PersonRow(
        participation,
        **counts,
        ended_early=told.get("ended_early", 0),
        pace=_pace(told, sum(counts.values()) - counts["done"]),
        last=_instant(told.get("last")),
    )


def _pace(told: dict[str, Any], left: int) -> Pace:
    return pace(told.get("lately", 0), _instant(told.get("first")), left, timezone.now(), tallies.WINDOW)


def _instant(told: str | None) -> datetime | None:
    return datetime.fromisoformat(told) if told else None


def expected_end(body: tallies.Body) -> End:
    """When the last person will have done all of theirs, each at the pace of the last two weeks."""
    ends, unknown = [], []
    for code, told in body["people"].items():
        left = sum(told[state] for state in tallies.STATES) - told["done"]
        end = _pace(told, left).ends_at
        if end:
            ends.append(end)
        elif left:
            unknown.append(code)
    return End(max(ends, default=None), unknown)


def now_recording(study: Study) -> QuerySet[Round]:
    """Open rounds, longest first."""
    return (
        Round.objects.filter(participation__study=study, state__in=Round.OPEN)
        .select_related("participation", "assignment__task_condition__task__environment")
        .prefetch_related("attempts")
        .order_by("opened_at")
    )


def cards(studies: list[Study]) -> list[tuple[Study, dict[str, int]]]:
    """Each study with `total`, `done`, `open` and `flags`; what the worker has counted is taken from there."""
    stored = {tally.study_id: tally.body for tally in Tally.objects.filter(study__in=studies)}
    rest = [study for study in studies if study.pk not in stored]
    counted = {**_totals(rest), **{pk: {"total": body["total"], "done": body["done"]} for pk, body in stored.items()}}
    flags = _by_study(Flag.objects.filter(lifted_at=None, round__participation__study__in=rest), "round__")
    running = _by_study(Round.objects.filter(state__in=Round.OPEN, participation__study__in=studies))
    flags |= {pk: body["flags"] for pk, body in stored.items()}
    empty = {"total": 0, "done": 0}
    return [
        (study, counted.get(study.pk, empty) | {"open": running.get(study.pk, 0), "flags": flags.get(study.pk, 0)})
        for study in studies
    ]


def _totals(studies: list[Study]) -> dict[int, dict[str, int]]:
    rows = (
        Assignment.objects.filter(participation__study__in=studies)
        .exclude(role="practice")
        .exclude(state="withdrawn")
        .order_by()
        .values_list("participation__study")
        .annotate(total=Count("pk"), done=Count("pk", filter=Q(state="complete")))
    )
    return {study: {"total": total, "done": done} for study, total, done in rows}


def _by_study(rows: QuerySet[Any], path: str = "") -> dict[int, int]:
    return dict(rows.order_by().values_list(f"{path}participation__study").annotate(n=Count("pk")))


FILTERS = {
    "environment": "task_condition__task__environment__slug",
    "difficulty": "task_condition__task__difficulty",
    "condition": "task_condition__condition",
    "person": "participation__code",
    "role": "role",
}


def assignments(study: Study, chosen: dict[str, str]) -> QuerySet[Assignment]:
    """The study's assignments that fit the filters, in the order of people and their work. Withdrawn ones only by their state."""
    fits = {FILTERS[name]: value for name, value in chosen.items() if name in FILTERS}
    state = chosen.get("state", "")
    rows = Assignment.objects.filter(participation__study=study, **fits)
    if state == "withdrawn":
        rows = rows.filter(state="withdrawn")
    else:
        rows = rows.filter(tallies.STATES[state]) if state in tallies.STATES else rows.exclude(state="withdrawn")
    return rows.select_related("participation", "task_condition__task__environment").order_by(
        "participation__code", "position"
    )


def environments_of(study: Study) -> list[str]:
    """The slugs of the study's environments."""
    return list(health.used_by(study).order_by("slug").values_list("slug", flat=True))
