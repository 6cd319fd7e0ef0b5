"""What a website does besides pages works through the gateway in a real Chromium, and is recorded where it is an event."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from playwright.sync_api import Page

from recorder import recordings
from recorder.environments.base import Session
from recorder.models import Recording
from tests.e2e.server import Live
from tests.e2e.test_gateway_in_chromium import PAGE, chromium, clicks, finish, page
from tests.recorder.conftest import live, recording, site, toy_site
from tests.recorder.toy import ToySite

__all__ = ["chromium", "live", "page", "recording", "site", "toy_site"]
pytestmark = pytest.mark.e2e

WORKER = """
addEventListener('install', () => skipWaiting());
addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => { if (new URL(e.request.url).pathname == '/made') e.respondWith(new Response('by the worker')); });
"""
READY = "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => true)"


def test_a_parents_cookie_set_by_script_ends_with_its_recording(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    site.answer("/page.html", PAGE)
    page.goto(recordings.recording_url(recording))
    page.evaluate("document.cookie = 'stray=1; domain=env.localhost; path=/; max-age=9999'")
    page.evaluate("document.cookie = 'own=1; path=/'")
    assert page.evaluate("document.cookie") == "stray=1; own=1"
    page.reload()
    assert site.asked[-1].header("cookie") == "stray=1; own=1"
    session = Session("s2", site.origin, "/page.html", "Toy", None, ())
    later = recordings.open_recording(session=session, adapter="static")
    page.goto(recordings.recording_url(later))
    assert site.asked[-1].header("cookie") is None
    assert page.evaluate("document.cookie") == ""
    page.reload()
    assert site.asked[-1].header("cookie") is None


def test_a_service_worker_serves_and_pages_under_it_are_recorded(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    site.answer("/page.html", PAGE)
    site.answer("/sw.js", WORKER, kind="text/javascript")
    page.goto(recordings.recording_url(recording))
    assert page.evaluate(READY)
    page.reload()
    assert page.evaluate("!!navigator.serviceWorker.controller")
    assert page.evaluate("fetch('/made').then(r => r.text())") == "by the worker"
    page.click("#go")
    assert finish(recording, page).complete
    assert len(clicks(recording)) == 1


def test_events_of_the_server_reach_the_page_one_by_one(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    more = asyncio.Event()

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"id: 7\ndata: first\n\n")
        await more.wait()
        await response.write(b"data: second\n\n")
        await asyncio.sleep(60)
        return response

    site.answer("/page.html", PAGE)
    site.handlers["/sse"] = stream
    page.goto(recordings.recording_url(recording))
    page.evaluate("window.got = []; new EventSource('/sse').onmessage = (e) => got.push(e.lastEventId + e.data); 0")
    page.wait_for_function("got.length == 1")
    assert site.loop is not None
    site.loop.call_soon_threadsafe(more.set)
    page.wait_for_function("got.length == 2")
    assert page.evaluate("got") == ["7first", "7second"]


def test_ranges_are_the_sites_own(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    content = bytes(range(256)) * 40

    async def part(request: web.Request) -> web.StreamResponse:
        span = request.http_range
        headers = {"Content-Range": f"bytes {span.start}-{span.stop - 1}/{len(content)}", "Accept-Ranges": "bytes"}
        return web.Response(status=206, body=content[span], headers=headers)

    site.answer("/page.html", PAGE)
    site.handlers["/film"] = part
    page.goto(recordings.recording_url(recording))
    got: Any = page.evaluate(
        "fetch('/film', {headers: {Range: 'bytes=250-259'}}).then(async r => "
        "[r.status, r.headers.get('content-range'), [...new Uint8Array(await r.arrayBuffer())]])"
    )
    assert got == [206, "bytes 250-259/10240", [*range(250, 256), *range(4)]]


@pytest.mark.parametrize("how", ["attachment", "download"])
def test_downloads_are_whole_and_recorded_where_the_page_says_so(
    live: Live, site: ToySite, recording: Recording, page: Page, how: str
) -> None:
    content = b"<html>" + b"x" * 300_000
    mark = " download=mine.html" if how == "download" else ""
    site.answer("/page.html", PAGE.replace("<body>", f"<body><a id=d href=/file{mark}>get</a>"))
    disposition = {"Content_Disposition": "attachment; filename=file.html"} if how == "attachment" else {}
    site.answer("/file", content, **disposition)
    page.goto(recordings.recording_url(recording))
    with page.expect_download() as download:
        page.click("#d")
    with open(download.value.path(), "rb") as file:
        assert file.read() == content
    assert download.value.suggested_filename == ("mine.html" if mark else "file.html")
    page.click("#go")
    assert finish(recording, page).complete
    told = [event["name"] for event in recordings.raw_events(recording) if event["type"] == "download"]
    assert told == (["mine.html"] if mark else [])


def test_a_tab_the_person_closed_is_told(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    site.answer("/page.html", PAGE.replace("<body>", "<body><a id=n href=next.html target=_blank>New</a>"))
    site.answer("/next.html", PAGE)
    page.goto(recordings.recording_url(recording))
    with page.expect_popup() as popup:
        page.click("#n")
    popup.value.click("#go")
    popup.value.close()
    page.click("#go")
    proof = finish(recording, page)
    assert proof.complete, proof
    tabs = [(e["tab"], e["action"], e["origin"]) for e in recordings.raw_events(recording) if e["type"] == "tab"]
    assert tabs == [(1, "open", "page"), (2, "open", "page"), (2, "close", "user")]
