"""Choosing references: by the study's policy whenever something changes, and by a lead who overrules it."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotate import queries, references
from annotate.errors import BadInput
from annotate.models import Attempt, Flag, Person, Reference, Replay, Study, TaskCondition
from annotate.references import Candidate, Choice


def attempts_of(condition_ids: Iterable[int]) -> QuerySet[Attempt]:
    """Attempts of the counted rounds of task-conditions, each with its newest finished replay's outcome and whether it is flagged."""
    newest = Replay.objects.filter(attempt=OuterRef("pk"), state="done").order_by("-number")
    flagged = Flag.objects.filter(attempt=OuterRef("pk")) | Flag.objects.filter(
        round=OuterRef("round"), attempt__isnull=True
    )
    return (
        Attempt.objects.filter(queries.counted("round__"), round__assignment__task_condition__in=list(condition_ids))
        .select_related("round__assignment", "round__participation")
        .annotate(replayed=Subquery(newest.values("outcome")[:1]), flagged=Exists(flagged))
        .order_by("pk")
    )


def candidate(attempt: Attempt) -> Candidate:
    """An attempt of `attempts_of` as policies see it.

    What no rule flagged needs no review; what is flagged counts once a review has accepted it.
    """
    return Candidate(
        attempt=attempt.pk,
        kind=attempt.kind,
        role=attempt.round.assignment.role,
        code=attempt.round.participation.code,
        passed=bool(attempt.passed),
        proof_complete=bool(attempt.proof_complete),
        verified=attempt.replayed == "verified",  # type: ignore[attr-defined]
        accepted=not attempt.flagged,  # type: ignore[attr-defined]
        steps=attempt.steps,
        wall_ms=attempt.wall_ms,
    )


def candidates(condition: TaskCondition) -> list[Candidate]:
    """Every attempt of the task-condition's complete rounds."""
    return [candidate(attempt) for attempt in attempts_of([condition.pk])]


@transaction.atomic
def settle(condition_id: int) -> Reference | None:
    """Choose anew. An overruled choice stays as long as it may be chosen at all; a row is added only where something changed."""
    condition = TaskCondition.objects.select_for_update().get(pk=condition_id)  # the race: two replays that end at once
    policy = references.policy_of(Study.objects.get(pk=condition.study_id).options)
    listed = candidates(condition)
    current = condition.references.filter(is_current=True).first()
    if current and current.overruled and may_stay(current, listed):
        return current
    return put(condition, current, policy.name, references.choose(policy, listed))


def may_stay(current: Reference, listed: list[Candidate]) -> bool:
    return any(one.attempt == current.attempt_id and not references.refusal(one) for one in listed)


def put(condition: TaskCondition, current: Reference | None, policy: str, choice: Choice) -> Reference | None:
    """Make a choice the current one, unless it is."""
    now = (policy, choice.attempt, choice.reason, choice.runners_up)
    if current and not current.overruled:
        if now == (current.policy, current.attempt_id, current.reason, current.runners_up):
            return current
    elif current is None and not choice.refused and choice.attempt is None:
        return None  # nobody has done it yet
    condition.references.filter(is_current=True).update(is_current=False)
    return Reference.objects.create(
        task_condition=condition,
        attempt_id=choice.attempt,
        policy=policy,
        reason=choice.reason,
        runners_up=choice.runners_up,
    )


def settle_study(study: Study) -> int:
    """Choose anew for every task-condition of the study; how many have a reference."""
    conditions = list(study.task_conditions.order_by("pk").values_list("pk", flat=True))
    return sum(bool(found and found.attempt_id) for found in map(settle, conditions))


@transaction.atomic
def overrule(condition: TaskCondition, attempt_id: int, reason: str, person: Person) -> Reference:
    """Have another attempt stand for the task-condition. Raises BadInput without a reason or where it may not be chosen."""
    condition = TaskCondition.objects.select_for_update().get(pk=condition.pk)
    reason = reason.strip()
    if not reason:
        raise BadInput("Say why this attempt stands for the task; the reason is kept and exported.", "reason")
    listed = {one.attempt: one for one in candidates(condition)}
    if attempt_id not in listed:
        raise BadInput("This attempt does not belong to the task under this condition.", "attempt")
    if why := references.refusal(listed[attempt_id]):
        raise BadInput(f"This attempt can't be a reference: {why}.", "attempt")
    current = condition.references.filter(is_current=True).first()
    others = [one for one in ([current.attempt_id] if current else []) if one not in (None, attempt_id)]
    condition.references.filter(is_current=True).update(is_current=False)
    return Reference.objects.create(
        task_condition=condition,
        attempt_id=attempt_id,
        policy=references.policy_of(condition.study.options).name,
        reason=reason[:2000],
        runners_up=others,
        overruled=True,
        overruled_by=person,
    )


@transaction.atomic
def follow_policy(condition: TaskCondition) -> Reference | None:
    """Take an overruled choice back: the policy decides again."""
    condition.references.filter(is_current=True, overruled=True).update(is_current=False)
    return settle(condition.pk)
