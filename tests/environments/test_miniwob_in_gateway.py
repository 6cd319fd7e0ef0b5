"""MiniWoB++ by real input through the gateway: what the server scores is the page's own reward, and the trace is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from recorder import recordings
from recorder.environments.base import TaskRef
from recorder.environments.control import ControlClient
from recorder.environments.miniwob import MiniwobAdapter
from tasks_admin.benchmark.miniwob.seeding import state_of
from tasks_admin.benchmark.miniwob.tasks import TASKS
from tests.benchmark.running import TOKEN, RunningServer
from tests.e2e.conftest import until
from tests.e2e.server import Live
from tests.environments.conftest import record
from tests.environments.miniwob_solvers import SOLVERS

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
SEED = 7
READY = "typeof WOB_TASK_READY !== 'undefined' && WOB_TASK_READY && core.EP_TIMER !== null"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = RunningServer(Path(tmp_path_factory.mktemp("sessions")))
    yield running
    running.stop()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 900, "height": 700})
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def test_forty_tasks_of_different_kinds_are_solved_by_hand() -> None:
    assert len(SOLVERS) >= 40
    assert SOLVERS.keys() <= {task.id for task in TASKS}


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_the_score_is_the_pages_own_reward(live: Live, server: RunningServer, page: Page, name: str) -> None:
    adapter = MiniwobAdapter(ControlClient(server.url, TOKEN))
    recording = record(adapter, TaskRef("miniwob", name, None, SEED))
    page.context.grant_permissions(
        ["clipboard-read", "clipboard-write"], origin=recordings.recording_origin(recording.key)
    )
    page.goto(recordings.recording_url(recording))
    page.wait_for_function(READY)
    assert page.locator("#reward-display").is_hidden()
    SOLVERS[name](page)
    page.wait_for_function("WOB_DONE_GLOBAL")
    reward = page.evaluate("WOB_RAW_REWARD_GLOBAL")
    assert page.evaluate("WOB_REWARD_GLOBAL") > 0.9 * reward, "no time limit is felt"
    until(lambda: server.session(recording.session).tables.get("episode", 1)["reward"] is not None)
    verdict = adapter.evaluate(recording.session)
    assert (verdict.score, verdict.passed, verdict.source) == (reward, True, "page")
    assert adapter.instruction(recording.session)
    recordings.begin_closing(recording)
    until(lambda: page.wait_for_timeout(30) or recordings.is_drained(recording))  # type: ignore[func-returns-value]
    assert recordings.close_recording(recording).complete
    assert any(event["origin"] == "user" for event in recordings.raw_events(recording))


@pytest.mark.parametrize("seed", [0, 1, 7, 42, 123456789])
def test_the_episode_is_that_of_the_seed_though_the_page_is_not_told_it(
    server: RunningServer, page: Page, seed: int
) -> None:
    prepared = server.prepare("click-button", site="miniwob", seed=seed)
    page.goto(prepared["upstream"] + prepared["start_path"])
    page.wait_for_function(READY)
    drawn = "Array.from({ length: 20 }, () => Math.random())"
    theirs = page.evaluate(f"(seed) => {{ Math.seedrandom(seed); return {drawn}; }}", seed)
    ours = page.evaluate(f"(state) => {{ Math.seedrandom('', {{ state }}); return {drawn}; }}", state_of(seed))
    assert ours == theirs


def test_warm_is_the_same_episode_as_cold(server: RunningServer, page: Page) -> None:
    seen = []
    for _ in range(2):
        prepared = server.prepare("book-flight", site="miniwob", seed=11)
        page.goto(prepared["upstream"] + prepared["start_path"])
        page.wait_for_function(READY)
        seen.append((page.locator("#query").text_content(), page.evaluate("Math.random()")))
    assert seen[0] == seen[1]


def test_every_task_of_the_package_begins_and_tells_what_it_asks(server: RunningServer, chromium: Browser) -> None:
    context = chromium.new_context()
    silent = []
    for task in TASKS:
        prepared = server.prepare(task.id, site="miniwob", seed=SEED)
        page = context.new_page()
        page.goto(prepared["upstream"] + prepared["start_path"], wait_until="commit")
        try:
            page.wait_for_function(READY, timeout=20_000)
            until(lambda: bool(server.session(prepared["id"]).tables.get("episode", 1)["utterance"]))  # noqa: B023
        except Exception:  # noqa: BLE001  (all that are silent are named at once)
            silent.append(task.id)
        page.close()
    context.close()
    assert silent == []
