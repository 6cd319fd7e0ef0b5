"""A time limit: shown from the server's clock, and an attempt whose time is up is evaluated by itself, once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate import sweeps
from annotate.actions import rounds, time_limit
from annotate.control import snapshot
from annotate.models import Attempt, Round, Study
from tests.annotate.test_races import at_once
from tests.annotate.test_rounds import ready
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def started(cast: Cast, limit: int | None = 60, ago: float = 0) -> Round:
    """A cold attempt in a study with that limit, begun so many seconds ago."""
    Study.objects.filter(pk=cast.study.pk).update(options=cast.study.options | {"time_limit_seconds": limit})
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    Attempt.objects.update(started_at=timezone.now() - timedelta(seconds=ago))
    return cast.fresh(round_)


def test_what_is_left_is_counted_by_the_server(cast: Cast) -> None:
    round_ = started(cast, 60, ago=20)
    left = snapshot(round_, "x")["attempt"]["left_ms"]
    assert 38_000 < left <= 40_000
    assert sweeps.end_due_attempts() == []
    rounds.press_evaluate(round_)
    assert snapshot(cast.fresh(round_), "x")["attempt"]["left_ms"] is None


def test_without_a_limit_nothing_is_counted_or_ended(cast: Cast) -> None:
    round_ = started(cast, None, ago=100_000)
    assert snapshot(round_, "x")["attempt"]["left_ms"] is None
    assert sweeps.end_due_attempts() == []


def test_time_that_is_up_evaluates_the_attempt_once(cast: Cast) -> None:
    round_ = started(cast, 60, ago=61)
    assert snapshot(round_, "x")["attempt"]["left_ms"] == 0
    assert sweeps.end_due_attempts() == [round_.pk]
    assert sweeps.end_due_attempts() == []
    cast.work.run()
    attempt = round_.attempts.get()
    assert (attempt.time_up, attempt.ended_itself, attempt.passed) == (True, False, True)
    assert 61_000 <= (attempt.wall_ms or 0) < 70_000
    told = snapshot(cast.fresh(round_), "x")
    assert (told["state"], told["verdicts"][0]["time_up"]) == ("between", True)


def test_what_nobody_said_counts_as_not_done(cast: Cast) -> None:
    round_ = started(cast, 60, ago=61)
    Attempt.objects.update(asks=True)
    assert time_limit.end_if_due(cast.fresh(round_))
    attempt = round_.attempts.get()
    assert (attempt.declared, attempt.time_up) == (None, True)
    rounds.press_evaluate(cast.fresh(round_))  # pressed again, as after a website that was down: nothing is asked
    cast.work.run()
    assert snapshot(cast.fresh(round_), "x")["verdicts"][0]["declared"] is False


def test_evaluate_pressed_at_the_last_moment(cast: Cast) -> None:
    round_ = started(cast, 60, ago=61)
    at_once(lambda: rounds.press_evaluate(cast.fresh(round_)), lambda: time_limit.end_if_due(cast.fresh(round_)))
    cast.work.run()
    assert cast.toy.calls.count("evaluate") == 1
    assert cast.fresh(round_).state == "between"


def test_abandoned_at_the_last_moment(cast: Cast) -> None:
    round_ = started(cast, 60, ago=61)
    at_once(lambda: rounds.abandon(cast.fresh(round_), cast.ann, "phone"), sweeps.end_due_attempts)
    cast.work.run()
    assert cast.fresh(round_).state == "abandoned"
