"""The gateway against a toy site: its own addresses, and what goes through under the right names."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import brotli
import pytest
from aiohttp import web
from django.db import connection

from recorder import recordings
from recorder.gateway import vouch
from recorder.gateway.script import EVENTS, scripts, tag
from recorder.models import Event, Recording, SiteRequest
from tests.e2e.server import Live
from tests.recorder.conftest import PAGE, Browser, Got, logged, wait_for
from tests.recorder.test_ingest import body, event, note
from tests.recorder.toy import ToySite


def test_the_site_sees_its_own_names_and_the_browsers_headers(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE)
    origin = f"http://{browser.host}"
    browser.get(
        "/page.html?a=%2F&b=ä".replace("ä", "%C3%A4"),
        Origin=origin,
        Referer=origin + "/from?x=1",
        X_Own="kept",
        X_Forwarded_For="1.2.3.4",
    )
    asked = site.asked[-1]
    assert asked.target == "/page.html?a=%2F&b=%C3%A4"
    assert asked.header("Host") == f"127.0.0.1:{site.port}"
    assert asked.header("Origin") == site.origin
    assert asked.header("Referer") == site.origin + "/from?x=1"
    assert asked.header("X-Own") == "kept"
    assert asked.header("X-Forwarded-For") is None
    assert asked.header("User-Agent") is None
    assert "zstd" not in (asked.header("Accept-Encoding") or "")


def test_what_names_the_upstream_is_renamed_in_replies(browser: Browser, site: ToySite) -> None:
    site.answer(
        "/page.html",
        "",
        status=302,
        Location=site.origin + "/next?u=" + site.origin,
        Set_Cookie=["a=1; Domain=127.0.0.1; Path=/", "b=2; HttpOnly"],
        Access_Control_Allow_Origin=site.origin,
    )
    got, origin = browser.get(), f"http://{browser.host}"
    assert got.status == 302
    assert (
        got.header("location") == origin + "/next?u=" + site.origin
        or got.header("location") == f"{origin}/next?u={origin}"
    )
    assert got.all("set-cookie")[:2] == ["a=1; Path=/", "b=2; HttpOnly"]
    assert got.header("access-control-allow-origin") == origin


def test_redirects_are_not_followed_and_nothing_is_sent_twice(browser: Browser, site: ToySite) -> None:
    async def drop(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    site.handlers["/order"] = drop
    got = browser.get("/order")
    assert got.status == 502
    assert b"does not answer" in got.body
    assert len(site.asked) == 1
    (row,) = logged(1)
    assert (row.status, row.path) == (0, "/order")
    assert row.error


def test_a_dead_upstream_gets_a_page_in_plain_words(live: Live, transactional_db: Any, settings: Any) -> None:
    recording = recordings.open_recording(
        session=recordings.Session("s", "http://127.0.0.1:9", "/", "T", None), adapter="static"
    )
    got = Browser(live.port, f"{recording.key}.{settings.ENV_HOST}").get("/")
    assert got.status == 502
    assert b"The website does not answer" in got.body


def test_unknown_closed_and_reserved_addresses(
    browser: Browser, live: Live, site: ToySite, recording: Recording, settings: Any
) -> None:
    site.answer("/control/reset", "secret")
    assert Browser(live.port, f"nobody.{settings.ENV_HOST}").get("/").status == 404
    for path in (
        "/control/reset",
        "//control/reset",
        "/x/../control/reset",
        "/%63ontrol/reset",
        "/control/reset;a=1",
        "/control;x=1/reset",
        "/control/reset%20",
        "/control/reset.",
        "/control./reset",
        "/control/reset%00",
        "/control/reset%00.png",
        "/__footpath__/other",
        "/__footpath__/r.0.js",
    ):
        assert browser.get(path).status == 404, path
    assert site.asked == []


def test_a_recording_that_is_over_lets_nothing_through_from_that_moment(
    browser: Browser, site: ToySite, recording: Recording
) -> None:
    site.answer("/page.html", "<p>open</p>")
    assert browser.get().status == 200
    recordings.close_recording(recording)
    got = browser.get()
    assert got.status == 410
    assert b"This recording is over; you can close this tab" in got.body
    assert browser.ask("POST", "/buy", b"all of it", Sec_Fetch_Dest="empty").status == 410
    assert browser.ask("POST", "/__footpath__/events", body(event(0))).status == 410
    assert len(site.asked) == 1


def test_the_script_is_served_for_good_and_to_sandboxed_frames_too(browser: Browser) -> None:
    got = browser.ask("GET", scripts().recorder.path, Accept_Encoding="identity")
    assert got.body == scripts().recorder.body
    assert "immutable" in (got.header("cache-control") or "")
    assert got.header("access-control-allow-origin") == "*"
    assert scripts().recorder.path in tag()


@pytest.mark.parametrize(
    ("asked", "coding"), [("gzip, deflate, br, zstd", "br"), ("gzip;q=0.5", "gzip"), ("br;q=0", None)]
)
def test_the_script_is_sent_as_small_as_the_browser_takes_it(browser: Browser, asked: str, coding: str | None) -> None:
    got = browser.ask("GET", scripts().recorder.path, Accept_Encoding=asked)
    assert got.header("content-encoding") == coding
    unpack = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[coding]
    assert unpack(got.body) == scripts().recorder.body
    assert got.header("vary") == "Accept-Encoding"


def test_events_are_taken_and_answered(browser: Browser, recording: Recording) -> None:
    got = browser.ask("POST", "/__footpath__/events", body(event(0), event(1)), Content_Type="application/x-ndjson")
    assert got.status == 200
    assert got.json() == {"ack": {"d1": 1}, "refused": [], "state": "open", "tab": {"d1": 1}}
    assert Event.objects.filter(recording=recording).count() == 2


def test_bad_posts_get_clear_codes(browser: Browser, live: Live, settings: Any) -> None:
    settings.RECORDER_MAX_BATCH_BYTES = 1000
    assert browser.ask("POST", "/__footpath__/events", b"{").json()["code"] == "malformed"
    assert browser.ask("POST", "/__footpath__/events", b"x" * 2000).status == 413
    assert browser.ask("GET", "/__footpath__/events").status == 405
    assert browser.ask("OPTIONS", "/__footpath__/events").status == 204
    stranger = Browser(live.port, f"nobody.{settings.ENV_HOST}")
    assert stranger.ask("POST", "/__footpath__/events", body(event(0))).status == 404


def test_the_first_document_starts_the_recordings_time(browser: Browser, site: ToySite, recording: Recording) -> None:
    site.answer("/page.html", PAGE)
    site.answer("/x.css", "", kind="text/css")
    browser.get("/x.css", Sec_Fetch_Dest="style")
    recording.refresh_from_db()
    assert recording.started_at is None
    browser.get()
    recording.refresh_from_db()
    assert recording.started_at is not None


def test_requests_are_logged_with_secrets_masked(
    browser: Browser, site: ToySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vouch, "AT_LEAST", timedelta())
    monkeypatch.setattr(vouch, "TOLD_AFTER", timedelta())
    site.answer(
        "/login", gzip.compress(b'{"token":"abc","name":"Ada"}'), kind="application/json", Content_Encoding="gzip"
    )
    browser.ask(
        "POST",
        "/login?api_key=k1",
        b'{"user":"ada","password":"hunter2"}',
        Content_Type="application/json",
        Sec_Fetch_Dest="empty",
    )
    (row,) = logged(1)
    assert (row.method, row.path, row.status) == ("POST", "/login?api_key=***", 200)
    assert row.request_body == '{"user":"***","password":"***"}'
    browser.ask("POST", EVENTS, body(docs=[note()]))
    wait_for(lambda: '{"user":"ada","password":"***"}' in SiteRequest.objects.values_list("request_body", flat=True))
    row.refresh_from_db()
    assert row.response_body == '{"token":"***","name":"Ada"}'
    assert row.request_bytes == 35
    assert site.asked[0].body == b'{"user":"ada","password":"hunter2"}'


def test_head_requests(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE)
    got = browser.ask("HEAD", "/page.html")
    assert (got.status, got.body) == (200, b"")


def test_header_names_that_repeat_keep_their_order(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", "x", kind="text/plain", X_Many=["1", "2", "3"])
    got: Got = browser.get()
    assert got.all("x-many") == ["1", "2", "3"]


def test_a_database_that_was_restarted_is_asked_again(browser: Browser) -> None:
    with ThreadPoolExecutor(8) as many:
        assert {got.status for got in many.map(lambda _: browser.get("/nothing"), range(24))} == {404}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert cursor.rowcount > 1
    assert browser.get("/nothing").status == 404
