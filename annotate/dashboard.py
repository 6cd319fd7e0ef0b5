"""What the dashboard shows of one participation."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median

from django.db.models import Count, F, FloatField, Func, Max, Min, Q, QuerySet

from annotate import health, queries
from annotate.models import Assignment, Attempt, Note, Participation, Study
from annotate.timing import union_ms

PACE_OF, PACE_FROM = 20, 3  # rounds that the pace is taken from, and how many there must be
FIRST_GUESS_MS = 5 * 60_000


@dataclass(frozen=True)
class EnvironmentProgress:
    """Complete and all assignments of one environment."""

    name: str
    done: int
    total: int


@dataclass(frozen=True)
class Left:
    """How long the rest will take: at the person's own pace, or at FIRST_GUESS_MS an assignment while that is not known."""

    ms: int
    own_pace: bool


@dataclass(frozen=True)
class Board:
    """One study's card: where the person stands and the one thing to do next."""

    participation: Participation
    study: Study
    done: int
    total: int
    spent_ms: int
    step: str  # consent, guidelines, practice, start, resume, waiting, all_done
    next: Assignment | None
    down: str = ""  # the website of the next assignment, where it can't be used just now
    environments: list[EnvironmentProgress] = field(default_factory=list)
    recent: list[Assignment] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    left: Left | None = None


def for_participation(participation: Participation) -> Board:
    """The card of one participation; a fixed number of queries whatever its size."""
    counted = participation.assignments.exclude(role="practice").exclude(state="withdrawn")
    totals = counted.aggregate(total=Count("pk"), done=Count("pk", filter=Q(state="complete")))
    following = queries.next_assignment(participation)
    return Board(
        participation=participation,
        study=participation.study,
        done=totals["done"],
        total=totals["total"],
        spent_ms=_spent_ms(participation),
        step=_step(participation, following),
        next=following,
        down=_down(following),
        environments=_environments(participation),
        notes=list(queries.unread_notes(participation)[:20]),
        left=_left(participation, totals["total"] - totals["done"]),
        recent=list(
            participation.assignments.filter(state="complete")
            .select_related("task_condition__task__environment")
            .order_by("-position")[:8]
        ),
    )


def _step(participation: Participation, following: Assignment | None) -> str:
    if not queries.has_consented(participation):
        return "consent"
    if participation.guidelines_read_at is None:
        return "guidelines"
    if participation.study.state != "frozen":
        return "waiting"
    if following is None:
        return "all_done"
    if following.state == "in_round":
        return "resume"
    return "practice" if following.role == "practice" else "start"


def _down(following: Assignment | None) -> str:
    if following is None or following.state == "in_round":
        return ""
    environment = following.task_condition.task.environment
    return environment.name if health.is_down(environment) else ""


def _spent_ms(participation: Participation) -> int:
    """Recorded work of complete rounds, also of those that a lead returned: each stretch once, however attempts overlap."""
    done = Attempt.objects.filter(
        round__participation=participation, round__state="complete", started_at__isnull=False, evaluate_at__isnull=False
    )
    return union_ms(done.order_by().values_list(_ms("started_at"), _ms("evaluate_at")))


def _ms(field: str) -> Func:
    """An instant as ms since 1970: thousands of them are read ten times as fast as dates."""
    return Func(F(field), template="(EXTRACT(EPOCH FROM %(expressions)s) * 1000)::float8", output_field=FloatField())


def _left(participation: Participation, count: int) -> Left | None:
    """What is left of `count` assignments; None where nothing is."""
    if not count:
        return None
    last = participation.rounds.filter(state="complete").order_by("-ended_at").values_list("pk", flat=True)[:PACE_OF]
    lately = (
        Attempt.objects.filter(round__in=list(last))
        .order_by()
        .values_list("round")
        .annotate(began=Min("started_at"), done=Max("evaluate_at"))
        .values_list("began", "done")
    )
    took = [(done - began) / timedelta(milliseconds=1) for began, done in lately if began and done]
    if len(took) < PACE_FROM:
        return Left(count * FIRST_GUESS_MS, own_pace=False)
    return Left(round(count * median(took)), own_pace=True)


def _environments(participation: Participation) -> list[EnvironmentProgress]:
    rows = (
        participation.assignments.exclude(role="practice")
        .exclude(state="withdrawn")
        .values("task_condition__task__environment__name")
        .annotate(total=Count("pk"), done=Count("pk", filter=Q(state="complete")))
        .order_by("task_condition__task__environment__name")
    )
    return [
        EnvironmentProgress(row["task_condition__task__environment__name"], row["done"], row["total"]) for row in rows
    ]


def place_of(assignment: Assignment) -> tuple[int, int]:
    """(which, of how many) among the participation's counted assignments; (0, n) for practice."""
    counted = assignment.participation.assignments.exclude(role="practice").exclude(state="withdrawn")
    if assignment.role == "practice":
        return 0, counted.count()
    return counted.filter(position__lte=assignment.position).count(), counted.count()


def own_assignments(participation: Participation) -> QuerySet[Assignment]:
    """All that the participation is to do or has done, in the order of the plan: each website is a block."""
    return (
        participation.assignments.exclude(state="withdrawn")
        .select_related("task_condition__task__environment")
        .order_by("position")
    )
