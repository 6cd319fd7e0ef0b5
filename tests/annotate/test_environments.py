"""Rounds and the environment they need: probed before, asked once for a verdict, forgotten sessions, people's own word."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotate import health, sweeps
from annotate.actions import attempts, rounds
from annotate.actions.judging import judge
from annotate.errors import BadInput, NotYet
from annotate.models import Attempt, Environment, Judgement, Probe, Round
from recorder import recordings
from recorder.environments.base import (
    AnswerLost,
    Check,
    EnvironmentDown,
    Session,
    SessionForgotten,
    TaskRef,
    Verdict,
    Watch,
)
from tests.annotate.test_rounds import attempt_of, do_attempt, ready
from tests.cast import Cast


def environment() -> Environment:
    return Environment.objects.get(slug="toyshop")


def test_an_environment_that_is_down_stops_new_rounds_and_says_so(cast: Cast) -> None:
    cast.toy.down = True
    with pytest.raises(NotYet, match="Toy shop can't be used just now. That is not your fault") as caught:
        rounds.open_round(cast.ann, cast.assignment(cast.ann))
    assert caught.value.code == "environment_down"
    assert not Round.objects.exists()
    client = Client()
    client.force_login(cast.ann)
    assert "Toy shop can&#x27;t be used just now" in client.get("/work/").content.decode().replace(
        "can't", "can&#x27;t"
    )
    client.force_login(cast.lead)
    page = client.get("/studies/tea/").content.decode()
    assert "Toy shop is down" in page
    cast.toy.down = False
    assert rounds.open_round(cast.ann, cast.assignment(cast.ann)).state == "preparing"
    assert "Toy shop is down" not in client.get("/studies/tea/").content.decode()


def test_a_look_of_a_moment_ago_is_enough(cast: Cast) -> None:
    health.probe(environment())
    rounds.open_round(cast.ann, cast.assignment(cast.ann))
    assert Probe.objects.count() == 1
    Probe.objects.update(at=timezone.now() - timedelta(seconds=60))
    rounds.open_round(cast.bob, cast.assignment(cast.bob))
    assert Probe.objects.count() == 2


def test_leads_see_state_latency_and_last_error(cast: Cast) -> None:
    cast.toy.down = True
    health.probe_all()
    cast.toy.down = False
    health.probe_all()
    state = health.of_study(cast.study)[0]
    assert (state.ok, state.ms, state.error is not None) == (True, 1.0, True)
    client = Client()
    client.force_login(cast.lead)
    page = client.get("/studies/tea/environments/").content.decode()
    assert "Toy shop" in page
    assert "Last error" in page
    environment_id = environment().pk
    assert client.post(f"/studies/tea/environments/{environment_id}/look/").status_code == 302
    assert Probe.objects.count() == 3


def test_old_looks_are_forgotten(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "KEPT", 5)
    for _ in range(9):
        health.probe(environment())
    assert Probe.objects.count() == 5


def test_a_session_that_was_forgotten_before_warm_voids_the_round(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = ready(cast, cast.ann)
    do_attempt(cast, round_, "cold")

    def reset(session_id: str, ref: TaskRef) -> Session:
        raise SessionForgotten(session_id)

    monkeypatch.setattr(cast.toy, "reset", reset)
    rounds.begin_warm(cast.fresh(round_))
    cast.work.run()
    round_ = cast.fresh(round_)
    assert (round_.state, round_.cause, round_.assignment.state) == ("void", "session_forgotten", "not_started")


def evaluate_again(cast: Cast, round_: Round) -> Attempt:
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.run()
    return attempt_of(round_, "cold")


def test_a_verdict_is_asked_for_once_though_the_record_fails(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    cast.toy.repeatable = False
    round_ = ready(cast, cast.ann)

    def broken(session_id: str) -> list[dict[str, object]]:
        raise EnvironmentDown("no record")

    with monkeypatch.context() as patch:
        patch.setattr(cast.toy, "backend_record", broken)
        attempt = do_attempt(cast, round_, "cold")
        assert (attempt.evaluated_at, attempt.fault) == (None, "no record")
    attempt = evaluate_again(cast, round_)
    assert attempt.passed is True
    assert cast.toy.calls.count("evaluate") == 1


@pytest.mark.parametrize("repeatable", [True, False])
def test_a_lost_verdict_is_asked_for_again_only_where_that_may_be(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, repeatable: bool
) -> None:
    cast.toy.repeatable = repeatable
    round_ = ready(cast, cast.ann)
    asked: list[str] = []

    def lost(session_id: str) -> Verdict:
        asked.append(session_id)
        raise AnswerLost("The answer was lost.")

    with monkeypatch.context() as patch:
        patch.setattr(cast.toy, "evaluate", lost)
        do_attempt(cast, round_, "cold")
    if repeatable:
        assert evaluate_again(cast, round_).passed is True
    else:
        ended = cast.fresh(round_)
        assert (ended.state, ended.cause) == ("void", "verdict_lost")
        assert (len(asked), cast.toy.calls.count("evaluate")) == (1, 0)
        assert attempt_of(round_, "cold").raw_events, "what was recorded is kept and counted"


def test_a_worker_that_died_while_asking_does_not_ask_twice(cast: Cast) -> None:
    cast.toy.repeatable = False
    round_ = ready(cast, cast.ann)
    attempt = attempt_of(round_, "cold")
    rounds.start_attempt(cast.fresh(round_), cast.ann)
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.queue.clear()
    long_ago = timezone.now() - timedelta(minutes=5)
    Attempt.objects.filter(pk=attempt.pk).update(scoring_at=long_ago, asked_at=long_ago)
    attempts.finish(attempt.pk)
    assert cast.fresh(round_).cause == "verdict_lost"
    assert "evaluate" not in cast.toy.calls


def test_an_outage_before_anything_was_sent_can_be_tried_again(cast: Cast) -> None:
    cast.toy.repeatable = False
    round_ = ready(cast, cast.ann)
    cast.toy.down = True
    do_attempt(cast, round_, "cold")
    assert health.is_down(environment()), "a fault in use is seen by leads too"
    cast.toy.down = False
    assert evaluate_again(cast, round_).passed is True


@pytest.fixture
def asking(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The toy without a checker."""
    prepare = cast.toy.prepare

    def asks(ref: TaskRef) -> Session:
        made = prepare(ref)
        return Session(made.id, made.upstream, made.start_path, made.title, made.instruction, asks=True)

    monkeypatch.setattr(cast.toy, "prepare", asks)
    monkeypatch.setattr(cast.toy, "evaluate", lambda session: Verdict(0.0, False, "declared"))
    return cast


def declare(cast: Cast, declared: bool) -> Attempt:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(cast.fresh(round_), cast.ann)
    with pytest.raises(BadInput, match="say whether"):
        rounds.press_evaluate(cast.fresh(round_))
    rounds.press_evaluate(cast.fresh(round_), declared)
    rounds.press_evaluate(cast.fresh(round_), not declared)
    cast.work.run()
    return attempt_of(round_, "cold")


@pytest.mark.parametrize("declared", [True, False])
def test_without_a_checker_the_annotators_first_word_stands_until_a_lead_judges(asking: Cast, declared: bool) -> None:
    attempt = declare(asking, declared)
    assert (attempt.passed, attempt.declared, attempt.verdict["source"]) == (declared, declared, "declared")
    judge(attempt, asking.lead, passed=not declared, note="the parcel is missing")
    judge(attempt, asking.lead, passed=not declared)
    attempt.refresh_from_db()
    assert (attempt.passed, attempt.score, attempt.verdict["source"]) == (not declared, float(not declared), "lead")
    assert attempt.declared is declared
    assert Judgement.objects.count() == 2


def test_judging_over_the_page(asking: Cast) -> None:
    attempt = declare(asking, True)
    client = Client()
    client.force_login(asking.lead)
    page = f"/studies/tea/attempts/{attempt.pk}/"
    assert "The annotator says" in client.get(page).content.decode()
    assert client.post(f"{page}judge/", {"passed": "no", "note": "<b>no parcel"}).status_code == 302
    shown = client.get(page).content.decode()
    assert "&lt;b&gt;no parcel" in shown
    assert "Not passed" in shown


def test_what_a_checker_decided_no_lead_overrules_here(cast: Cast) -> None:
    attempt = do_attempt(cast, ready(cast, cast.ann), "cold")
    with pytest.raises(NotYet, match="not one that a lead judges"):
        judge(attempt, cast.lead, passed=False)


@pytest.mark.parametrize(
    ("option", "when", "holds", "ends"),
    [
        (True, "seen", False, True),
        (False, "seen", True, False),
        (True, "at_end", False, False),
        (True, "at_end", True, True),
    ],
)
def test_success_in_the_page_ends_an_attempt_if_the_study_says_so(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, option: bool, when: str, holds: bool, ends: bool
) -> None:
    prepare = cast.toy.prepare

    def watched(ref: TaskRef) -> Session:
        made = prepare(ref)
        watch = Watch("#done", when=when)  # type: ignore[arg-type]
        return Session(made.id, made.upstream, made.start_path, made.title, made.instruction, watch=watch)

    monkeypatch.setattr(cast.toy, "prepare", watched)
    cast.study.options["end_on_success"] = option
    cast.study.save()
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(cast.fresh(round_), cast.ann)
    recording = attempt_of(round_, "cold").recording
    assert recording is not None
    assert sweeps.end_solved_attempts() == []
    recordings.note_success(recording.pk, seen=True)
    recordings.note_success(recording.pk, seen=holds)
    assert sweeps.end_solved_attempts() == ([round_.pk] if ends else [])
    assert sweeps.end_solved_attempts() == []
    cast.work.run()
    attempt = attempt_of(round_, "cold")
    assert (attempt.evaluated_at is not None, attempt.ended_itself) == (ends, ends)


@pytest.mark.parametrize("option", [None, False, True])
def test_pages_are_kept_as_they_are_seen_if_the_study_says_so(cast: Cast, option: bool | None) -> None:
    if option is not None:
        cast.study.options["capture"] = option
        cast.study.save()
    recording = attempt_of(ready(cast, cast.ann), "cold").recording
    assert recording is not None
    assert recording.capture is bool(option)
    told = "kept as you see them"
    client = Client()
    client.force_login(cast.ann)
    assert (told in client.get("/work/tea/consent/").content.decode()) is bool(option)


def test_a_verdict_with_what_no_database_holds_is_kept(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    cast.toy.repeatable = False
    round_ = ready(cast, cast.ann)
    odd = Verdict(1.0, True, "server", (Check("half \ud800", True, "obligation", "none\x00"),), reasoning="\x00")
    monkeypatch.setattr(cast.toy, "evaluate", lambda session_id: odd)
    monkeypatch.setattr(cast.toy, "backend_record", lambda session_id: [{"path": "/\x00"}])
    attempt = do_attempt(cast, round_, "cold")
    assert (attempt.passed, attempt.backend_record) == (True, [{"path": "/\ufffd"}])
    assert attempt.verdict is not None
    assert [(check["name"], check["detail"]) for check in attempt.verdict["checks"]] == [("half \ufffd", "none\ufffd")]
