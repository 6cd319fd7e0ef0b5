"""The allowed moves of rounds and assignments, and the one way to make a move.

A move is a conditional write ("… where state = the one we saw") plus a transition row in the same transaction, so that of two
movers at once one wins and the other is told.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate import news
from annotate.errors import MovedOn
from annotate.models import Assignment, Person, Round, Transition

ENDED = ("complete", "rolled_back", "abandoned", "void")
_EARLY = {"rolled_back", "abandoned", "void"}
ROUND_MOVES: dict[str, set[str]] = {
    "preparing": {"cold"} | _EARLY,
    "cold": {"between"} | _EARLY,
    "between": {"warm"} | _EARLY,
    "warm": {"complete"} | _EARLY,
}
ASSIGNMENT_MOVES: dict[str, set[str]] = {
    "not_started": {"in_round", "withdrawn"},
    "in_round": {"complete", "not_started"},
    "complete": {"not_started", "withdrawn"},  # back only when a lead returns it
}


def move_round(round_: Round, target: str, *, actor: Person | None, why: str = "", **fields: Any) -> None:
    """Move `round_` from the state it was loaded with to `target`. Raises MovedOn if it is no longer there."""
    if target not in ROUND_MOVES.get(round_.state, set()):
        raise MovedOn("round", target)
    if target in ENDED:
        fields["ended_at"] = timezone.now()
    with transaction.atomic():
        # The race: Evaluate, a closed tab and a lead may all move one round; the state in the filter lets one of them win.
        if not Round.objects.filter(pk=round_.pk, state=round_.state).update(state=target, **fields):
            raise MovedOn("round", target)
        _note(round_.assignment_id, round_.pk, round_.state, target, actor, why)
    round_.state = target
    for name, value in fields.items():
        setattr(round_, name, value)
    news.round_changed(round_.pk)


def move_assignment(assignment: Assignment, target: str, *, actor: Person | None, why: str = "") -> None:
    """Move `assignment` from the state it was loaded with to `target`. Raises MovedOn if it is no longer there."""
    if target not in ASSIGNMENT_MOVES.get(assignment.state, set()):
        raise MovedOn("assignment", target)
    with transaction.atomic():
        fields = {"state": target} | _returned(assignment.state, target)
        if not Assignment.objects.filter(pk=assignment.pk, state=assignment.state).update(**fields):
            raise MovedOn("assignment", target)
        _note(assignment.pk, None, assignment.state, target, actor, why)
    assignment.state = target


def _returned(source: str, target: str) -> dict[str, Any]:
    """How a move changes `is_returned`: set when a complete one is given back, kept until it is complete again or withdrawn."""
    if (source, target) == ("complete", "not_started"):
        return {"is_returned": True}
    return {"is_returned": False} if target in ("complete", "withdrawn") else {}


def _note(assignment_id: int, round_id: int | None, source: str, target: str, actor: Person | None, why: str) -> None:
    Transition.objects.create(
        assignment_id=assignment_id, round_id=round_id, source=source, target=target, actor=actor, why=why[:200]
    )
