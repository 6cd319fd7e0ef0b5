"""Does an adapter keep the protocol? Tests that any package can run against its own, with pytest and nothing else of ours.

    import pytest
    from recorder.environments.conformance import Case, Conformance

    class TestMine(Conformance):
        @pytest.fixture
        def case(self) -> Case:
            return Case(adapter=MyAdapter(...), ref=TaskRef("shop", "buy-tea", None, seed=7))

Give the case `solve` (does the task in a session) to have a passing verdict tested, `break_down` and `mend` (take the environment
away and bring it back) to have an outage tested, and `unknown` (a task that is not there). What a case lacks is not tested.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from recorder.environments.base import (
    Adapter,
    EnvironmentDown,
    Health,
    Session,
    SessionForgotten,
    TaskRef,
    UnknownTask,
    Verdict,
)

MAX_ID = 200  # characters of a session id
GONE = "no-such-session"


@dataclass
class Case:
    """An adapter to be tested, with a task of its environment. `opened` is told of each session that was prepared."""

    adapter: Adapter
    ref: TaskRef
    solve: Callable[[Session], None] | None = None
    opened: Callable[[Session], None] = lambda session: None
    unknown: TaskRef | None = None
    break_down: Callable[[], None] | None = None
    mend: Callable[[], None] | None = None

    def prepare(self) -> Session:
        """A session of the case's task."""
        session = self.adapter.prepare(self.ref)
        self.opened(session)
        return session


class Conformance:
    """The protocol, one rule a test. A subclass gives the fixture `case`."""

    def test_it_has_all_parts(self, case: Case) -> None:
        assert isinstance(case.adapter, Adapter)
        assert case.adapter.name
        assert case.adapter.name.isascii()
        assert isinstance(case.adapter.repeatable, bool)

    def test_a_probe_of_what_is_up_is_good(self, case: Case) -> None:
        health = case.adapter.probe()
        assert isinstance(health, Health)
        assert health.ok, health.detail
        assert health.ms >= 0

    def test_a_prepared_session_says_where_it_is(self, case: Case) -> None:
        session = case.prepare()
        assert isinstance(session, Session)
        assert 0 < len(session.id) <= MAX_ID
        upstream = urlsplit(session.upstream)
        assert upstream.scheme in ("http", "https", "file"), "upstream is an origin, or a folder"
        if upstream.scheme != "file":
            assert upstream.netloc
            assert upstream.path in ("", "/"), "upstream is an origin without a path"
        assert session.start_path.startswith("/")
        assert not session.start_path.startswith("//")
        assert all(pattern.startswith("/") for pattern in session.refuse)
        case.adapter.close(session.id)

    def test_sessions_are_apart(self, case: Case) -> None:
        first, second = case.prepare(), case.prepare()
        assert first.id != second.id
        case.adapter.close(first.id)
        assert isinstance(case.adapter.evaluate(second.id), Verdict), "closing one must not end the other"
        case.adapter.close(second.id)

    def test_a_task_left_alone_is_not_passed(self, case: Case) -> None:
        session = case.prepare()
        verdict = case.adapter.evaluate(session.id)
        assert_sound(verdict)
        assert not verdict.passed, "nothing was done, and it passed"
        case.adapter.close(session.id)

    def test_a_solved_task_is_passed(self, case: Case) -> None:
        if case.solve is not None:
            session = case.prepare()
            case.solve(session)
            verdict = case.adapter.evaluate(session.id)
            assert_sound(verdict)
            assert verdict.passed, verdict
            case.adapter.close(session.id)

    def test_a_repeatable_verdict_stays(self, case: Case) -> None:
        if case.adapter.repeatable:
            session = case.prepare()
            assert case.adapter.evaluate(session.id) == case.adapter.evaluate(session.id)
            case.adapter.close(session.id)

    def test_reset_gives_the_same_task_afresh(self, case: Case) -> None:
        session = case.prepare()
        if case.solve is not None:
            case.solve(session)
        again = case.adapter.reset(session.id, case.ref)
        case.opened(again)
        assert (again.title, again.instruction) == (session.title, session.instruction)
        assert (again.upstream, again.refuse) == (session.upstream, session.refuse)
        assert not case.adapter.evaluate(again.id).passed, "what was done before the reset still counts"
        case.adapter.close(again.id)

    def test_a_session_that_is_not_there_is_said_to_be_so(self, case: Case) -> None:
        with pytest.raises(SessionForgotten):
            case.adapter.reset(GONE, case.ref)
        with pytest.raises(SessionForgotten):
            case.adapter.evaluate(GONE)

    def test_closing_twice_is_no_error(self, case: Case) -> None:
        session = case.prepare()
        case.adapter.close(session.id)
        case.adapter.close(session.id)

    def test_the_backends_record_is_a_list(self, case: Case) -> None:
        session = case.prepare()
        record = case.adapter.backend_record(session.id)
        assert isinstance(record, list)
        assert all(isinstance(entry, dict) for entry in record)
        case.adapter.close(session.id)

    def test_an_unknown_task_is_said_to_be_so(self, case: Case) -> None:
        if case.unknown is not None:
            with pytest.raises(UnknownTask):
                case.adapter.prepare(case.unknown)

    def test_an_outage_is_said_to_be_so(self, case: Case) -> None:
        if case.break_down is None or case.mend is None:
            return
        session = case.prepare()
        case.break_down()
        try:
            health = case.adapter.probe()
            assert not health.ok
            assert health.detail, "a probe that fails says why"
            with pytest.raises(EnvironmentDown):
                case.prepare()
        finally:
            case.mend()
        assert case.adapter.probe().ok
        assert_sound(case.adapter.evaluate(session.id))


def assert_sound(verdict: Verdict) -> None:
    """A verdict that can be kept."""
    assert isinstance(verdict, Verdict)
    assert math.isfinite(verdict.score)
    assert 0 <= verdict.score <= 1
    assert isinstance(verdict.passed, bool)
    assert verdict.source in ("server", "page", "declared")
    for check in verdict.checks:
        assert check.name
        assert isinstance(check.passed, bool)
        assert check.kind in ("obligation", "invariant", "page")
