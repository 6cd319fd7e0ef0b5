from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from recorder.browser import launch_options
from tests.recorder_script.toy import Toy


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(), ignore_default_args=["--disable-back-forward-cache"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site() -> Toy:
    return Toy()


@pytest.fixture
def toy(site: Toy) -> Toy:
    site.clear()
    return site


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.errors = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.errors.append(error))  # type: ignore[attr-defined]
    yield page
    context.close()


@pytest.fixture
def wait(page: Page) -> Callable[[Callable[[], Any]], Any]:
    """Wait until something holds, for at most eight seconds."""

    def wait(holds: Callable[[], Any], seconds: float = 8) -> Any:
        for _ in range(int(seconds * 50)):
            if found := holds():
                return found
            page.wait_for_timeout(20)
        raise AssertionError("it never held")

    return wait
