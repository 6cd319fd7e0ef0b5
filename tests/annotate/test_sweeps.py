"""Rounds that nobody tends: by the server's clock, with grace, and never because the server itself was away."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from annotate import sweeps
from annotate.actions import rounds
from annotate.models import Attempt, Presence, Round
from recorder.models import Document
from tests.annotate.test_rounds import attempt_of, do_attempt, ready, record
from tests.cast import Cast

LONG = timedelta(seconds=300)


def server_up(since: timedelta = timedelta(hours=1), seen: timedelta = timedelta(0)) -> None:
    now = timezone.now()
    Presence.objects.update_or_create(pk=1, defaults={"up_since": now - since, "seen_at": now - seen})


def away(round_: Round, *, control: timedelta | None = None, site: timedelta | None = None) -> None:
    """Move the last signs of life back."""
    if control is not None:
        Round.objects.filter(pk=round_.pk).update(control_seen_at=timezone.now() - control)
    if site is not None:
        Document.objects.filter(recording__attempt__round=round_).update(seen_at=timezone.now() - site)


def working(cast: Cast) -> Round:
    """A round in its cold attempt whose page was heard."""
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    recording = attempt_of(round_, "cold").recording
    assert recording is not None
    record(recording, "click")
    return cast.fresh(round_)


def test_both_tabs_there(cast: Cast) -> None:
    server_up()
    working(cast)
    assert sweeps.end_lost_rounds() == []


@pytest.mark.parametrize(("gone", "cause"), [("control", "control_tab_closed"), ("site", "environment_tab_closed")])
def test_a_closed_tab_rolls_back_after_the_grace_period(cast: Cast, gone: str, cause: str) -> None:
    server_up()
    round_ = working(cast)
    away(round_, **{gone: timedelta(seconds=60)})
    assert sweeps.end_lost_rounds() == []
    away(round_, **{gone: LONG})
    assert sweeps.end_lost_rounds() == [(round_.pk, cause)]
    assert sweeps.end_lost_rounds() == []
    round_ = cast.fresh(round_)
    assert (round_.state, round_.cause, round_.assignment.state) == ("rolled_back", cause, "not_started")


def test_a_site_that_never_opened_rolls_back(cast: Cast) -> None:
    server_up()
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    Attempt.objects.filter(round=round_).update(started_at=timezone.now() - LONG)
    assert sweeps.end_lost_rounds() == [(round_.pk, "environment_tab_closed")]


def test_between_the_attempts_only_the_control_tab_counts(cast: Cast) -> None:
    server_up()
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")
    away(round_, site=LONG)
    assert sweeps.end_lost_rounds() == []
    away(round_, control=LONG)
    assert sweeps.end_lost_rounds() == [(round_.pk, "control_tab_closed")]


def test_the_servers_own_absence_is_nobodys_fault(cast: Cast) -> None:
    round_ = working(cast)
    away(round_, control=LONG, site=LONG)
    server_up(seen=timedelta(seconds=60))  # it is away now
    assert sweeps.end_lost_rounds() == []
    server_up(since=timedelta(seconds=20))  # it has come back
    assert sweeps.end_lost_rounds() == []
    server_up(since=LONG)
    assert sweeps.end_lost_rounds() == [(round_.pk, "control_tab_closed")]


def test_an_evaluated_attempt_is_never_rolled_back_for_its_site(cast: Cast) -> None:
    server_up()
    round_ = working(cast)
    rounds.press_evaluate(round_)
    away(round_, site=LONG)
    assert sweeps.end_lost_rounds() == []


def test_beat_keeps_up_since_until_an_absence(cast: Cast) -> None:
    sweeps.beat()
    first: datetime = Presence.objects.get().up_since
    sweeps.beat()
    assert Presence.objects.get().up_since == first
    Presence.objects.update(seen_at=timezone.now() - LONG)
    sweeps.beat()
    assert Presence.objects.get().up_since > first


def test_work_a_stopped_worker_left_is_taken_up_again(cast: Cast) -> None:
    round_ = rounds.open_round(cast.ann, cast.assignment(cast.ann))
    attempt = attempt_of(round_, "cold")
    assert sweeps.stuck_attempts() == []
    Attempt.objects.filter(pk=attempt.pk).update(created_at=timezone.now() - LONG)
    assert sweeps.stuck_attempts() == [("prepare", attempt.pk)]
    cast.work.run()
    rounds.start_attempt(cast.fresh(round_), cast.ann)
    rounds.press_evaluate(cast.fresh(round_))
    Attempt.objects.filter(pk=attempt.pk).update(evaluate_at=timezone.now() - LONG)
    assert sweeps.stuck_attempts() == [("finish", attempt.pk)]
