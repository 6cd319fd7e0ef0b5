"""Where the assignments of a study stand, as a replan sees them: what was begun, what is open, who has met which task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotate.design.model import Assignment as Place
from annotate.design.model import Plan
from annotate.models import Assignment, Round, Study


@dataclass
class Standing:
    """Places that stay and places that may move, the latter with their assignments' ids; `met` are (code, task)."""

    fixed: list[Place] = field(default_factory=list)
    rest: list[Place] = field(default_factory=list)
    met: set[tuple[str, str]] = field(default_factory=set)
    ids: dict[tuple[str, str, str], int | None] = field(
        default_factory=dict
    )  # {what: id} of the rest; None: nobody has it


def counted(study: Study) -> QuerySet[Assignment]:
    """Every assignment but practice, with what tells whether it was begun."""
    rounds = Round.objects.filter(assignment=OuterRef("pk"))
    return (
        Assignment.objects.filter(participation__study=study)
        .exclude(role="practice")
        .select_related("participation", "task_condition__task__environment")
        .annotate(
            was_begun=Exists(rounds),
            was_done=Exists(rounds.filter(state=Round.State.COMPLETE, set_aside="")),
            was_removed=Exists(rounds.filter(set_aside=Round.SetAside.REMOVED)),
        )
        .order_by("participation__code", "position", "pk")
    )


def stays(assignment: Assignment) -> bool:
    """True for what a replan never moves: begun, complete, returned; and of people who still take part what they once began,
    since they know the task."""
    if assignment.state in (Assignment.State.IN_ROUND, Assignment.State.COMPLETE):
        return True
    was_begun, was_done = bool(getattr(assignment, "was_begun", False)), bool(getattr(assignment, "was_done", False))
    return was_done or (was_begun and assignment.participation.is_active)


def of(study: Study, names: Mapping[int, str]) -> Standing:
    """The standing of a study whose tasks have these names by id."""
    found, gone = Standing(), {}
    for assignment in counted(study):
        name = names.get(assignment.task_condition.task_id)
        if name is None:
            continue  # a task that came into the study after the design was read: the plan is refused when applied
        one = place(assignment, name)
        if getattr(assignment, "was_begun", False):
            found.met.add((one.code, one.task))
        if assignment.state == Assignment.State.WITHDRAWN:
            if getattr(assignment, "was_removed", False):
                gone[what(one)] = one
            continue
        if stays(assignment) or what(one) in found.ids:
            found.fixed.append(one)
        else:
            found.rest.append(one)
            found.ids[what(one)] = assignment.pk
    give_out_again(found, gone.values())
    return found


def give_out_again(found: Standing, gone: Iterable[Place]) -> None:
    """What somebody took back with their data is nobody's now, and is to be done by somebody. What a lead withdrew stays out."""
    held = {what(one) for one in [*found.fixed, *found.rest]}
    for one in gone:
        if what(one) not in held:
            found.rest.append(one.model_copy(update={"code": "", "position": 0}))
            found.ids[what(one)] = None


def place(assignment: Assignment, name: str) -> Place:
    """An assignment as plans have it."""
    task = assignment.task_condition.task
    return Place.model_validate(
        {
            "task": name,
            "environment": task.environment.slug,
            "difficulty": task.difficulty,
            "condition": assignment.task_condition.condition,
            "code": assignment.participation.code,
            "role": assignment.role,
            "position": assignment.position,
        }
    )


def what(one: Place) -> tuple[str, str, str]:
    """What is done, whoever does it. Plans of ours duplicate a task-condition once; what others duplicated twice stays."""
    return one.task, one.condition, one.role


def changes(now: Standing, plan: Plan) -> list[dict[str, Any]]:
    """What changes hands: {assignment, task, environment, condition, role, from, to}, in the order of giver and place; of what
    nobody has `assignment` is None and `from` empty."""
    after = {what(one): one.code for one in plan.assignments}
    return [
        {
            "assignment": now.ids[what(one)],
            "task": one.task,
            "environment": one.environment,
            "condition": one.condition,
            "role": one.role,
            "from": one.code,
            "to": after[what(one)],
        }
        for one in now.rest
        if plan.status != "infeasible" and after[what(one)] != one.code
    ]
