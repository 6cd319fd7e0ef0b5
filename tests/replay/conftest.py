"""Pages recorded through the gateway by real input, and replayed at the site itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright

from recorder.browser import launch_options
from recorder.harness.desk import Desk
from recorder.harness.record import Take, read_address
from recorder.harness.serve import gateway_port
from recorder.replay.engine import Run
from recorder.replay.player import Settings
from recorder.replay.results import Replay
from recorder.replay.source import Source, source_of
from tests.e2e.recorder.site import serve


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with gateway_port() as running:
        yield running


@pytest.fixture
def desk(transactional_db: None) -> Iterator[Desk]:
    with Desk() as running:
        yield running


@dataclass
class Lab:
    """Records and replays pages of one folder. `origin` is where the folder is served."""

    chromium: Browser
    desk: Desk
    port: int
    folder: Path
    origin: str

    def record(self, drive: list[dict[str, Any]], page: str = "page.html") -> dict[str, Any]:
        """The trace of a drive on `page`."""
        address = read_address(f"{self.origin}/{page}")
        return Take(self.chromium, self.desk, address, drive, self.folder).by("gateway", self.port)

    def replay(
        self, trace: dict[str, Any], state: list[str] | None = None, page: str = "page.html", **settings: Any
    ) -> tuple[Replay, list[Any]]:
        """The replay of a trace, and what each script of `state` gives in the last tab afterwards."""
        source = source_of(json.loads(json.dumps(trace)))
        with_moved = Settings(moved={source.origin: self.origin}, **settings)
        context = self.chromium.new_context(**source.window())
        try:
            run = Run(context, source, with_moved, None)
            run.open(f"{self.origin}/{page}")
            run.play()
            run.result.notes += run.stage.unasked
            living = [tab for tab in run.stage.pages if not tab.is_closed()]
            return run.result, [living[-1].evaluate(script) for script in state or []]
        finally:
            context.close()


@pytest.fixture
def lab(chromium: Browser, desk: Desk, port: int, tmp_path: Path) -> Callable[[Path | None], Any]:
    """A context manager that serves a folder (a fresh one without an argument) and gives its lab."""
    return lambda folder=None: Laid(chromium, desk, port, folder or tmp_path)


@dataclass
class Laid:
    """Serves the folder of a lab while it is used."""

    chromium: Browser
    desk: Desk
    port: int
    folder: Path

    def __enter__(self) -> Lab:
        self.served = serve(self.folder)
        return Lab(self.chromium, self.desk, self.port, self.folder, self.served.__enter__())

    def __exit__(self, *_: object) -> None:
        self.served.__exit__(None, None, None)


def faults(replay: Replay) -> list[str]:
    """What did not go as recorded, a sentence each."""
    told = [
        f"{step.index + 1} {step.type} {step.outcome}: {step.why}" for step in replay.steps if step.outcome != "done"
    ]
    return told + ([replay.error] if replay.error else []) + replay.notes


__all__ = ["Lab", "Source", "faults"]
