from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright

from recorder.browser import launch_options
from tests.recorder_script.toy import Toy

Wait = Callable[..., Any]
Event = dict[str, Any]


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options(), ignore_default_args=["--disable-back-forward-cache"])
    yield browser
    browser.close()


@pytest.fixture
def toy() -> Iterator[Toy]:
    """A site of the test's own: pages of the test before it may still say their farewell to theirs."""
    toy = Toy()
    yield toy
    toy.stop()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.errors = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.errors.append(error))  # type: ignore[attr-defined]
    yield page
    context.close()


@pytest.fixture
def wait(page: Page) -> Wait:
    """Wait until something holds, for at most twenty seconds (a machine may be busy)."""

    def wait(holds: Callable[[], Any], seconds: float = 20) -> Any:
        end = time.monotonic() + seconds
        while not (found := holds()):
            assert time.monotonic() < end, "it never held"
            try:
                page.wait_for_timeout(20)
            except Error:  # the page has crashed
                time.sleep(0.02)
        return found

    return wait


@pytest.fixture
def shown(toy: Toy, page: Page) -> Callable[..., None]:
    """Open a page with this body."""

    def show(body: str, **others: str) -> None:
        toy.pages = {"/p": f"<!doctype html><html><head></head><body>{body}</body></html>"}
        toy.pages |= {
            "/" + name: f"<!doctype html><html><head></head><body>{html}</body></html>" for name, html in others.items()
        }
        page.goto(toy.url + "/p")

    return show


@pytest.fixture
def events(toy: Toy, page: Page, wait: Wait) -> Callable[..., list[Event]]:
    """Events of these types once there are at least `least`."""

    def get(*types: str, least: int = 1) -> list[Event]:
        wait(lambda: len(toy.of(*types)) >= least)
        page.wait_for_timeout(300)
        assert [event for event in toy.of("blind") if event["reason"] == "recorder fault"] == []
        return toy.of(*types)

    return get
