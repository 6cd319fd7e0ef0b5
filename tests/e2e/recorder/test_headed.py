"""A recording by hand: without a display it says so; with one, closing the window ends it."""

from __future__ import annotations

import itertools
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, BrowserContext

from recorder.harness import record as record_module
from recorder.harness.desk import Desk
from recorder.harness.errors import HarnessError
from recorder.harness.record import WAYS, Take, read_address, record
from recorder.harness.serve import gateway_port
from tests.e2e.recorder.site import serve

PAGE = "<!doctype html><title>Mine</title><button id=b>Go</button>"


def test_without_a_display_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(HarnessError, match=r"no display here .* --drive"):
        record("http://127.0.0.1:9/", via="harness", actions=None, stop=Event())


@pytest.mark.e2e
@pytest.mark.parametrize("via", WAYS)
def test_closing_the_last_window_ends_it(
    via: str, chromium: Browser, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    wait, turns = record_module.idle, itertools.count()

    def person(context: BrowserContext, ms: float) -> None:
        """Nobody is at a test's display: after a while the hand clicks, then closes the window."""
        wait(context, ms)
        turn = next(turns)
        if turn == 2:
            context.pages[0].click("#b")
        if turn == 5:
            context.pages[0].close()

    monkeypatch.setattr(record_module, "idle", person)
    with serve(tmp_path) as origin, gateway_port() as port:
        trace = Take(chromium, desk, read_address(origin + "/page.html"), None).by(via, port)
    assert trace["proof"]["complete"], trace["proof"]
    assert [(step["type"], step["target"]["css"]) for step in trace["steps"]] == [("click", "#b")]
    assert trace["documents"][0]["closed"] is not None
