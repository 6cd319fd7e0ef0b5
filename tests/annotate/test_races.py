"""Two real connections at once: one wins, the other is told, nothing is done twice."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection

from annotate.actions import rounds
from annotate.errors import MovedOn
from annotate.models import Round
from recorder.errors import FootpathError
from tests.annotate.test_rounds import do_attempt, ready
from tests.cast import Cast


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run the acts at the same moment, each on a connection of its own; their results or errors."""
    barrier, results = Barrier(len(acts)), [None] * len(acts)

    def run(place: int, act: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            results[place] = act()
        except FootpathError as error:
            results[place] = error
        finally:
            connection.close()

    threads = [Thread(target=run, args=(place, act)) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_two_starts(cast: Cast) -> None:
    assignment = cast.assignment(cast.ann)
    first, second = at_once(*[lambda: rounds.open_round(cast.ann, cast.assignment(cast.ann))] * 2)
    assert first.pk == second.pk
    assert Round.objects.filter(assignment=assignment).count() == 1


@pytest.mark.parametrize("rival", ["abandon", "roll_back"])
def test_evaluate_against_an_early_end(cast: Cast, rival: str) -> None:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    rounds.press_evaluate(cast.fresh(round_))
    end = {
        "abandon": lambda: rounds.abandon(cast.fresh(round_), cast.ann, "stop"),
        "roll_back": lambda: rounds.roll_back(cast.fresh(round_), "control_tab_closed"),
    }[rival]
    at_once(cast.work.run, end)
    cast.work.run()
    round_ = cast.fresh(round_)
    moves = [move.target for move in round_.transitions.all()]
    assert moves.count("between") <= 1
    assert len([move for move in moves if move in ("abandoned", "rolled_back")]) == 1
    assert round_.assignment.state == "not_started"


def test_two_early_ends(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    one, two = cast.fresh(round_), cast.fresh(round_)
    results = at_once(
        lambda: rounds.abandon(one, cast.ann, "stop"), lambda: rounds.roll_back(two, "control_tab_closed")
    )
    assert sorted(isinstance(result, MovedOn) for result in results) == [False, True]


def test_two_workers_score_once(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    rounds.press_evaluate(cast.fresh(round_))
    rounds.press_evaluate(cast.fresh(round_))
    queued, cast.work.queue = list(cast.work.queue), []
    assert len(queued) == 2
    at_once(*[lambda name=name, pk=pk: type(cast.work)([(name, pk)]).run() for name, pk in queued])
    assert cast.toy.calls.count("evaluate") == 1


def test_two_saves_of_a_rating(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")
    rounds.begin_warm(cast.fresh(round_))
    cast.work.run()
    do_attempt(cast, round_, "warm")
    one, two = cast.fresh(round_), cast.fresh(round_)
    at_once(lambda: rounds.rate(one, {"clarity": 5}, ""), lambda: rounds.rate(two, {"clarity": 5}, ""))
    assert round_.ratings.count() == 1
