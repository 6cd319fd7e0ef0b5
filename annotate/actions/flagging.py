"""Raising and lifting flags, and putting flagged rounds into the review queue. Everything here can run twice."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from annotate.actions import references
from annotate.flags import limits_of
from annotate.flags.facts import Facts
from annotate.flags.registry import Occasion, Rule, rules_for
from annotate.models import Assignment, Attempt, Flag, ReviewItem, Round
from annotate.stages import stages_of

LOADED = (
    "participation__study",
    "assignment__task_condition__task",
    "assignment__task_condition__variant",
)


def raise_flags(attempt_id: int) -> None:
    """Run every rule over an evaluated attempt, and those that compare over what others did on the task."""
    attempt = load(attempt_id)
    look_again(attempt.round, "evaluated", [attempt])
    if attempt.round.state != "complete":
        return
    for own in attempt.round.attempts.all():
        for other in Facts(attempt.round, own).others().values_list("pk", flat=True):
            found = load(other)
            look_again(found.round, "others", [found])


def load(attempt_id: int) -> Attempt:
    """An attempt with what rules read of it."""
    paths = [f"round__{path}" for path in LOADED]
    return Attempt.objects.select_related("recording", *paths).get(pk=attempt_id)


def flag_round(round_id: int, occasion: Occasion) -> None:
    """Ask the rules anew that the occasion concerns: a rating, a replay that ended, a lead's judgement."""
    round_ = Round.objects.select_related(*LOADED).get(pk=round_id)
    look_again(round_, occasion, list(round_.attempts.select_related("recording")))


def look_again(round_: Round, occasion: Occasion, attempts: list[Attempt]) -> None:
    """Raise what holds, lift what no longer does; then the queue and the references are told."""
    options = round_.participation.study.options
    changed = False
    for rule in rules_for(occasion):
        for attempt in attempts if rule.subject == "attempt" else [None]:
            if attempt is None or attempt.evaluated_at is not None:
                changed |= put(round_, attempt, rule, reason_of(rule, Facts(round_, attempt), options))
    if enter(round_) or changed:
        references.settle_again(round_.assignment.task_condition_id)


def reason_of(rule: Rule, facts: Facts, options: dict[str, object]) -> str:
    """What the rule says of it in this study; "" where it is turned off."""
    limits = limits_of(rule, options)
    return "" if limits is None else rule.find(facts, limits)


def put(round_: Round, attempt: Attempt | None, rule: Rule, reason: str) -> bool:
    """Make the flag say this; True where one was raised or lifted. Numbers that change leave a flag as old as it was."""
    mine = Flag.objects.filter(round=round_, attempt=attempt, rule=rule.name)
    if not reason:
        return bool(mine.filter(lifted_at=None).update(lifted_at=timezone.now()))
    # The race: two workers with the same attempt. The database keeps one flag per rule; both give the same reason.
    _, made = Flag.objects.get_or_create(round=round_, attempt=attempt, rule=rule.name, defaults={"reason": reason})
    raised = mine.exclude(lifted_at=None).update(lifted_at=None, created_at=timezone.now(), reason=reason)
    mine.exclude(reason=reason).update(reason=reason)
    return bool(made or raised)


def enter(round_: Round) -> bool:
    """Put a complete round with flags into the queue (any, where the study reviews in stages), or open it again where a flag
    came after the decision; True where that changed."""
    if not round_.counts or round_.assignment.role == "practice":
        return False
    flags = Flag.objects.filter(round=round_, lifted_at=None)
    with transaction.atomic():
        last = round_.reviews.select_for_update().filter(is_current=True).first()
        new = flags.filter(created_at__gt=last.at) if last else flags
        stages = stages_of(round_.participation.study.options)
        if not new.exists() and (last or not stages):
            return False
        item, made = ReviewItem.objects.get_or_create(
            round=round_, defaults={"study_id": round_.participation.study_id, "stages": stages}
        )
        return made or bool(ReviewItem.objects.filter(pk=item.pk, state="decided").update(state="open"))


def leave(assignment: Assignment) -> None:
    """Take rounds of the assignment that no longer count off the queue; what was decided on them stays."""
    ReviewItem.objects.filter(round__assignment=assignment, state="open").exclude(round__set_aside="").delete()


def flag_study(study_id: int) -> int:
    """Ask every rule about every evaluated attempt of the study, as after a change of thresholds; returns how many."""
    evaluated = Attempt.objects.filter(round__participation__study=study_id, evaluated_at__isnull=False)
    attempts = list(evaluated.order_by("pk").values_list("pk", flat=True))
    for pk in attempts:
        attempt = load(pk)
        look_again(attempt.round, "evaluated", [attempt])
    rated = Round.objects.filter(participation__study=study_id, ratings__isnull=False).distinct()
    for pk in rated.order_by("pk").values_list("pk", flat=True):
        flag_round(pk, "rating")
    return len(attempts)
