"""A round from its opening to its end: every act, twice where a person may click twice."""

from __future__ import annotations

import json

import pytest

from annotate.actions import attempts, rounds
from annotate.errors import BadInput, MovedOn, NotYet, RoundAlreadyOpen
from annotate.models import Assignment, Attempt, Flag, Participation, Person, Round
from recorder.ingest import ingest
from recorder.models import Recording
from tests.cast import Cast


def ready(cast: Cast, person: Person) -> Round:
    """A round whose cold attempt is ready to start."""
    round_ = rounds.open_round(person, cast.assignment(person))
    cast.work.run()
    return cast.fresh(round_)


def record(recording: Recording, *types: str) -> None:
    """Have a page send events and say farewell."""
    doc = "d" * 22
    header = {
        "v": 1,
        "sent": 50.0,
        "rtt": 1.0,
        "final": True,
        "docs": [
            {
                "doc": doc,
                "tab": {"keys": ["k"]},
                "frame": "",
                "last": len(types) - 1,
                "meta": {"opened": 0, "closed": 50},
            }
        ],
    }
    target = {"xpath": "/html/body/button", "css": "button", "tag": "button"}
    lines = [
        {"doc": doc, "n": n, "p": 10.0 * n, "type": kind, "origin": "user", "target": target}
        for n, kind in enumerate(types)
    ]
    ingest(recording, "\n".join(json.dumps(line) for line in [header, *lines]).encode())


def attempt_of(round_: Round, kind: str) -> Attempt:
    return Attempt.objects.select_related("recording").get(round=round_, kind=kind)


def do_attempt(cast: Cast, round_: Round, kind: str) -> Attempt:
    """Start, click once, evaluate."""
    assert round_.person is not None
    rounds.start_attempt(cast.fresh(round_), round_.person)
    recording = attempt_of(round_, kind).recording
    assert recording is not None
    record(recording, "click", "click")
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.run()
    return attempt_of(round_, kind)


def complete(cast: Cast, person: Person) -> Round:
    """A whole round."""
    round_ = ready(cast, person)
    do_attempt(cast, round_, "cold")
    rounds.begin_warm(cast.fresh(round_))
    cast.work.run()
    do_attempt(cast, round_, "warm")
    return cast.fresh(round_)


def test_the_whole_path(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    assert (round_.state, round_.assignment.state) == ("complete", "complete")
    cold, warm = attempt_of(round_, "cold"), attempt_of(round_, "warm")
    assert [cold.passed, cold.raw_events, cold.steps, cold.proof_complete] == [True, 2, 2, True]
    assert cold.recording is not None
    assert warm.recording is not None
    assert cold.recording.session != warm.recording.session
    assert cold.recording.key != warm.recording.key
    assert cold.recording.seed == warm.recording.seed == 42
    assert cast.toy.calls == ["prepare", "evaluate", "reset", "evaluate", "close", "close"]
    moves = [(move.source, move.target) for move in round_.transitions.all()]
    assert moves == [("preparing", "cold"), ("cold", "between"), ("between", "warm"), ("warm", "complete")]


def test_start_clicked_twice_opens_one_round(cast: Cast) -> None:
    first = rounds.open_round(cast.ann, cast.assignment(cast.ann))
    assert rounds.open_round(cast.ann, cast.assignment(cast.ann)).pk == first.pk
    assert cast.work.queue == [("prepare_attempt", first.attempts.get().pk)]


def test_evaluate_pressed_twice_scores_once(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")
    instant = attempt_of(round_, "cold").evaluate_at
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.run()
    assert cast.toy.calls.count("evaluate") == 1
    assert attempt_of(round_, "cold").evaluate_at == instant


def test_start_warm_pressed_twice_makes_one_attempt(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")
    rounds.begin_warm(cast.fresh(round_))
    rounds.begin_warm(cast.fresh(round_))
    cast.work.run()
    assert cast.toy.calls.count("reset") == 1


def test_warm_needs_cold(cast: Cast) -> None:
    with pytest.raises(MovedOn):
        rounds.begin_warm(ready(cast, cast.ann))


def test_abandon_keeps_data_and_gives_the_assignment_back(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")
    rounds.abandon(cast.fresh(round_), cast.ann, "the phone rang")
    cast.work.run()
    round_ = cast.fresh(round_)
    assert (round_.state, round_.reason, round_.assignment.state) == ("abandoned", "the phone rang", "not_started")
    recording = attempt_of(round_, "cold").recording
    assert recording is not None
    assert recording.events.count() == 2
    again = ready(cast, cast.ann)
    assert again.number == 2


def test_abandon_wants_a_reason(cast: Cast) -> None:
    with pytest.raises(BadInput):
        rounds.abandon(ready(cast, cast.ann), cast.ann, "  ")


def test_abandon_in_the_middle_closes_the_recording(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    recording = attempt_of(round_, "cold").recording
    assert recording is not None
    record(recording, "click")
    rounds.abandon(cast.fresh(round_), cast.ann, "too odd")
    cast.work.run()
    attempt = attempt_of(round_, "cold")
    assert attempt.recording is not None
    assert (attempt.recording.state, attempt.raw_events, attempt.passed) == ("closed", 1, None)


def test_an_environment_that_goes_down_while_preparing_is_said_and_can_be_asked_again(cast: Cast) -> None:
    round_ = rounds.open_round(cast.ann, cast.assignment(cast.ann))
    cast.toy.down = True
    cast.work.run()
    attempt = attempt_of(round_, "cold")
    assert "could not be prepared" in attempt.error
    assert attempt.fault == "The toy is down."
    cast.toy.down = False
    rounds.prepare_again(cast.fresh(round_))
    cast.work.run()
    assert attempt_of(round_, "cold").recording is not None


def test_an_environment_that_is_down_at_evaluate_loses_nothing(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    cast.toy.down = True
    attempt = do_attempt(cast, round_, "cold")
    assert attempt.evaluated_at is None
    assert "press Evaluate again" in attempt.error
    cast.toy.down = False
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.run()
    assert attempt_of(round_, "cold").passed is True


def test_an_error_that_nobody_foresaw_is_told_and_loses_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    round_ = rounds.open_round(cast.ann, cast.assignment(cast.ann))
    with monkeypatch.context() as patch:
        patch.setattr(cast.toy, "prepare", broken)
        with pytest.raises(ZeroDivisionError):
            cast.work.run()
    attempt = attempt_of(round_, "cold")
    assert "could not be prepared" in attempt.error
    assert "ZeroDivisionError" in attempt.fault
    rounds.prepare_again(cast.fresh(round_))
    cast.work.run()
    with monkeypatch.context() as patch:
        patch.setattr(attempts, "cleaned", broken)
        with pytest.raises(ZeroDivisionError):
            do_attempt(cast, round_, "cold")
    assert "press Evaluate again" in attempt_of(round_, "cold").error
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.run()
    assert attempt_of(round_, "cold").passed is True


def test_a_forgotten_session_voids_the_round(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    cast.toy.forgets = True
    do_attempt(cast, round_, "cold")
    round_ = cast.fresh(round_)
    assert (round_.state, round_.cause, round_.assignment.state) == ("void", "session_forgotten", "not_started")


def test_consent_and_guidelines_come_first(cast: Cast) -> None:
    Participation.objects.filter(person=cast.ann).update(guidelines_read_at=None)
    with pytest.raises(NotYet, match="guidelines"):
        rounds.open_round(cast.ann, cast.assignment(cast.ann))
    Participation.objects.filter(person=cast.ann).update(consent=None)
    with pytest.raises(NotYet, match="consent"):
        rounds.open_round(cast.ann, cast.assignment(cast.ann))


def test_practice_comes_first_and_a_second_assignment_waits(cast: Cast) -> None:
    first = cast.assignment(cast.ann)
    other = cast.study.task_conditions.get(condition="intervention")
    practice = Assignment.objects.create(
        participation=first.participation, task_condition=other, role="practice", position=0
    )
    with pytest.raises(NotYet, match="practice"):
        rounds.open_round(cast.ann, first)
    rounds.open_round(cast.ann, practice)
    with pytest.raises(RoundAlreadyOpen):
        rounds.open_round(cast.ann, first)


def test_a_rating_is_one_value_per_item_and_revisions_stay(cast: Cast) -> None:
    round_ = complete(cast, cast.bob)  # intervention
    rounds.rate(round_, {"clarity": 5, "naturalness": 2, "suspected_bug": True}, "odd")
    rounds.rate(round_, {"clarity": 5, "naturalness": 2, "suspected_bug": True}, "odd")
    rounds.rate(round_, {"clarity": 4}, "odd")
    assert [rating.answers for rating in round_.ratings.all()] == [
        {"clarity": 5, "naturalness": 2, "suspected_bug": True},
        {"clarity": 4},
    ]
    assert {flag.rule for flag in Flag.objects.filter(round=round_)} == {"annotator_box", "low_rating", "comment"}


@pytest.mark.parametrize(
    "answers", [{"clarity": 6}, {"clarity": 0}, {"clarity": True}, {"clarity": "5"}, {"shoe_size": 4}]
)
def test_a_faulty_rating_is_refused(cast: Cast, answers: dict[str, object]) -> None:
    round_ = complete(cast, cast.ann)
    with pytest.raises(BadInput):
        rounds.rate(round_, answers, "")
    assert not round_.ratings.exists()


def test_naturalness_is_asked_under_intervention_only(cast: Cast) -> None:
    with pytest.raises(BadInput):
        rounds.rate(complete(cast, cast.ann), {"naturalness": 3}, "")


def test_one_tab_leads_and_the_other_may_take_over(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    assert rounds.claim_tab(round_, "one")
    assert rounds.claim_tab(cast.fresh(round_), "one")
    assert not rounds.claim_tab(cast.fresh(round_), "two")
    assert rounds.claim_tab(cast.fresh(round_), "two", take_over=True)
    assert not rounds.claim_tab(cast.fresh(round_), "one")
