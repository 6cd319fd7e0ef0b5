"""A gateway that really listens, a fake benchmark behind it, and pages of a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright

from recorder import recordings
from recorder.browser import launch_options
from recorder.environments.base import Adapter, TaskRef
from recorder.models import Recording
from tests.environments.seven_sites import SevenSites
from tests.recorder.conftest import Browser as Asking
from tests.recorder.conftest import live

__all__ = ["Asking", "live"]


@pytest.fixture
def fake() -> Iterator[SevenSites]:
    fake = SevenSites()
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def record(adapter: Adapter, ref: TaskRef) -> Recording:
    """A recording of a session that the adapter prepares."""
    return recordings.open_recording(session=adapter.prepare(ref), adapter=adapter.name, seed=ref.seed, task=ref.task)
