"""What holds of rounds and assignments at every moment, whatever was clicked, closed, crashed or returned."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from annotate.models import Assignment, Attempt, Participation, Rating, Reference, Round, Study


def broken(study: Study) -> list[str]:
    """Every sentence below that does not hold of the study; none where all is well."""
    found: list[str] = []
    for assignment in Assignment.objects.filter(participation__study=study).order_by("pk"):
        rounds = list(assignment.rounds.order_by("number"))
        found += [f"assignment {assignment.pk}: {fault}" for fault in _of_assignment(assignment, rounds)]
        for round_ in rounds:
            found += [f"round {round_.pk}: {fault}" for fault in _of_round(round_)]
    return [*found, *_of_study(study)]


def _of_assignment(assignment: Assignment, rounds: list[Round]) -> Iterator[str]:
    open_ = [one for one in rounds if one.ended_at is None]
    counted = [one for one in rounds if one.counts]
    complete = [one for one in rounds if one.state == "complete" and one.set_aside in ("", "superseded")]
    if len(open_) != (assignment.state == "in_round"):
        yield f"{assignment.state} with {len(open_)} open rounds"
    if len(counted) > 1:
        yield "two of its rounds count"
    if assignment.state == "complete" and not counted:
        yield "complete, and no round counts"
    if counted and counted[0] != complete[-1]:
        yield "an earlier round counts than the newest complete one"
    if counted and assignment.state != "complete" and not assignment.is_returned:
        yield f"{assignment.state}, but a round counts that nobody returned"
    if [one.number for one in rounds] != list(range(1, len(rounds) + 1)):
        yield "its rounds are not numbered from 1 without gaps"
    yield from _chain(assignment.transitions.filter(round=None).order_by("pk"), "not_started", assignment.state)


def _of_round(round_: Round) -> Iterator[str]:
    attempts = {attempt.kind: attempt for attempt in round_.attempts.all()}
    yield from _chain(round_.transitions.order_by("pk"), "preparing", round_.state)
    if round_.consent_id is None:
        yield "opened without a consent version"
    if "cold" not in attempts:
        yield "without a cold attempt"
        return
    if "warm" in attempts and attempts["cold"].evaluated_at is None:
        yield "warm without an evaluated cold attempt"
    evaluated = [kind for kind, attempt in attempts.items() if attempt.evaluated_at]
    if round_.state == "complete" and round_.set_aside != "removed" and len(evaluated) < 2:
        yield "complete without both verdicts"
    for attempt in attempts.values():
        yield from _of_attempt(attempt)


def _of_attempt(attempt: Attempt) -> Iterator[str]:
    instants = [attempt.prepared_at, attempt.started_at, attempt.evaluate_at, attempt.evaluated_at]
    known = [instant for instant in instants if instant]
    if instants[: len(known)] != known:
        yield f"{attempt.kind}: an instant is missing before a later one"
    if any(after < before for before, after in pairwise(known)):
        yield f"{attempt.kind}: its instants are not in order"


def _chain(moves: object, first: str, last: str) -> Iterator[str]:
    state = first
    for move in moves:  # type: ignore[attr-defined]
        if move.source != state:
            yield f"moved from {move.source}, but it was {state}"
        state = move.target
    if state != last:
        yield f"is {last}, but its moves lead to {state}"


def _of_study(study: Study) -> Iterator[str]:
    for participation in Participation.objects.filter(study=study):
        if participation.rounds.filter(state__in=Round.OPEN).count() > 1:
            yield f"{participation.code} has two open rounds"
    if Rating.objects.filter(round__participation__study=study).exclude(round__state="complete").exists():
        yield "a round is rated that is not complete"
    current = Reference.objects.filter(task_condition__study=study, is_current=True, attempt__isnull=False)
    if any(not reference.attempt.round.counts for reference in current if reference.attempt):
        yield "a reference does not count"
