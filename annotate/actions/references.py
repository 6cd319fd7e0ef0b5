"""Choosing references: by the study's policy whenever something changes, and by a lead who overrules it."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotate import queries, references
from annotate.actions import audit
from annotate.counting import LEFT_OUT, left_out
from annotate.errors import BadInput
from annotate.models import Attempt, Flag, Person, Reference, Replay, Review, ReviewItem, Study, TaskCondition
from annotate.references import Candidate, Choice


def attempts_of(condition_ids: Iterable[int]) -> QuerySet[Attempt]:
    """Attempts of the counted rounds of task-conditions, each with its newest finished replay's outcome, whether it is flagged,
    what a review decided of its round, and why figures leave it out, if they do."""
    newest = Replay.objects.filter(attempt=OuterRef("pk"), state="done").order_by("-number")
    flags = Flag.objects.filter(lifted_at=None)
    flagged = flags.filter(attempt=OuterRef("pk")) | flags.filter(round=OuterRef("round"), attempt__isnull=True)
    standing = Review.objects.filter(round=OuterRef("round"), is_current=True)
    unread = ReviewItem.objects.filter(round=OuterRef("round"), state="open")
    return (
        Attempt.objects.filter(queries.counted("round__"), round__assignment__task_condition__in=list(condition_ids))
        .select_related("round__assignment", "round__participation")
        .annotate(
            replayed=Subquery(newest.values("outcome")[:1]),
            flagged=Exists(flagged),
            decision=Subquery(standing.values("decision")[:1]),
            unread=Exists(unread),
            in_stages=Exists(unread.exclude(stages=[])),
            left_out=left_out("round__"),
        )
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
        accepted=is_accepted(attempt),
        steps=attempt.steps,
        wall_ms=attempt.wall_ms,
        left_out=LEFT_OUT.get(attempt.left_out, ""),  # type: ignore[attr-defined]
    )


def is_accepted(attempt: Attempt) -> bool:
    """True where no flag holds, or a review accepted the round and none was raised since; a returned one is not, nor one that
    still has stages of review before it."""
    decision, flagged, unread = attempt.decision, attempt.flagged, attempt.unread  # type: ignore[attr-defined]
    if decision == "return" or attempt.in_stages:  # type: ignore[attr-defined]
        return False
    return not flagged or (decision in ("accept", "accept_alternate") and not unread)


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


def settle_again(condition_id: int) -> None:
    """Choose anew where something has been chosen before; what was never chosen waits for its first replay to end."""
    if Reference.objects.filter(task_condition=condition_id).exists():
        settle(condition_id)


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
        raise BadInput(
            "Say why this attempt stands for the task; the reason is kept, and exported once it was cleared for release.",
            "reason",
        )
    listed = {one.attempt: one for one in candidates(condition)}
    if attempt_id not in listed:
        raise BadInput("This attempt does not belong to the task under this condition.", "attempt")
    if why := references.refusal(listed[attempt_id]):
        raise BadInput(f"This attempt can't be a reference: {why}.", "attempt")
    current = condition.references.filter(is_current=True).first()
    others = [one for one in ([current.attempt_id] if current else []) if one not in (None, attempt_id)]
    condition.references.filter(is_current=True).update(is_current=False)
    note(condition, person, "overrule reference", current, listed[attempt_id], reason)
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
def follow_policy(condition: TaskCondition, person: Person) -> Reference | None:
    """Take an overruled choice back: the policy decides again."""
    current = condition.references.filter(is_current=True, overruled=True).first()
    if current is not None:
        condition.references.filter(pk=current.pk).update(is_current=False)
        note(condition, person, "follow reference policy", current, None, "")
    return settle(condition.pk)


def note(
    condition: TaskCondition, person: Person, act: str, before: Reference | None, after: Candidate | None, why: str
) -> None:
    """Write into the audit log which attempt stood for the task-condition, and which does now."""
    subject = f"{condition.task.slug}, {condition.condition}"
    was = {"attempt": before.attempt_id, "reason": before.reason} if before else None
    now = {"attempt": after.attempt, "kind": after.kind, "code": after.code} if after else None
    audit.note(condition.study, person, act, subject, why=why, before=was, after=now)


@transaction.atomic
def choose_by(study: Study, name: str, person: Person) -> int:
    """Choose by another policy from now on; what a lead overruled stays. Returns how many have a reference. Raises BadInput."""
    if name not in references.POLICIES:
        known = ", ".join(references.POLICIES)
        raise BadInput(f"There is no policy {name[:40]!r}; there are: {known}.", "policy")
    study = Study.objects.select_for_update().get(pk=study.pk)
    before = references.policy_of(study.options).name
    study.options = study.options | {"reference_policy": name}
    Study.objects.filter(pk=study.pk).update(options=study.options)
    count = settle_study(study)
    after = {"policy": name, "with_reference": count}
    audit.note(study, person, "choose reference policy", "study", before={"policy": before}, after=after)
    return count
