"""The page as the person saw it: captured in a real Chromium, without its secrets, and without a trace in the page."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright

from recorder import recordings
from recorder.browser import launch_options
from recorder.capture.query import events_of, page_events, pages_of
from recorder.environments.base import Session
from recorder.models import CaptureChunk, Recording
from tests.e2e.server import Live
from tests.e2e.test_gateway_in_chromium import PAGE, POLICIES, finish
from tests.recorder.conftest import live, site, toy_site
from tests.recorder.toy import ToySite

__all__ = ["live", "site", "toy_site"]
pytestmark = pytest.mark.e2e
# Playwright's loop runs in the tests' thread, where the database is asked too.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000"
    "000049454e44ae426082"
)


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.errors = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.errors.append(error))  # type: ignore[attr-defined]
    yield page
    assert page.errors == []  # type: ignore[attr-defined]
    context.close()


@pytest.fixture
def recording(site: ToySite, transactional_db: Any) -> Recording:
    session = Session("s1", site.origin, "/page.html", "Toy", None)
    return recordings.open_recording(session=session, adapter="static", capture=True)


def wait(page: Page, holds: Callable[[], Any], seconds: float = 20) -> Any:
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it never held"
        page.wait_for_timeout(50)
    return found


def captured(recording: Recording) -> list[dict[str, Any]]:
    return [event for _, events in events_of(recording) for event in events]


def text_of(recording: Recording) -> str:
    chunks = CaptureChunk.objects.filter(page__recording=recording).order_by("page", "n")
    return "\n".join(gzip.decompress(chunk.body).decode() for chunk in chunks)


def open_and_wait(recording: Recording, page: Page) -> None:
    page.goto(recordings.recording_url(recording))
    wait(page, lambda: any(event["type"] == 2 for event in captured(recording)))


@pytest.mark.parametrize("name", POLICIES)
def test_both_run_under(live: Live, site: ToySite, recording: Recording, page: Page, name: str) -> None:
    policy = POLICIES[name]
    site.answer("/page.html", PAGE, **({"Content_Security_Policy": policy} if policy else {}))
    page.goto(recordings.recording_url(recording))
    wait(page, lambda: any(event["type"] == 2 for event in captured(recording)))
    page.click("#go")
    assert finish(recording, page).complete
    wait(page, lambda: all(one.row.ended for one in pages_of(recording)))
    (one,) = pages_of(recording)
    assert one.missing == ""
    assert one.doc == recording.documents.get().doc
    assert [event["data"]["type"] for event in page_events(one) if event["data"].get("source") == 2][-1] is not None
    inline_runs = not policy or "'unsafe-inline'" in policy or "trusted" in name
    assert page.title() == ("hit" if inline_runs else "T")
