"""A recording ends when it is told to, on a page that never finished loading too; and says what is wrong with an address."""

from __future__ import annotations

import asyncio
import signal
from threading import Event

import pytest
from aiohttp import web
from playwright.sync_api import Browser

from recorder.harness import record as record_module
from recorder.harness.desk import Desk
from recorder.harness.errors import HarnessError
from recorder.harness.record import WAYS, Take, read_address
from recorder.harness.stop import stop_wish
from tests.recorder.toy import ToySite, running

PAGE = "<!doctype html><img src=/endless><button id=b onclick=\"fetch('/clicked')\">Go</button>"


@pytest.mark.parametrize(
    "url", ["http://[::1/", "http://127.0.0.1:99999/", "http://:80/", "ftp://example.org/", "page.html"]
)
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(HarnessError, match="is no web address"):
        read_address(url)


def test_the_first_interrupt_is_a_wish_and_the_second_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_wish() as stop:
        assert not stop.is_set()
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.e2e
@pytest.mark.parametrize("via", WAYS)
def test_a_page_that_never_loads_is_recorded_until_the_stop(
    via: str, chromium: Browser, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_module, "LOAD_S", 0.1)
    stop, ended = Event(), asyncio.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        reply = web.StreamResponse(headers={"Content-Type": "image/png"})
        await reply.prepare(request)
        await ended.wait()
        return reply

    async def clicked(request: web.Request) -> web.StreamResponse:
        stop.set()
        ended.set()
        return web.Response()

    actions = [{"do": "click", "at": "#b"}, {"do": "wait", "ms": 600_000}, {"do": "click", "at": "#b"}]
    with running(ToySite()) as site:
        site.answer("/page.html", PAGE)
        site.handlers |= {"/endless": endless, "/clicked": clicked}
        trace = Take(chromium, desk, read_address(site.origin + "/page.html"), actions, stop=stop).by(via)
    assert trace["proof"]["complete"], trace["proof"]
    assert [(step["type"], step["target"]["css"]) for step in trace["steps"]] == [("click", "#b")]
