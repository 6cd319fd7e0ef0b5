"""That the invariants see what is wrong: each thing that must never be, done to the database behind everybody's back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from annotate.models import Assignment, Attempt, Rating, Round, Transition
from tests.annotate.invariants import broken
from tests.annotate.test_rounds import complete
from tests.cast import Cast

LATER = timedelta(hours=1)
WRONGS: dict[str, Callable[[Round], object]] = {
    "complete, and no round counts": lambda done: Round.objects.filter(pk=done.pk).update(set_aside="superseded"),
    "a round counts that nobody returned": lambda done: Assignment.objects.update(state="not_started"),
    "in_round with 0 open rounds": lambda done: Assignment.objects.filter(pk=done.assignment_id).update(
        state="in_round"
    ),
    "not numbered from 1": lambda done: Round.objects.filter(pk=done.pk).update(number=2),
    "but its moves lead to complete": lambda done: Round.objects.filter(pk=done.pk).update(state="void"),
    "moved from warm, but it was": lambda done: Transition.objects.filter(round=done, target="warm").delete(),
    "without a consent version": lambda done: Round.objects.filter(pk=done.pk).update(consent=None),
    "complete without both verdicts": lambda done: Attempt.objects.filter(round=done, kind="warm").delete(),
    "without a cold attempt": lambda done: Attempt.objects.filter(round=done, kind="cold").delete(),
    "its instants are not in order": lambda done: Attempt.objects.update(started_at=timezone.now() + LATER),
    "an instant is missing": lambda done: Attempt.objects.update(evaluate_at=None),
    "is rated that is not complete": lambda done: Rating.objects.create(round=abandoned(done), revision=1, answers={}),
}


def abandoned(done: Round) -> Round:
    return Round.objects.create(
        assignment=done.assignment,
        participation=done.participation,
        person=done.person,
        number=2,
        state="abandoned",
        control_seen_at=done.control_seen_at,
        ended_at=done.ended_at,
    )


@pytest.mark.parametrize("sentence", WRONGS)
def test_what_is_wrong_is_seen(cast: Cast, sentence: str) -> None:
    done = complete(cast, cast.ann)
    assert broken(cast.study) == []
    WRONGS[sentence](done)
    assert any(sentence in fault for fault in broken(cast.study))


def test_the_database_itself_lets_no_second_round_count(cast: Cast) -> None:
    done = complete(cast, cast.ann)
    with pytest.raises(IntegrityError, match="one_counted_round_per_assignment"):
        Round.objects.filter(pk=abandoned(done).pk).update(state="complete")


def test_the_database_itself_lets_no_second_round_be_open(cast: Cast) -> None:
    done = complete(cast, cast.ann)
    first = abandoned(done)
    Round.objects.filter(pk=done.pk).update(state="cold", ended_at=None)
    with pytest.raises(IntegrityError, match="one_open_round_per"):
        Round.objects.filter(pk=first.pk).update(state="warm", ended_at=None)
