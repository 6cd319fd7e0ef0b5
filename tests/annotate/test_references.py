"""References: what may never be chosen, what each policy chooses, and a lead's word against it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotate.actions import references as choosing
from annotate.actions import replays
from annotate.errors import BadInput, NotYet
from annotate.models import Flag, Reference, Replay, Round, Study
from annotate.references import POLICIES, Candidate, choose
from tests.annotate.test_rounds import complete
from tests.cast import Cast

GOOD = Candidate(1, "warm", "primary", "P1", True, True, True, True, 5, 30_000)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"passed": False}, "it did not pass"),
        ({"proof_complete": False}, "its recording is not complete"),
        ({"verified": False}, "its replay is not verified"),
        ({"accepted": False}, "it is flagged and not accepted by a review"),
        ({"role": "practice"}, "practice never counts"),
    ],
)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_policy_chooses_what_may_not_be_chosen(policy: str, fault: dict[str, Any], why: str) -> None:
    choice = choose(POLICIES[policy], [replace(GOOD, **fault)])
    assert (choice.attempt, choice.refused) == (None, {1: why})
    assert why in choice.reason


COLD = replace(GOOD, attempt=2, kind="cold", steps=4)
OTHER = replace(GOOD, attempt=3, role="duplicate", code="D1", steps=5, wall_ms=29_000)
LONG = replace(GOOD, attempt=4, code="P2", steps=9, wall_ms=1_000)


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("default", [3, 1, 4]),
        ("best_of_two", [2, 3, 1, 4]),
        ("first", [2]),
        ("fastest", [4, 3, 1]),
        ("duplicate_wins", [3, 1, 4]),
    ],
)
def test_what_each_policy_chooses(policy: str, order: list[int]) -> None:
    choice = choose(POLICIES[policy], [LONG, GOOD, COLD, OTHER])
    assert [choice.attempt, *choice.runners_up] == order


def test_the_reason_says_what_decided() -> None:
    assert choose(POLICIES["default"], [GOOD, OTHER]).reason == "29.0 s (warm by D1) against 30.0 s (warm by P1)."
    assert choose(POLICIES["default"], [GOOD, LONG]).reason == "5 steps (warm by P1) against 9 steps (warm by P2)."
    assert choose(POLICIES["default"], [GOOD]).reason == "The only one that may be chosen: warm by P1, 5 steps, 30.0 s."


def verified(round_: Round) -> None:
    """As if the replays that the round's end queued had been played and had held."""
    Replay.objects.filter(attempt__round=round_).update(state="done", outcome="verified")


@pytest.fixture
def done(cast: Cast) -> Round:
    return complete(cast, cast.ann)


def test_it_is_chosen_once_its_replay_holds_and_only_then(cast: Cast, done: Round) -> None:
    condition = done.assignment.task_condition
    assert choosing.settle(condition.pk).attempt is None  # type: ignore[union-attr]
    verified(done)
    reference = choosing.settle(condition.pk)
    assert reference is not None
    assert reference.attempt == done.attempts.get(kind="warm")
    assert choosing.settle(condition.pk) == reference  # nothing changed: no further row
    Replay.objects.create(attempt=reference.attempt, number=2, state="done", outcome="breaks", broke_at=1)
    assert choosing.settle(condition.pk).attempt is None  # type: ignore[union-attr]
    assert Reference.objects.filter(is_current=True).count() == 1


def test_a_flagged_attempt_is_not_chosen(cast: Cast, done: Round) -> None:
    verified(done)
    Flag.objects.create(round=done, attempt=done.attempts.get(kind="warm"), rule="odd", reason="Odd.")
    reference = choosing.settle(done.assignment.task_condition_id)
    assert reference is not None
    assert (reference.attempt, "flagged" in reference.reason) == (None, True)


def test_a_lead_overrules_with_a_reason_and_takes_it_back(cast: Cast, done: Round) -> None:
    verified(done)
    condition = done.assignment.task_condition
    cold, warm = done.attempts.get(kind="cold"), done.attempts.get(kind="warm")
    choosing.settle(condition.pk)
    with pytest.raises(BadInput, match="Say why"):
        choosing.overrule(condition, cold.pk, "  ", cast.lead)
    reference = choosing.overrule(condition, cold.pk, "The warm one took a short cut.", cast.lead)
    assert (reference.attempt, reference.runners_up, reference.overruled_by) == (cold, [warm.pk], cast.lead)
    assert choosing.settle(condition.pk) == reference  # it stays
    Replay.objects.create(attempt=cold, number=2, state="done", outcome="fails_check")
    assert choosing.settle(condition.pk).attempt == warm  # type: ignore[union-attr]
    with pytest.raises(BadInput, match="its replay is not verified"):
        choosing.overrule(condition, cold.pk, "All the same.", cast.lead)
    assert [one.attempt_id for one in Reference.objects.order_by("pk")] == [warm.pk, cold.pk, warm.pk]


def test_following_the_policy_again(cast: Cast, done: Round) -> None:
    verified(done)
    condition = done.assignment.task_condition
    choosing.overrule(condition, done.attempts.get(kind="cold").pk, "Why not.", cast.lead)
    assert choosing.follow_policy(condition, cast.lead).attempt == done.attempts.get(kind="warm")  # type: ignore[union-attr]


def test_another_policy_chooses_anew(cast: Cast, done: Round) -> None:
    verified(done)
    study = Study.objects.get(pk=cast.study.pk)
    Study.objects.filter(pk=study.pk).update(options=study.options | {"reference_policy": "first"})
    assert choosing.settle_study(Study.objects.get(pk=study.pk)) == 1
    assert Reference.objects.get(is_current=True).attempt == done.attempts.get(kind="cold")


def test_a_complete_round_queues_a_replay_of_each_passed_attempt(cast: Cast, done: Round) -> None:
    assert Replay.objects.filter(attempt__round=done, state="queued").count() == 2
    replays.after_round(done.pk)
    assert Replay.objects.count() == 2
    with pytest.raises(NotYet, match="under way"):
        replays.request(done.attempts.get(kind="cold"))


def test_an_environment_that_is_down_is_tried_again_and_then_said(cast: Cast, done: Round) -> None:
    replay = Replay.objects.order_by("pk")[0]
    for _ in range(replays.TRIES):
        Replay.objects.filter(pk=replay.pk).update(state="running")
        replays.put_off(Replay.objects.get(pk=replay.pk), "The toy is down.")
    replay.refresh_from_db()
    assert (replay.state, replay.outcome, replay.why) == ("done", "not_played", "The toy is down.")
