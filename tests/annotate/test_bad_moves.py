"""What people and clocks do wrong: another's assignment, a closed study, moves out of order, stale pages, two studies at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotate.actions import rounds
from annotate.errors import NotYet, RoundAlreadyOpen
from annotate.models import Assignment, Attempt, Participation, Person, Round, Study, StudyText
from tests.annotate.test_rounds import attempt_of, complete, do_attempt, ready
from tests.cast import Cast


def client_of(who: Person) -> Client:
    client = Client()
    client.force_login(who)
    return client


def post(client: Client, round_: Round, act: str, **body: object) -> tuple[int, str]:
    """Status and code of an act of the control tab that holds the round."""
    reply = client.post(f"/api/rounds/{round_.pk}/{act}/", {"tab": "one", **body}, content_type="application/json")
    return reply.status_code, reply.json().get("code", "")


def held(cast: Cast) -> tuple[Client, Round]:
    round_ = ready(cast, cast.ann)
    rounds.claim_tab(round_, "one")
    return client_of(cast.ann), round_


def test_anothers_assignment_does_not_start(cast: Cast) -> None:
    theirs = cast.assignment(cast.bob)
    assert client_of(cast.ann).post(f"/assignments/{theirs.pk}/start/").status_code == 404
    assert not Round.objects.exists()


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_nothing_begins_in_a_study_that_does_not_run(cast: Cast, state: str) -> None:
    Study.objects.filter(pk=cast.study.pk).update(state=state)
    reply = client_of(cast.ann).post(f"/assignments/{cast.assignment(cast.ann).pk}/start/")
    assert reply.status_code == 409
    assert "not running now" in reply.content.decode()


def test_a_round_that_is_open_when_the_study_closes_may_be_finished(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    Study.objects.filter(pk=cast.study.pk).update(state="closed")
    do_attempt(cast, round_, "cold")
    rounds.begin_warm(cast.fresh(round_))
    cast.work.run()
    do_attempt(cast, round_, "warm")
    assert cast.fresh(round_).counts


def test_moves_out_of_order_say_so_and_change_nothing(cast: Cast) -> None:
    client, round_ = held(cast)
    assert post(client, round_, "evaluate") == (409, "not_started")
    assert post(client, round_, "warm") == (409, "moved_on")
    assert post(client, round_, "rate", answers={}) == (409, "not_complete")
    assert cast.fresh(round_).state == "preparing"
    assert post(client, round_, "start") == (200, "")
    assert post(client, round_, "start") == (200, "")  # the second click finds it started
    assert post(client, round_, "abandon", reason="enough") == (200, "")
    for act, body in (("abandon", {"reason": "again"}), ("warm", {})):
        assert post(client, round_, act, **body) == (409, "moved_on")
    assert [move.target for move in round_.transitions.all()] == ["cold", "abandoned"]


def test_warm_without_cold_and_cold_after_warm_are_no_moves(cast: Cast) -> None:
    client, round_ = held(cast)
    rounds.start_attempt(round_, cast.ann)
    assert post(client, round_, "warm") == (409, "moved_on")
    assert not round_.attempts.filter(kind="warm").exists()
    Round.objects.filter(pk=round_.pk).update(state="void", ended_at=timezone.now())
    assert post(client, round_, "start")[0] in (200, 409)
    assert cast.fresh(round_).state == "void"


def test_a_page_of_before_is_told(cast: Cast) -> None:
    client, round_ = held(cast)
    rounds.claim_tab(cast.fresh(round_), "two", take_over=True)
    assert post(client, round_, "abandon", reason="from the old tab") == (409, "other_tab")
    StudyText.objects.create(study=cast.study, kind="consent", version=2, body="Newer.")
    stale = client.post("/work/tea/consent/", {"version": "1", "answer": "yes"})
    assert stale.status_code == 409
    assert "moved on meanwhile" in stale.content.decode()


def test_a_newer_consent_text_comes_before_the_next_round_and_not_into_this_one(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    StudyText.objects.create(study=cast.study, kind="consent", version=2, body="Newer.")
    do_attempt(cast, round_, "cold")
    assert cast.fresh(round_).state == "between"
    consent = cast.fresh(round_).consent
    assert consent is not None
    assert consent.version == 1
    rounds.abandon(cast.fresh(round_), cast.ann, "again")
    with pytest.raises(NotYet, match="consent"):
        rounds.open_round(cast.ann, cast.assignment(cast.ann))


def test_the_browsers_clock_says_nothing(cast: Cast) -> None:
    client, round_ = held(cast)
    assert post(client, round_, "start", started_at="1999-01-01T00:00:00Z")[0] == 200
    assert post(client, round_, "evaluate", wall_ms=5, evaluate_at="2999-01-01T00:00:00Z")[0] == 200
    attempt = attempt_of(round_, "cold")
    assert attempt.started_at is not None
    assert abs(attempt.started_at - timezone.now()) < timedelta(minutes=1)
    assert attempt.wall_ms is not None
    assert attempt.wall_ms < 60_000


def test_a_server_clock_that_is_set_back_gives_no_negative_times(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    Attempt.objects.filter(round=round_).update(started_at=timezone.now() + timedelta(minutes=5))
    rounds.press_evaluate(cast.fresh(round_))
    cast.work.run()
    attempt = attempt_of(round_, "cold")
    assert (attempt.wall_ms, attempt.active_ms) == (0, 0)
    assert cast.fresh(round_).state == "between"


def test_one_person_in_two_studies_has_one_open_round(cast: Cast) -> None:
    other = Study.objects.get(slug="coffee")
    consent = other.texts.get(kind="consent")
    there = Participation.objects.create(
        study=other, person=cast.ann, code="P9", consent=consent, guidelines_read_at=timezone.now()
    )
    condition = other.task_conditions.get(condition="intervention")
    second = Assignment.objects.create(participation=there, task_condition=condition, position=1)
    first = ready(cast, cast.ann)
    with pytest.raises(RoundAlreadyOpen) as refused:
        rounds.open_round(cast.ann, second)
    assert refused.value.data["round"] == first.pk
    page = client_of(cast.ann).get("/work/").content.decode()
    assert "A round is open in another study" in page
    rounds.abandon(cast.fresh(first), cast.ann, "the other first")
    assert rounds.open_round(cast.ann, second).participation_id == there.pk


def test_a_deactivated_person_begins_nothing_and_may_finish_what_is_open(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    Participation.objects.filter(person=cast.ann).update(is_active=False)
    assert client_of(cast.ann).get(f"/rounds/{round_.pk}/").status_code == 200
    rounds.abandon(cast.fresh(round_), cast.ann, "done")
    assert client_of(cast.ann).post(f"/assignments/{round_.assignment_id}/start/").status_code == 404


def test_the_dashboard_tells_how_long_the_rest_will_take(cast: Cast) -> None:
    client = client_of(cast.ann)
    assert "about 5 min left, at five minutes each" in client.get("/work/").content.decode()
    complete(cast, cast.ann)
    assert " left, " not in client.get("/work/").content.decode()


def test_own_assignments_are_listed_by_the_page(cast: Cast) -> None:
    client = client_of(cast.ann)
    page = client.get("/work/tea/assignments/").content.decode()
    assert "Buy tea" in page
    assert "to do" in page
    assert client.get("/work/coffee/assignments/").status_code == 404
