"""The review queue of a study: its items by filters that live in the address, and which item comes next.

An item is a complete round, for decisions are on rounds; it enters with its first flag and leaves with a decision.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from annotate.actions.reviews import free_for
from annotate.counting import faulty_tasks
from annotate.errors import BadInput
from annotate.models import Attempt, Flag, Person, Review, ReviewItem, Study
from annotate.stages import not_seen_by
from tasks_admin.viewer.page import Blind

PAGE = 50
STATES = ("open", "claimed", "decided", *Review.Decision.values)
FIELDS = {
    "environment": "round__assignment__task_condition__task__environment__slug",
    "condition": "round__assignment__task_condition__condition",
    "person": "round__participation__code",
}
NAMES = ("state", "rule", *FIELDS)


def blind_of(study: Study) -> Blind:
    """What the study hides from reviewers."""
    return Blind(bool(study.options.get("review_hide_code")), bool(study.options.get("review_hide_condition")))


def chosen_of(query: Mapping[str, str], blind: Blind) -> dict[str, str]:
    """The filters that an address names; the state is `open` where it says nothing. What is hidden can't be asked for."""
    hidden = {name for name, is_hidden in (("person", blind.code), ("condition", blind.condition)) if is_hidden}
    chosen = {name: query[name] for name in NAMES if query.get(name) and name not in hidden}
    if any("\x00" in value for value in chosen.values()):
        raise BadInput("A filter holds a character that no text can hold.")
    return {"state": "open"} | chosen


def items(study: Study, chosen: Mapping[str, str]) -> QuerySet[ReviewItem]:
    """The items that fit, oldest first. Raises nothing: an unknown value fits none."""
    found = ReviewItem.objects.filter(study=study).filter(in_state(study, chosen["state"]))
    if rule := chosen.get("rule"):
        found = found.filter(Exists(Flag.objects.filter(round=OuterRef("round"), rule=rule, lifted_at=None)))
    return found.filter(**{FIELDS[name]: value for name, value in chosen.items() if name in FIELDS}).order_by("pk")


def in_state(study: Study, state: str) -> Q:
    """Open ones leave out what a faulty task has settled; a decision's name means items whose standing decision it is."""
    if state == "all":
        return Q()
    if state == "decided":
        return Q(state="decided")
    if state in Review.Decision.values:
        standing = Review.objects.filter(round=OuterRef("round"), is_current=True, decision=state)
        return Q(Exists(standing))
    faulty = list(faulty_tasks(study).values_list("pk", flat=True))
    waiting = Q(state="open") & (~Q(round__assignment__task_condition__task__in=faulty) if faulty else Q())
    if state == "claimed":
        return waiting & Q(claimed_until__gt=timezone.now())
    return waiting if state == "open" else Q(pk=None)


def listed(found: QuerySet[ReviewItem]) -> QuerySet[ReviewItem]:
    """Items with what the list shows of each, in a fixed number of queries."""
    flags = Flag.objects.filter(lifted_at=None)
    return found.select_related(
        "claimed_by",
        "round__participation",
        "round__assignment__task_condition__task__environment",
    ).prefetch_related(
        Prefetch("round__flags", queryset=flags),
        Prefetch("round__attempts", queryset=Attempt.objects.defer("backend_record", "proof", "verdict")),
        Prefetch("round__reviews", queryset=Review.objects.filter(is_current=True)),
    )


def next_after(item: ReviewItem, person: Person, chosen: Mapping[str, str]) -> ReviewItem | None:
    """The next open item that fits and that nobody else holds; from the top again after the last."""
    fitting = items(item.study, {**chosen, "state": "open"}).filter(free_for(person), not_seen_by(person), state="open")
    waiting = fitting.exclude(pk=item.pk).exclude(round__person=person)
    return waiting.filter(pk__gt=item.pk).first() or waiting.first()


def standing(study: Study) -> dict[str, int]:
    """How many items wait, how many of those another lead holds now, and how many are decided."""
    return ReviewItem.objects.filter(study=study).aggregate(
        waiting=Count("pk", filter=Q(state="open")),
        held=Count("pk", filter=Q(state="open", claimed_until__gt=timezone.now())),
        decided=Count("pk", filter=Q(state="decided")),
    )
