"""Fixtures that every test may use."""

import os
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from playwright.sync_api import Playwright, sync_playwright

from tests import emptying
from tests.cast import cast, toy, work

# Playwright's loop runs in the tests' thread, where the database is asked too.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
__all__ = ["cast", "toy", "work"]
emptying.install()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--histories", type=int, default=0, help="how many random histories of rounds are told (20)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Modules with slow tests first: at the end one core would wait for the other while they run."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def channel_layer_in_memory(settings: LazySettings) -> None:
    """News stay in the process: the test database has no tables for them in time."""
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}


@pytest.fixture(scope="module")
def driver() -> Iterator[Playwright]:
    """The one Playwright of a module: a second one in the same thread is refused, and so is asyncio.run while it lives."""
    with sync_playwright() as playwright:
        yield playwright
