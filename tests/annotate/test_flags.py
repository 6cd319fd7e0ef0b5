"""Every rule: when it flags and with which numbers, when it does not, and what makes it look again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

import pytest

from annotate.actions import flagging, judging, rounds
from annotate.flags import RULES, limits_of
from annotate.flags.facts import Facts
from annotate.models import Assignment, Attempt, Flag, Participation, Replay, ReviewItem, Round, Study, Task, Variant
from recorder import stretches
from recorder.models import SiteRequest
from tests.annotate.test_rounds import attempt_of, complete, do_attempt, ready
from tests.cast import Cast, person


def event(t: float, kind: str = "click", **fields: Any) -> dict[str, Any]:
    return {"t": t, "type": kind, "origin": "user", "tab": 1} | fields


def hide(t: float, tab: int = 1) -> dict[str, Any]:
    return event(t, "visibility", state="hidden", tab=tab)


def show(t: float, tab: int = 1) -> dict[str, Any]:
    return event(t, "visibility", state="visible", tab=tab)


class Given(Facts):
    """Facts of a recording that a test writes down."""

    end = 600_000.0
    events: ClassVar[list[dict[str, Any]]] = []
    first_viewports: ClassVar[dict[int, list[float]]] = {1: [1280.0, 800.0]}

    def __init__(self, *events: dict[str, Any], quoted: str = "Send it.", **attempt: Any) -> None:
        task = Task(instruction=quoted, expected_steps=20)
        assignment = Assignment(task_condition=task.conditions.model(task=task, variant=attempt.pop("variant", None)))
        super().__init__(Round(assignment=assignment), Attempt(kind="warm", **attempt))
        self.events = list(events)  # type: ignore[misc]


def said(name: str, facts: Facts, **limits: float) -> str:
    rule = RULES[name]
    return rule.find(facts, rule.limits | limits)


def test_every_rule_says_what_it_is() -> None:
    assert set(RULES) == {
        "incomplete_proof", "no_steps", "few_steps", "unusual_pace", "passed_but_replay_fails", "cold_passed_warm_failed",
        "verdict_disagrees", "long_idle", "tab_hidden", "viewport_changed", "pasted_answer", "devtools_resize",
        "duplicate_disagrees", "environment_error", "annotator_box", "comment", "low_rating",
    }  # fmt: skip
    for rule in RULES.values():
        assert rule.words.endswith("."), rule.name


def test_idle_stretches_have_both_ends() -> None:
    events = [event(5_000), event(6_000), event(9_000, origin="page")]
    assert stretches.idle(events, 10_000, 3_000) == [(0, 5_000), (6_000, 10_000)]
    assert stretches.idle([], 10_000, 3_000) == [(0, 10_000)]


def test_hidden_is_when_no_tab_is_in_view() -> None:
    load = event(12_000, "navigate", how="load", origin="page")
    assert stretches.hidden([event(0), hide(10_000), show(15_000)], 20_000) == [(10_000, 15_000)]
    assert stretches.hidden([event(0), hide(10_000), load], 20_000) == [(10_000, 12_000)]
    other = event(1_000, "tab", action="open", tab=2)
    assert stretches.hidden([event(0), other, hide(2_000), hide(9_000, 2)], 20_000) == [(9_000, 20_000)]
    assert stretches.hidden([event(0), hide(1_000), event(1_500)], 20_000) == [(1_000, 1_500)]


def test_long_idle() -> None:
    assert (
        said("long_idle", Given(event(100_000), event(219_000), event(330_000), event(449_000), event(550_000))) == ""
    )
    told = said("long_idle", Given(event(50_000), event(250_000), event(560_000)))
    assert told == (
        "Nothing was done for 5 min 10 s, from 4 min 10 s on, of 10 min 00 s in all, 2 such stretches with 8 min 30 s in all."
    )


def test_tab_hidden() -> None:
    assert said("tab_hidden", Given(event(0), hide(1_000), show(60_000))) == ""
    told = said("tab_hidden", Given(event(0), hide(1_000), show(71_500)))
    assert told == "The website was out of view for 1 min 10 s, from 1.0 s on."


def sized(t: float, width: int, height: int, dpr: float = 1, zoom: float = 1) -> dict[str, Any]:
    return event(t, "resize", viewport=[width, height], dpr=dpr, zoom=zoom)


@pytest.mark.parametrize(
    ("events", "devtools", "viewport"),
    [
        ([sized(1, 1280, 785)], "", ""),
        ([sized(2000, 1280, 500)], "At 2.0 s the viewport went from 1280 × 800 to 1280 × 500, one side alone.", "(38 %)"),
        ([sized(2000, 900, 600)], "", "At 2.0 s the viewport went from 1280 × 800 to 900 × 600 (30 %)."),
        ([sized(1, 1280, 800), sized(2000, 853, 533, 1.5)], "", "At 2.0 s the zoom changed (pixel ratio 1 → 1.5)."),
    ],
)  # fmt: skip
def test_what_the_window_did(events: list[dict[str, Any]], devtools: str, viewport: str) -> None:
    assert said("devtools_resize", Given(*events)) == devtools
    told = said("viewport_changed", Given(*events))
    assert viewport in told
    assert bool(viewport) == bool(told)


def test_a_pasted_answer_is_one_from_elsewhere() -> None:
    text = "Dear Sir or Madam, as discussed"
    paste = event(5_000, "paste", text=text)
    told = said("pasted_answer", Given(paste))
    assert told == f"At 5.0 s 31 characters were pasted that came from elsewhere: “{text}”."
    assert said("pasted_answer", Given(event(5_000, "paste", text="short"))) == ""
    assert said("pasted_answer", Given(paste, quoted=f"Write “{text}”.")) == ""
    assert said("pasted_answer", Given(event(1, "copy", text=f"{text} on the phone"), paste)) == ""


def test_few_steps_and_none() -> None:
    assert said("no_steps", Given(steps=0, raw_events=7)) == "The trace has no step (7 raw events)."
    assert said("few_steps", Given(steps=4)) == "4 steps where 20 are expected (20 %)."
    assert said("few_steps", Given(steps=5)) == ""


@pytest.mark.parametrize(
    ("layer", "status", "flagged"), [("network", 503, False), ("network", 0, True), ("seed", 503, True)]
)
def test_faults_that_an_intervention_makes_are_not_the_websites(layer: str, status: int, *, flagged: bool) -> None:
    facts = Given(variant=Variant(layer=layer))
    facts.failed_requests = [SiteRequest(method="POST", path="/pay?x=1", status=status, t=1500)]  # type: ignore[misc]
    told = said("environment_error", facts)
    assert bool(told) == flagged
    assert told in ("", f"1 × {status or 'no answer'}; the first at 1.5 s: POST /pay.")


def flags_of(round_: Round) -> set[str]:
    return set(Flag.objects.filter(round=round_, lifted_at=None).values_list("rule", flat=True))


def another(cast: Cast, code: str, seconds: float, *, passed: bool = True) -> Round:
    """A duplicate of Ann's task by somebody else, who took so long."""
    part = Participation.objects.create(study=cast.study, person=person(code.lower()), code=code, tier="duplicate")
    condition = cast.assignment(cast.ann).task_condition
    mine = Assignment.objects.create(participation=part, task_condition=condition, role="duplicate", position=1)
    now = cast.study.created_at
    round_ = Round.objects.create(
        assignment=mine, participation=part, person=part.person, number=1, state="complete", control_seen_at=now, ended_at=now
    )  # fmt: skip
    for kind in ("cold", "warm"):
        Attempt.objects.create(
            round=round_, kind=kind, score=float(passed), passed=passed, evaluated_at=now, proof_complete=True, steps=2,
            started_at=now, evaluate_at=now + timedelta(seconds=seconds),
        )  # fmt: skip
    return round_


def test_pace_is_compared_with_others_and_again_when_they_finish(cast: Cast) -> None:
    first, second = another(cast, "D1", 30), another(cast, "D2", 40)
    assert flags_of(first) == set()
    slow = another(cast, "D3", 200)
    flagging.raise_flags(slow.attempts.get(kind="warm").pk)
    flag = Flag.objects.get(rule="unusual_pace", attempt__kind="warm")
    assert (flag.round, flag.attempt) == (slow, slow.attempts.get(kind="warm"))
    assert flag.reason == "5.8 times as long as the median of 2 others: 3 min 20 s against 34.6 s."
    for number in range(4, 8):
        flagging.raise_flags(another(cast, f"D{number}", 180).attempts.get(kind="warm").pk)
    flag.refresh_from_db()
    assert flag.lifted_at is not None  # most are as slow: it is the two quick ones that stand out now
    assert "unusual_pace" in flags_of(first) & flags_of(second)


def test_a_duplicate_that_disagrees_flags_both(cast: Cast) -> None:
    cast.toy.score = 0.5
    mine = complete(cast, cast.ann)
    other = another(cast, "D1", 1)
    flagging.raise_flags(other.attempts.get(kind="warm").pk)
    assert "duplicate_disagrees" in flags_of(mine) & flags_of(other)
    assert Flag.objects.get(round=mine, rule="duplicate_disagrees").reason == (
        "This primary failed with 0.5; the duplicate passed with 1."
    )


def test_cold_passed_and_warm_failed(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")
    cast.toy.score = 0.25
    rounds.begin_warm(cast.fresh(round_))
    cast.work.run()
    do_attempt(cast, round_, "warm")
    assert flags_of(round_) == {"cold_passed_warm_failed"}
    assert ReviewItem.objects.get(round=round_).state == "open"


def test_a_replay_that_fails_flags_and_one_that_holds_lifts(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    warm = attempt_of(round_, "warm")
    warm.replays.update(state="done", outcome="breaks", broke_at=2, diagnosis="changed page", why="It is not there.")
    flagging.flag_round(round_.pk, "replay")
    assert flags_of(round_) == {"passed_but_replay_fails"}
    assert Flag.objects.get().reason == "Replay 1 breaks at step 2: changed page. It is not there."
    Replay.objects.create(attempt=warm, number=2, state="done", outcome="verified")
    flagging.flag_round(round_.pk, "replay")
    assert flags_of(round_) == set()


def test_what_the_annotator_says_and_unsays(cast: Cast) -> None:
    cast.toy.score = 0.5
    round_ = complete(cast, cast.ann)
    rounds.rate(round_, {"clarity": 1, "suspected_bug": True}, "odd")
    assert flags_of(round_) == {"annotator_box", "low_rating", "comment", "verdict_disagrees"}
    assert Flag.objects.get(rule="low_rating").reason == "rated 2 or lower: clarity (1)"
    assert Flag.objects.get(rule="comment").reason == "left a comment of 3 characters"
    assert "suspects a bug" in Flag.objects.filter(rule="verdict_disagrees")[0].reason
    rounds.rate(round_, {"clarity": 4}, "")
    assert flags_of(round_) == set()
    assert Flag.objects.count() == 5  # they stay, lifted


def test_a_word_that_a_lead_overturns(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    Attempt.objects.filter(round=round_, kind="warm").update(asks=True, declared=True)
    judging.judge(attempt_of(round_, "warm"), cast.lead, passed=False)
    cast.work.run()
    assert flags_of(round_) == {"verdict_disagrees", "cold_passed_warm_failed"}
    judging.judge(attempt_of(round_, "warm"), cast.lead, passed=True)
    cast.work.run()
    assert flags_of(round_) == set()


def test_a_study_sets_thresholds_and_turns_rules_off(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    rounds.rate(round_, {"clarity": 3}, "a word")
    options = cast.study.options | {"flags": {"low_rating": {"at_most": 3}, "comment": {"on": False}}}
    assert limits_of(RULES["comment"], options) is None
    Study.objects.filter(pk=cast.study.pk).update(options=options)
    assert flagging.flag_study(cast.study.pk) == 2
    assert flags_of(round_) == {"low_rating"}
    flagging.flag_study(cast.study.pk)
    assert Flag.objects.count() == 2


def test_practice_is_flagged_but_never_queued(cast: Cast) -> None:
    Assignment.objects.filter(pk=cast.assignment(cast.ann).pk).update(role="practice")
    rounds.rate(complete(cast, cast.ann), {"clarity": 1}, "")
    assert (Flag.objects.count(), ReviewItem.objects.count()) == (1, 0)
