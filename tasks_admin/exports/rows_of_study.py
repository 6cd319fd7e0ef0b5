"""The rows of the tables that tell what the study is: its tasks, people, changes and references."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.counting import faulty_tasks
from annotate.models import Reference, Study, TaskCondition
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.files import compact
from tasks_admin.exports.rows import LetOut, Row, attempt_id, counted, primitive_of, unnoted
from tasks_admin.release.items import cleared_texts

CONDITION = (  # the fields of which the rows of task-conditions are made
    "condition",
    *(f"variant__{name}" for name in ("slug", "layer", "primitive")),
    *(f"task__{name}" for name in ("slug", "primitives", "title", "instruction", "difficulty", "expected_steps")),
    "task__environment__slug",
)


def task_condition_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `task_conditions`: the whole panel under the chosen conditions."""
    conditions = (
        TaskCondition.objects.filter(study=study).select_related("task__environment", "variant").only(*CONDITION)
    )
    if choice.conditions:
        conditions = conditions.filter(condition__in=choice.conditions)
    for condition in conditions.order_by("task__environment__slug", "task__slug", "condition").iterator(1000):
        yield {
            "environment": condition.task.environment.slug,
            "task": condition.task.slug,
            "condition": condition.condition,
            "variant": condition.variant.slug if condition.variant else None,
            "layer": condition.variant.layer if condition.variant else None,
            "primitive": primitive_of(condition),
            "primitives": condition.task.primitives,
            "title": condition.task.title,
            "instruction": condition.task.instruction,
            "difficulty": condition.task.difficulty,
            "expected_steps": condition.task.expected_steps,
            "seed": study.seed,
        }


def participation_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `participations`: codes, never people."""
    participations = study.participations.select_related("consent").order_by("code")
    if choice.people:
        participations = participations.filter(code__in=choice.people)
    for participation in participations.iterator(1000):
        yield {
            "code": participation.code,
            "tier": participation.tier,
            "exclusions": participation.exclusions,
            "consent_version": participation.consent.version if participation.consent else None,
        }


def amendment_rows(study: Study, let_out: LetOut = unnoted) -> Iterator[Row]:
    """The rows of `amendments`, whatever was chosen: what changed after the study was frozen. Who changed it stays in the house,
    and so does why, until that was cleared."""
    cleared = cleared_texts(study, "amendment")
    for amendment in study.amendments.order_by("number").iterator(1000):
        if amendment.pk in cleared:
            let_out("amendment", amendment.pk, "amendments")
        yield {
            "number": amendment.number,
            "at": amendment.at.isoformat(),
            "kind": amendment.kind,
            "subject": amendment.subject,
            "reason": cleared.get(amendment.pk),
            "before": None if amendment.before is None else compact(amendment.before),
            "after": None if amendment.after is None else compact(amendment.after),
        }


def reference_rows(study: Study, choice: Choice = ALL, let_out: LetOut = unnoted) -> Iterator[Row]:
    """The rows of `references`: the current choice of each task-condition that has one, with a lead's reason where that was cleared."""
    cleared = cleared_texts(study, "overruled")
    chosen = Reference.objects.filter(task_condition__study=study, is_current=True, attempt__isnull=False)
    order = ("task_condition__task__environment__slug", "task_condition__task__slug", "task_condition__condition")
    if choice != ALL:  # without a choice, a reference that does not count is a fault and shall be seen
        chosen = chosen.filter(choice.within("attempt__round__"))
    named = {pk for one, others in chosen.values_list("attempt", "runners_up") for pk in (one, *others)}
    names = {attempt.pk: attempt_id(attempt) for attempt in counted(study, choice).filter(pk__in=named).iterator(200)}
    for reference in chosen.select_related("task_condition__task__environment").order_by(*order).iterator(1000):
        condition = reference.task_condition
        if reference.pk in cleared:
            let_out("overruled", reference.pk, "references")
        yield {
            "environment": condition.task.environment.slug,
            "task": condition.task.slug,
            "condition": condition.condition,
            "attempt_id": names[reference.attempt_id or 0],
            "policy": reference.policy,
            "overruled": reference.overruled,
            "reason": cleared.get(reference.pk) if reference.overruled else reference.reason,
            "runners_up": [names[pk] for pk in reference.runners_up if pk in names],
        }


def faulty_rows(study: Study) -> list[Row]:
    """The manifest's list of tasks that a review found faulty."""
    return [{"environment": task.environment.slug, "task": task.slug} for task in faulty_tasks(study)]
