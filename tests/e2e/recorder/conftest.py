from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from recorder.harness.desk import Desk
from recorder.harness.record import browser

# Playwright's loop runs in the tests' thread, where pytest-django empties the database after each test.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a module: each records in a context of its own."""
    with browser(headless=True) as running:
        yield running


@pytest.fixture
def desk(transactional_db: None) -> Iterator[Desk]:
    with Desk() as running:
        yield running
