"""Claims on the review queue, and what leads decide. A decision is a new row; it never changes what was recorded."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.actions import audit, references
from annotate.actions.assignments import return_assignment
from annotate.errors import BadInput, NotYet
from annotate.models import Flag, Person, Review, ReviewItem, Round
from annotate.stages import ACCEPTS, not_seen_by
from recorder.errors import FootpathError
from recorder.wire import storable

CLAIM_LASTS = timedelta(minutes=10)
WORDS = {
    "accept": "accepted",
    "accept_alternate": "accepted as an alternate strategy",
    "return": "returned for a new round",
    "exclude": "excluded from figures",
    "task_faulty": "task called faulty",
}
ASKED_WHY = {
    "return": "Say what the annotator should do differently; they read it before the new round.",
    "exclude": "Say why figures leave this round out; the reason is kept.",
    "task_faulty": "Say what is wrong with the task; the reason is kept.",
}


class Claimed(FootpathError):
    """Another lead is at it."""

    def __init__(self, until: datetime) -> None:
        super().__init__(
            "claimed",
            409,
            f"Another lead is looking at this round until {until:%H:%M} UTC. Go on with the next one.",
            until=until.isoformat(),
        )


def free_for(person: Person) -> Q:
    """Items that nobody else holds at this moment."""
    return Q(claimed_by=None) | Q(claimed_by=person) | Q(claimed_until__lte=timezone.now())


def claim(item: ReviewItem, person: Person) -> datetime:
    """Hold the item for ten minutes, or hold it on; returns until when. Raises Claimed."""
    until = timezone.now() + CLAIM_LASTS
    may_take(item, person)
    # The race: two leads who open one item. The condition on the row lets one of them have it.
    if not ReviewItem.objects.filter(free_for(person), pk=item.pk).update(claimed_by=person, claimed_until=until):
        held = ReviewItem.objects.get(pk=item.pk)
        raise Claimed(held.claimed_until or until)
    return until


def release(item: ReviewItem, person: Person) -> None:
    """Let go of the item, if it is this person's."""
    ReviewItem.objects.filter(pk=item.pk, claimed_by=person).update(claimed_by=None, claimed_until=None)


def claim_next(items: QuerySet[ReviewItem], person: Person) -> ReviewItem | None:
    """The first of these open items that nobody else holds, claimed; None where there is none."""
    with transaction.atomic():
        # The race: two leads who press Next at once. A row that the other has locked is skipped, not waited for.
        free = items.filter(free_for(person), not_seen_by(person), state="open").exclude(round__person=person)
        first = free.select_for_update(skip_locked=True, of=("self",)).first()
        if first is not None:
            claim(first, person)
        return first


def decide(round_: Round, lead: Person, decision: str, reason: str = "") -> Review:
    """Decide on a complete round. Raises BadInput (unknown decision, no reason, one's own work), NotYet, Claimed, MovedOn."""
    reason = storable(reason.strip())
    check(round_, lead, decision, reason)
    with transaction.atomic():
        ReviewItem.objects.get_or_create(
            round=round_, defaults={"study_id": round_.participation.study_id, "state": "decided"}
        )
        item = ReviewItem.objects.select_for_update().get(round=round_)  # the race: two who decide at once
        may_take(item, lead)
        if item.claimed_by_id not in (None, lead.pk) and item.claimed_until and item.claimed_until > timezone.now():
            raise Claimed(item.claimed_until)
        before = round_.reviews.filter(is_current=True).first()
        left = stages_left(item, decision)
        made = put(round_, lead, decision, reason, item.stages[0] if item.stages else "")
        state = "open" if left else "decided"
        ReviewItem.objects.filter(pk=item.pk).update(state=state, stages=left, claimed_by=None, claimed_until=None)
        audit.note(
            round_.participation.study,
            lead,
            f"review: {decision.replace('_', ' ')}",
            subject_of(round_),
            why=reason,
            before={"decision": before.decision, "reason": before.reason} if before else None,
            after={"decision": made.decision, "flags": made.flags} | ({"stage": made.stage} if made.stage else {}),
        )
        if decision == "return":
            return_assignment(round_.assignment, lead, reason)
        settle_again(round_, whole_task="task_faulty" in (decision, before.decision if before else ""))
    return made


def check(round_: Round, lead: Person, decision: str, reason: str) -> None:
    """Refuse what cannot be decided."""
    if decision not in Review.Decision.values:
        raise BadInput(f"There is no decision {decision[:40]!r}; there are: {', '.join(WORDS)}.", "decision")
    if round_.state != "complete":
        raise NotYet("not_complete", "A round can be decided on once it is complete; this one is not.")
    if round_.set_aside:
        raise NotYet("set_aside", "This round no longer counts: a later round took its place, or it was withdrawn.")
    if round_.person_id == lead.pk:
        raise BadInput("This is your own work; somebody else decides on it.", "lead")
    if decision in ASKED_WHY and not reason:
        raise BadInput(ASKED_WHY[decision], "reason")


def may_take(item: ReviewItem, lead: Person) -> None:
    """Raises BadInput where the lead decided in an earlier stage."""
    if item.stages and item.round.reviews.filter(lead=lead).exclude(stage="").exists():
        raise BadInput("You decided on this round in an earlier stage; somebody else looks at it now.", "lead")


def stages_left(item: ReviewItem, decision: str) -> list[str]:
    """The stages after this decision: accepting leads to the next one, anything else ends the review."""
    return list(item.stages[1:]) if decision in ACCEPTS else []


def put(round_: Round, lead: Person, decision: str, reason: str, stage: str) -> Review:
    """Make this the current decision; the one before stays."""
    round_.reviews.filter(is_current=True).update(is_current=False)
    return Review.objects.create(
        study_id=round_.participation.study_id,
        round=round_,
        lead=lead,
        decision=decision,
        reason=reason,
        stage=stage,
        flags=open_flags(round_),
    )


def open_flags(round_: Round) -> list[dict[str, Any]]:
    """The flags that hold now, as a decision keeps them."""
    flags = Flag.objects.filter(round=round_, lifted_at=None).select_related("attempt")
    return [
        {"rule": flag.rule, "attempt": flag.attempt.kind if flag.attempt else None, "reason": flag.reason}
        for flag in flags
    ]


def subject_of(round_: Round) -> str:
    """A round as the audit log names it."""
    condition = round_.assignment.task_condition
    return f"round {round_.number} of {round_.participation.code} on {condition.task.slug}, {condition.condition}"


def settle_again(round_: Round, *, whole_task: bool) -> None:
    """Choose references anew where the decision may matter."""
    condition = round_.assignment.task_condition
    touched = condition.study.task_conditions.filter(task=condition.task_id) if whole_task else [condition]
    for one in touched:
        references.settle_again(one.pk)
