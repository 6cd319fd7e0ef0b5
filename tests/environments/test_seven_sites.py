"""The ready mapping against the seven-site API, fact by fact."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from recorder.environments.base import AnswerLost, EnvironmentDown, SessionForgotten, TaskRef, UnknownTask
from recorder.environments.conformance import Case, Conformance
from recorder.environments.http import HttpAdapter, from_options
from recorder.environments.options import BadOptions
from tests.environments.seven_sites import SevenSites

BROWSE = TaskRef("amazon", "amazon_browse_category", None, 42)
DECOY = TaskRef("amazon", BROWSE.task, "cheapest_decoy", 42, {}, {"file": "amazon_browse_category__cheapest.yaml"})


@pytest.fixture
def adapter(fake: SevenSites) -> HttpAdapter:
    return from_options(fake.options())


class TestProtocol(Conformance):
    @pytest.fixture
    def case(self, fake: SevenSites, adapter: HttpAdapter) -> Case:
        def solve(session) -> None:
            fake.sessions[session.id].done = True

        unknown = TaskRef("amazon", "no_such_task", None, 42)
        return Case(adapter, BROWSE, solve=solve, unknown=unknown, break_down=fake.stop, mend=fake.start)


def test_a_session_is_asked_for_as_the_api_wants_it(fake: SevenSites, adapter: HttpAdapter) -> None:
    session = adapter.prepare(BROWSE)
    assert fake.asked == [("POST", "/api/env/amazon/session", {"task_id": BROWSE.task, "seed": 42})]
    assert (session.title, session.instruction) == (
        "Browse Category",
        "Find the cheapest cable and add it to your cart.",
    )
    assert session.upstream == fake.url


def test_the_file_name_of_the_variant_is_what_the_api_wants(fake: SevenSites, adapter: HttpAdapter) -> None:
    adapter.prepare(DECOY)
    assert fake.asked[-1][2]["variant_filename"] == "amazon_browse_category__cheapest.yaml"


def test_the_session_travels_in_the_query_alone_and_as_it_is(adapter: HttpAdapter) -> None:
    session = adapter.prepare(BROWSE)
    assert session.start_path == f"/env/amazon/s?k=cable&session={session.id}&agent_mode=1"
    address = urlsplit(session.start_path)
    assert session.id not in address.path
    assert parse_qs(address.query)["session"] == [session.id]


def test_reset_gives_a_new_id_and_the_old_one_is_gone(fake: SevenSites, adapter: HttpAdapter) -> None:
    session = adapter.prepare(DECOY)
    again = adapter.reset(session.id, DECOY)
    assert again.id != session.id
    assert again.start_path.endswith(f"&session={again.id}&agent_mode=1")
    kept = fake.sessions[again.id]
    assert (kept.seed, kept.variant) == (42, "amazon_browse_category__cheapest.yaml")
    with pytest.raises(SessionForgotten):
        adapter.evaluate(session.id)


def test_the_verdict_with_its_checks(fake: SevenSites, adapter: HttpAdapter) -> None:
    session = adapter.prepare(BROWSE)
    fake.sessions[session.id].done = True
    verdict = adapter.evaluate(session.id)
    assert (verdict.score, verdict.passed, verdict.source) == (1.0, True, "server")
    assert verdict.reasoning == "one cable in the cart"
    assert [(check.name, check.passed, check.kind, check.weight) for check in verdict.checks] == [
        ("CANARY-CHECK cable in cart", True, "obligation", 1.0),
        ("no order", True, "invariant", 0.2),
    ]
    assert fake.sessions[session.id].audit == ["evaluate"]


def test_an_unknown_task_is_answered_500(adapter: HttpAdapter) -> None:
    with pytest.raises(UnknownTask, match="KeyError: no_such_task"):
        adapter.prepare(TaskRef("amazon", "no_such_task", None, 42))


def test_a_slow_reply_is_waited_for(fake: SevenSites, adapter: HttpAdapter) -> None:
    assert adapter.mapping.timeout >= 20
    fake.delay = 8.0
    session = adapter.prepare(BROWSE)
    assert session.id in fake.sessions


def test_a_reply_that_never_comes_ends_at_the_time_limit(fake: SevenSites) -> None:
    fake.delay = 5.0
    with pytest.raises(EnvironmentDown, match=r"did not answer within 0.3 s"):
        from_options(fake.options(timeout=0.3)).prepare(BROWSE)
    assert fake.calls("POST", "/api/env/amazon/session") == 1


def test_a_verdict_whose_answer_is_lost_is_not_asked_for_again(fake: SevenSites, adapter: HttpAdapter) -> None:
    session = adapter.prepare(BROWSE)
    fake.drop_evaluate = True
    with pytest.raises(AnswerLost):
        adapter.evaluate(session.id)
    assert fake.sessions[session.id].audit == ["evaluate"]


def test_a_verdict_that_could_not_even_be_asked_for_is_another_thing(fake: SevenSites, adapter: HttpAdapter) -> None:
    session = adapter.prepare(BROWSE)
    fake.stop()
    with pytest.raises(EnvironmentDown) as caught:
        adapter.evaluate(session.id)
    assert not isinstance(caught.value, AnswerLost)
    assert fake.sessions[session.id].audit == []


def test_closing(fake: SevenSites, adapter: HttpAdapter) -> None:
    session = adapter.prepare(BROWSE)
    adapter.close(session.id)
    assert fake.asked[-1][:2] == ("DELETE", f"/api/env/amazon/session/{session.id}")
    assert fake.sessions == {}
    adapter.close(session.id)


@pytest.mark.parametrize(
    ("status", "content", "headers", "said"),
    [
        (200, b"<html><h1>Sign in</h1></html>", {}, "without JSON: <html><h1>Sign in"),
        (302, b"", {"Location": "http://10.0.0.1/admin"}, "answered 302 to http://10.0.0.1/admin; redirects are not"),
        (307, b"", {"Location": "/elsewhere"}, "redirects are not followed"),
        (200, b'{"session_id": ""}', {}, "a session id under 'session_id'"),
        (200, b'{"session_id": true, "start_path": "/"}', {}, "a session id"),
        (200, b'{"session_id": "s"}', {}, "something with 'start_path' in it"),
        (200, b'{"session_id": "s", "start_path": "//evil.example/x"}', {}, "sends to another host"),
        (200, b'{"session_id": "s", "start_path": "http://169.254.169.254/latest"}', {}, "sends to another host"),
        (200, b'{"session_id": "s", "start_path": "javascript:alert(1)"}', {}, "sends to another host"),
        (200, b'{"session_id": "s", "start_path": "/a\\nb"}', {}, "something else than a start path"),
        (401, b'{"detail": "token"}', {}, "may want another secret"),
        (418, b"teapot", {}, "answered 418: teapot"),
        (200, b"[]", {}, "something with 'session_id' in it"),
    ],
)
def test_replies_that_cannot_be_used_are_quoted_and_not_asked_for_twice(
    fake: SevenSites, adapter: HttpAdapter, status: int, content: bytes, headers: dict[str, str], said: str
) -> None:
    fake.answer_with = (status, content, headers)
    with pytest.raises(EnvironmentDown) as caught:
        adapter.prepare(BROWSE)
    assert said in caught.value.message
    assert len(fake.asked) == 1


@pytest.mark.parametrize("body", [b'{"final_score": "much", "success": true}', b'{"final_score": 1}', b"<p>", b"{}"])
def test_a_verdict_that_cannot_be_understood_is_lost(fake: SevenSites, adapter: HttpAdapter, body: bytes) -> None:
    session = adapter.prepare(BROWSE)
    fake.answer_with = (200, body, {})
    with pytest.raises(AnswerLost):
        adapter.evaluate(session.id)


def test_a_start_path_on_the_site_itself_may_be_absolute(fake: SevenSites, adapter: HttpAdapter) -> None:
    told = f'{{"session_id": "s1", "start_path": "{fake.url}/cart"}}'
    fake.answer_with = (200, told.encode(), {})
    assert adapter.prepare(BROWSE).start_path == "/env/amazon/cart?session=s1&agent_mode=1"


def test_a_secret_comes_from_the_process_environment(fake: SevenSites, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = from_options(fake.options(headers={"Authorization": "Bearer {secret:FOOTPATH_SECRET_SHOP}"}))
    assert "FOOTPATH_SECRET_SHOP is not set" in adapter.probe().detail
    monkeypatch.setenv("FOOTPATH_SECRET_SHOP", "hush")
    adapter.prepare(BROWSE)
    assert fake.headers[-1]["Authorization"] == "Bearer hush"


def test_no_other_variable_of_the_process_can_be_sent(fake: SevenSites) -> None:
    with pytest.raises(BadOptions, match="headers: a secret's variable must be named FOOTPATH_SECRET_"):
        from_options(fake.options(headers={"X": "{secret:SECRET_KEY}"}))
