"""Applying what was planned: assignments are written as a whole or not at all, and nothing that was begun is touched."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotate import designs
from annotate.actions import amendments, audit, plans
from annotate.design.model import Assignment as Place
from annotate.design.model import Plan
from annotate.errors import MovedOn, NotYet
from annotate.models import Assignment, Participation, Person, PlanDraft, Round, Study, Task, TaskCondition
from annotate.states import move_assignment

CHANGED = "The design has changed since this plan was found. Find a plan again."
BEGUN = (
    "{code} has begun {task} ({condition}) meanwhile. Nothing was changed: find a plan again and look at it once more."
)
FAR = 1_000_000  # beyond every position


class OldPlan(NotYet):
    """The plan can't be applied any more; the message says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("old_plan", message)


@transaction.atomic
def apply_plan(draft: PlanDraft, person: Person) -> int:
    """Write a draft study's assignments, in place of those it has; how many. Raises OldPlan, MovedOn where it is no draft."""
    study = lock(draft, Study.State.DRAFT)
    plan = applicable(draft, study)
    if Round.objects.filter(participation__study=study).exists():
        raise OldPlan("Somebody has worked in this study already, so its assignments are not written anew.")
    before = loads_of(study)
    Assignment.objects.filter(participation__study=study).delete()
    TaskCondition.objects.filter(study=study).delete()
    conditions = write_conditions(study, draft, plan)
    people = {one.code: one for one in study.participations.all()}
    Assignment.objects.bulk_create(
        [
            Assignment(
                task_condition=conditions[one.task, one.condition],
                participation=people[one.code],
                role=one.role,
                position=one.position,
            )
            for one in plan.assignments
        ],
        batch_size=500,
    )
    give_practice(study)
    finish(draft)
    audit.note(study, person, "apply plan", f"plan {draft.number}", before=before, after=loads_of(study))
    return len(plan.assignments)


@transaction.atomic
def apply_replan(draft: PlanDraft, person: Person, reason: str) -> int:
    """Move what the replan moves in a study that runs; how many. Raises OldPlan, where somebody has begun one of them
    meanwhile, too; MovedOn where the study does not run; BadInput without a reason."""
    study = lock(draft, Study.State.FROZEN)
    plan = applicable(draft, study)
    before = loads_of(study)
    people = {one.code: one for one in study.participations.filter(is_active=True)}
    why = amendments.checked_reason(reason)
    moved = [hand_over(change, people, draft.tasks, person, why) for change in draft.changes]
    Assignment.objects.bulk_create(moved, batch_size=500)
    for code in {code for change in draft.changes for code in (change["from"], change["to"])} & people.keys():
        set_order(people[code], draft, [one for one in plan.assignments if one.code == code])
    give_practice(study)
    finish(draft)
    amendments.record(study, person, "plan", f"plan {draft.number}", reason, before=before, after=loads_of(study))
    return len(moved)


def lock(draft: PlanDraft, state: str) -> Study:
    """The study, which nobody else plans, edits or freezes until we are done. Raises MovedOn."""
    study = Study.objects.select_for_update().get(pk=draft.study_id)
    if study.state != state:
        raise MovedOn("study", "apply")
    draft.refresh_from_db()
    draft.study = study
    return study


def applicable(draft: PlanDraft, study: Study) -> Plan:
    """The plan, if it still is one for this study. Raises OldPlan."""
    plan = plans.plan_of(draft)
    if plan is None or plan.status == "infeasible":
        raise OldPlan("There is no plan to apply here.")
    if draft.applied_at is not None:
        raise OldPlan("This plan is applied already.")
    if study.plans.filter(applied_at__isnull=False, number__gt=draft.number).exists() or not plans.is_current(draft):
        raise OldPlan(CHANGED)
    return plan


def write_conditions(study: Study, draft: PlanDraft, plan: Plan) -> dict[tuple[str, str], TaskCondition]:
    """The plan's task-conditions by the task's name in it and the condition."""
    wanted = sorted({(one.task, one.condition) for one in plan.assignments})
    tasks = Task.objects.prefetch_related("variants").in_bulk([draft.tasks[name] for name, _ in wanted])
    made = []
    for name, condition in wanted:
        task = tasks[draft.tasks[name]]
        variant = None
        if condition == "intervention":
            variant = min(task.variants.all(), key=lambda one: (one.slug, one.pk))
        made.append(TaskCondition(study=study, task=task, condition=condition, variant=variant))
    TaskCondition.objects.bulk_create(made, batch_size=500)
    return dict(zip(wanted, made, strict=True))


def give_practice(study: Study) -> None:
    """The study's practice task, if it has one, to everybody who takes part and has no practice yet. It comes first."""
    environment, _, slug = designs.kept_of(study).practice.partition("/")
    task = Task.objects.filter(environment__slug=environment, slug=slug, is_current=True).first()
    standing = TaskCondition.objects.filter(study=study, assignments__role="practice").first()
    if standing is None:
        if task is None:
            return
        standing = TaskCondition.objects.create(study=study, task=task, condition="clean")
    without = study.participations.filter(is_active=True).exclude(assignments__role="practice")
    Assignment.objects.bulk_create(
        [Assignment(task_condition=standing, participation=one, role="practice", position=0) for one in without]
    )


def hand_over(
    change: dict[str, Any], people: dict[str, Participation], tasks: dict[str, int], person: Person, why: str
) -> Assignment:
    """Withdraw the giver's assignment, if anybody has it, and make the taker's (not written yet). Raises OldPlan where it was
    begun."""
    if change["assignment"] is None:
        taker = people[change["to"]]
        of = TaskCondition.objects.get(study=taker.study_id, task=tasks[change["task"]], condition=change["condition"])
        return Assignment(task_condition=of, participation=taker, role=change["role"], position=2 * FAR + of.pk)
    before = Assignment.objects.select_related("participation", "task_condition").get(pk=change["assignment"])
    try:
        # The race: its annotator opens a round at this moment. The move is made from "not started" only and keeps the row
        # locked, so what we see of its rounds after it stays true.
        move_assignment(before, "withdrawn", actor=person, why=f"planned anew: {why}")
        if before.participation.is_active and before.rounds.exists():
            raise MovedOn("assignment", "withdrawn")
    except MovedOn as error:
        told = BEGUN.format(code=change["from"], task=change["task"], condition=change["condition"])
        raise OldPlan(told) from error
    return Assignment(
        task_condition=before.task_condition,
        participation=people[change["to"]],
        role=before.role,
        position=FAR + before.pk,
    )


def set_order(participation: Participation, draft: PlanDraft, planned: list[Place]) -> None:
    """Put the open assignments of a person into the plan's order, after everything else they have."""
    names = {pk: name for name, pk in draft.tasks.items()}
    live = participation.assignments.exclude(state="withdrawn").select_related("task_condition")
    places: dict[tuple[str, str, str], int] = {(one.task, one.condition, one.role): one.position for one in planned}
    rows = {
        (names.get(one.task_condition.task_id, ""), one.task_condition.condition, one.role): one
        for one in live.filter(state="not_started", rounds=None).exclude(role="practice")
    }
    start = live.exclude(pk__in=[one.pk for one in rows.values()]).aggregate(top=Max("position"))["top"] or 0
    ordered = sorted((places.get(key, FAR), one.pk, one) for key, one in rows.items())
    # Two steps: places are unique at every moment.
    for index, (_, pk, _) in enumerate(ordered, 1):
        Assignment.objects.filter(pk=pk).update(position=3 * FAR + index)
    for index, (_, pk, _) in enumerate(ordered, 1):
        Assignment.objects.filter(pk=pk).update(position=start + index)


def finish(draft: PlanDraft) -> None:
    PlanDraft.objects.filter(pk=draft.pk).update(applied_at=timezone.now())
    Study.objects.filter(pk=draft.study_id).update(version=draft.study.version + 1)


def loads_of(study: Study) -> dict[str, int]:
    """How many assignments each code has, without practice and what was withdrawn."""
    rows = Assignment.objects.filter(participation__study=study).exclude(role="practice").exclude(state="withdrawn")
    return dict(sorted(Counter(rows.values_list("participation__code", flat=True)).items()))
