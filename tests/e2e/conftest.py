"""The whole application with its sample websites and a worker, in this process, and pages of a real Chromium."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import pytest
from django.conf import LazySettings
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from annotate import sweeps
from annotate.config.asgi import application
from annotate.models import Person
from recorder.browser import launch_options
from tasks_admin import sample
from tasks_admin.operate import annotator
from tests.benchmark.running import TOKEN, RunningServer
from tests.cast import Worker
from tests.e2e.server import running

# Playwright's loop runs in the tests' thread, where the database is asked too.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
VIEWPORT = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@dataclass
class Site:
    """The running application: its address, its people, and the benchmark behind it."""

    url: str
    lead: Person
    p1: Person
    p2: Person
    benchmark: RunningServer

    def link(self, person: Person) -> str:
        return self.url + sample.sign_in_path(person)


@pytest.fixture
def site(
    transactional_db: None, settings: LazySettings, tmp_path: Path, work: Worker, in_background: Callable[..., None]
) -> Iterator[Site]:
    benchmark = RunningServer(tmp_path)
    settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN = benchmark.url, TOKEN
    lead, p1, p2 = sample.load()
    in_background(work.run)
    in_background(sweeps.end_lost_rounds, every=1.0)
    with running(application) as live:
        yield Site(live.url, lead, p1, p2, benchmark)
    benchmark.stop()


@pytest.fixture
def in_background() -> Iterator[Callable[..., None]]:
    """Run a function again and again in a thread until the test is over."""
    stop, threads = Event(), []

    def start(function: Callable[[], object], every: float = 0.1) -> None:
        def loop() -> None:
            while not stop.wait(every):
                function()
                connections.close_all()  # the next test empties the tables and must not wait for us

        threads.append(Thread(target=loop))
        threads[-1].start()

    yield start
    stop.set()
    for thread in threads:
        thread.join()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def working(site: Site, page: Page) -> Page:
    """P1 on the dashboard, with consent given and guidelines read."""
    annotator.sign_in(page, site.link(site.p1))
    annotator.accept_terms(page)
    return page


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until `condition` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.1)
