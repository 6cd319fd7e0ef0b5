"""Every pair of moves that compete for a round or an assignment, on two connections of which one waits for the other's lock."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations_with_replacement
from threading import Event, Thread

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotate.errors import MovedOn
from annotate.models import Assignment, Round, Transition
from annotate.states import ASSIGNMENT_MOVES, ENDED, ROUND_MOVES, move_assignment, move_round
from tests.cast import Cast

Move = Callable[[], None]


def contest(first: Move, second: Move) -> list[str]:
    """`first` moves and keeps its transaction open until `second` waits for it; who was told that it has "moved on"."""
    moved, told = Event(), []

    def holder() -> None:
        with transaction.atomic():
            first()
            moved.set()
            wait_for_a_waiter()
        connection.close()

    def waiter() -> None:
        moved.wait(10)
        try:
            second()
        except MovedOn:
            told.append("second")
        connection.close()

    threads = [Thread(target=holder), Thread(target=waiter)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def wait_for_a_waiter() -> None:
    deadline = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
            time.sleep(0.005)
    raise AssertionError("nobody waited for the lock")


@pytest.mark.parametrize("source", sorted(ROUND_MOVES))
def test_of_two_moves_of_a_round_the_first_wins_and_the_second_is_told(cast: Cast, source: str) -> None:
    assignment = cast.assignment(cast.ann)
    for number, pair in enumerate(combinations_with_replacement(sorted(ROUND_MOVES[source]), 2), start=1):
        made = Round.objects.create(
            assignment=assignment,
            participation=assignment.participation,
            person=cast.ann,
            number=number,
            state=source,
            control_seen_at=timezone.now(),
        )
        first, second = (round_move(made.pk, target) for target in pair)
        assert contest(first, second) == ["second"], pair
        made.refresh_from_db()
        assert made.state == pair[0]
        assert (made.ended_at is not None) is (pair[0] in ENDED)
        assert list(made.transitions.values_list("source", "target")) == [(source, pair[0])], pair
        Round.objects.filter(pk=made.pk).update(state="void", ended_at=timezone.now())  # the next one needs the place


def round_move(pk: int, target: str) -> Move:
    seen = Round.objects.get(pk=pk)  # as it is before either moves
    return lambda: move_round(seen, target, actor=None)


@pytest.mark.parametrize("source", sorted(ASSIGNMENT_MOVES))
def test_of_two_moves_of_an_assignment_the_first_wins_and_the_second_is_told(cast: Cast, source: str) -> None:
    made = cast.assignment(cast.ann)
    for pair in combinations_with_replacement(sorted(ASSIGNMENT_MOVES[source]), 2):
        Transition.objects.all().delete()
        Assignment.objects.filter(pk=made.pk).update(state=source, is_returned=False)
        first, second = (assignment_move(made.pk, target) for target in pair)
        assert contest(first, second) == ["second"], pair
        made.refresh_from_db()
        assert made.state == pair[0]
        assert made.is_returned is (source == "complete" and pair[0] == "not_started")
        assert list(made.transitions.values_list("source", "target")) == [(source, pair[0])], pair


def assignment_move(pk: int, target: str) -> Move:
    seen = Assignment.objects.get(pk=pk)
    return lambda: move_assignment(seen, target, actor=None)


@pytest.mark.parametrize("state", [*Round.State.values, "no such state"])
def test_what_is_no_move_is_refused_from_every_state(cast: Cast, state: str) -> None:
    for target in Round.State.values:
        if target not in ROUND_MOVES.get(state, set()):
            with pytest.raises(MovedOn):
                move_round(Round(pk=1, state=state, assignment_id=1), target, actor=None)
