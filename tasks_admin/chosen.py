"""What the references page shows: a row per task-condition with its candidates. A fixed number of queries per page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from annotate import queries
from annotate.actions.references import attempts_of, candidate
from annotate.models import Attempt, Reference, Study, TaskCondition
from annotate.references import Candidate, refusal


@dataclass(frozen=True)
class Option:
    """A candidate, and why it may not be chosen ("" where it may)."""

    candidate: Candidate
    refused: str
    round: int


@dataclass
class Row:
    """A task-condition with its current reference, the chosen candidate, and all candidates."""

    condition: TaskCondition
    reference: Reference | None = None
    options: list[Option] = field(default_factory=list)

    @property
    def chosen(self) -> Candidate | None:
        return self._candidate(self.reference.attempt_id) if self.reference else None

    @property
    def runners_up(self) -> list[Candidate]:
        """In the policy's order."""
        listed = self.reference.runners_up if self.reference else []
        return [found for pk in listed if (found := self._candidate(pk))]

    @property
    def choices(self) -> list[Option]:
        """Those that a lead may put in its place."""
        now = self.reference.attempt_id if self.reference else None
        return [option for option in self.options if not option.refused and option.candidate.attempt != now]

    @property
    def refused(self) -> list[Option]:
        return [option for option in self.options if option.refused]

    def _candidate(self, attempt: int | None) -> Candidate | None:
        return next((option.candidate for option in self.options if option.candidate.attempt == attempt), None)


def conditions(study: Study) -> QuerySet[TaskCondition]:
    """Task-conditions with a complete round, in the catalogue's order."""
    done = Attempt.objects.filter(queries.counted("round__"), round__assignment__task_condition=OuterRef("pk"))
    return (
        study.task_conditions.filter(Exists(done.exclude(round__assignment__role="practice")))
        .select_related("task__environment", "variant")
        .order_by("task__environment__slug", "task__slug", "condition")
    )


def rows(listed: list[TaskCondition]) -> list[Row]:
    """A row per task-condition."""
    made = {condition.pk: Row(condition) for condition in listed}
    for reference in Reference.objects.filter(task_condition__in=made, is_current=True).select_related("overruled_by"):
        made[reference.task_condition_id].reference = reference
    for attempt in attempts_of(made):
        one = candidate(attempt)
        option = Option(one, refusal(one), attempt.round.number)
        made[attempt.round.assignment.task_condition_id].options.append(option)
    return list(made.values())


def counts(study: Study) -> dict[str, int]:
    """How many task-conditions have a reference, were overruled, or have none though they were done."""
    current = Reference.objects.filter(task_condition__study=study, is_current=True)
    found = defaultdict(int, {"done": conditions(study).count()})
    for attempt_id, overruled in current.values_list("attempt_id", "overruled"):
        found["chosen"] += attempt_id is not None
        found["overruled"] += overruled
    return {"done": found["done"], "chosen": found["chosen"], "overruled": found["overruled"]}
