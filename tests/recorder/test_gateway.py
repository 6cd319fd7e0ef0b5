"""The gateway against a toy site: the recorder goes in, everything else goes through untouched."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import brotli
import pytest
from aiohttp import ClientSession, WSMsgType, web
from django.db import connection

from recorder import recordings
from recorder.gateway import vouch
from recorder.gateway.script import EVENTS, scripts, tag
from recorder.models import Event, Recording, SiteRequest
from tests.e2e.server import Live
from tests.recorder.conftest import Browser, Got
from tests.recorder.test_ingest import body, event, note
from tests.recorder.toy import ToySite

PAGE = "<!doctype html><html><head><title>T</title></head><body>x</body></html>"
INJECTED = PAGE.replace("<head>", "<head>" + tag())


def wait_for(found: Any, seconds: float = 5.0) -> Any:
    """The first true value of `found()`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def logged(count: int) -> list[SiteRequest]:
    wait_for(lambda: SiteRequest.objects.count() >= count)
    return list(SiteRequest.objects.order_by("pk"))


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("", lambda data: data),
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data)[2:-4]),
        ("br", brotli.compress),
        ("gzip", lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:])),
    ],
)
def test_documents_get_the_recorder_whatever_the_compression(
    browser: Browser, site: ToySite, encoding: str, pack: Any
) -> None:
    more = {"Content_Encoding": encoding} if encoding else {}
    site.answer("/page.html", pack(PAGE.encode()), ETag='"v1"', **more)
    got = browser.get()
    assert got.body.decode() == INJECTED
    assert got.header("content-encoding") is None
    assert got.header("etag") == f'"v1-fp{scripts().mark}"'
    assert "Sec-Fetch-Dest" in got.all("vary")


@pytest.mark.parametrize("status", [200, 404, 500, 403])
def test_documents_of_any_status(browser: Browser, site: ToySite, status: int) -> None:
    site.answer("/page.html", PAGE, status=status)
    got = browser.get()
    assert (got.status, got.body.decode()) == (status, INJECTED)


def test_html_that_a_script_reads_stays_untouched(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE)
    assert browser.get(Sec_Fetch_Dest="empty").body.decode() == PAGE
    assert browser.get(Sec_Fetch_Dest="iframe").body.decode() == INJECTED
    assert browser.get(Sec_Fetch_Dest="empty", Sec_Purpose="prefetch").body.decode() == INJECTED


def test_other_types_downloads_and_parts_stay_untouched(browser: Browser, site: ToySite) -> None:
    site.answer("/data", b'{"a":1}', kind="application/json")
    site.answer("/file", PAGE, Content_Disposition="attachment; filename=a.html")
    site.answer("/part", PAGE[:20], status=206, Content_Range="bytes 0-19/70")
    assert browser.get("/data").body == b'{"a":1}'
    assert browser.get("/file").body.decode() == PAGE
    assert browser.get("/part", Range="bytes=0-19").body.decode() == PAGE[:20]
    assert site.asked[-1].header("Range") == "bytes=0-19"


def test_xhtml_gets_a_well_formed_element(browser: Browser, site: ToySite) -> None:
    page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body/></html>'
    site.answer("/page.html", page, kind="application/xhtml+xml")
    assert browser.get().body.decode() == page.replace("<head>", "<head>" + tag(xml=True))


def test_a_picture_gets_the_recorder_only_where_it_is_a_document(browser: Browser, site: ToySite) -> None:
    picture = '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>'
    site.answer("/pic.svg", picture, kind="image/svg+xml")
    for destination in ("document", "iframe", "object", "embed"):
        got = browser.get("/pic.svg", Sec_Fetch_Dest=destination)
        assert got.body.decode() == picture.replace("<rect/>", tag(xml=True) + "<rect/>")
    for destination in ("image", "empty"):
        assert browser.get("/pic.svg", Sec_Fetch_Dest=destination).body.decode() == picture


def test_not_modified_goes_through_with_the_etag(browser: Browser, site: ToySite) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        same = request.headers.get("If-None-Match") == '"v1"'
        return web.Response(status=304 if same else 200, headers={"ETag": '"v1"'})

    site.handlers["/page.html"] = handler
    own = f'"v1-fp{scripts().mark}"'
    got = browser.get(If_None_Match=own)
    assert (got.status, got.body, got.header("etag")) == (304, b"", own)
    assert site.asked[-1].header("If-None-Match") == '"v1"'
    got = browser.get(If_None_Match='"v1"', Sec_Fetch_Dest="empty")
    assert (got.status, got.header("etag")) == (304, '"v1"')


def test_a_tag_of_one_variant_never_confirms_another(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE, ETag='"v1"')
    for tag_held, destination in (
        ('"v1"', "document"),
        ('"v1-fp000"', "document"),
        (f'W/"v1-fp{scripts().mark}"', "empty"),
    ):
        browser.get(If_None_Match=tag_held, Sec_Fetch_Dest=destination)
        assert site.asked[-1].header("If-None-Match") is None
    browser.get(If_None_Match=f'W/"v0-fp{scripts().mark}", "v1"')
    assert site.asked[-1].header("If-None-Match") == 'W/"v0"'


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


def test_csp_lets_the_recorder_in(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE, Content_Security_Policy="default-src 'none'; img-src *")
    policy = browser.get().header("content-security-policy") or ""
    assert f"script-src-elem http://{browser.host}{scripts().recorder.path}" in policy
    assert f"connect-src http://{browser.host}/__footpath__/events" in policy
    assert policy.startswith("default-src 'none'; img-src *")


@pytest.mark.parametrize("mib", [200, pytest.param(1024, marks=pytest.mark.slow)])
def test_uploads_and_downloads_stream_in_constant_memory(browser: Browser, site: ToySite, mib: int) -> None:
    size, piece = mib * 1024 * 1024, b"x" * (256 * 1024)
    got_bytes = 0

    async def take(request: web.Request) -> web.StreamResponse:
        nonlocal got_bytes
        async for chunk in request.content.iter_chunked(1 << 16):
            got_bytes += len(chunk)
        response = web.StreamResponse(headers={"Content-Length": str(size)})
        await response.prepare(request)
        for _ in range(size // len(piece)):
            await response.write(piece)
        return response

    take.streams = True  # type: ignore[attr-defined]
    site.handlers["/big"] = take
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=60)
    tracemalloc.start()
    pieces = (piece for _ in range(size // len(piece)))
    connection.request("POST", "/big", body=pieces, headers={"Host": browser.host, "Content-Length": str(size)})
    reply, received = connection.getresponse(), 0
    while chunk := reply.read(1 << 18):
        received += len(chunk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (got_bytes, received) == (size, size)
    assert peak < 40 * 1024 * 1024


def test_events_of_the_server_come_at_once_and_end_with_the_browser(browser: Browser, site: ToySite) -> None:
    ended = asyncio.Event()

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for number in range(1000):
                await response.write(f"data: {number}\n\n".encode())
                await asyncio.sleep(0.05)
        except (ConnectionError, asyncio.CancelledError):
            ended.set()
            raise
        return response

    site.handlers["/sse"] = stream
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=10)
    connection.request("GET", "/sse", headers={"Host": browser.host})
    reply = connection.getresponse()
    assert reply.read1(100).startswith(b"data: 0")
    reply.close()
    connection.close()
    wait_for(ended.is_set)
    assert logged(1)[0].error == "the browser went away"


def test_a_document_is_passed_on_while_it_comes(browser: Browser, site: ToySite) -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        await response.write(b"<!doctype html><html><head><title>a")
        await asyncio.sleep(3)
        await response.write(b"</title>")
        return response

    site.handlers["/slow"] = slow
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=10)
    began = time.monotonic()
    connection.request("GET", "/slow", headers={"Host": browser.host, "Sec-Fetch-Dest": "document"})
    first = connection.getresponse().read1(1000)
    assert time.monotonic() - began < 2
    assert first.decode() == f"<!doctype html><html><head>{tag()}<title>a"
    connection.close()


def test_a_reply_that_breaks_off_is_broken_off(browser: Browser, site: ToySite) -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain", "Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"only this")
        assert request.transport is not None
        request.transport.abort()
        return response

    site.handlers["/half"] = half
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        browser.get("/half")


def test_head_requests(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE)
    got = browser.ask("HEAD", "/page.html")
    assert (got.status, got.body) == (200, b"")


async def websocket_talk(browser: Browser) -> tuple[list[Any], str | None, int | None]:
    async with ClientSession() as session:
        url = f"http://127.0.0.1:{browser.port}/ws?x=1"
        headers = {"Host": browser.host, "Origin": f"http://{browser.host}"}
        async with session.ws_connect(url, headers=headers, protocols=["chat", "other"]) as socket:
            await socket.send_str("hello")
            await socket.send_bytes(b"\x00\xff")
            got = [(await socket.receive()).data for _ in range(2)]
            last = await socket.receive()
            assert last.type in (WSMsgType.CLOSE, WSMsgType.CLOSED, WSMsgType.CLOSING)
            return got, socket.protocol, socket.close_code


def test_websockets(browser: Browser, site: ToySite) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(protocols=["other"])
        await socket.prepare(request)
        for _ in range(2):
            message = await socket.receive()
            if message.type is WSMsgType.TEXT:
                await socket.send_str(message.data.upper())
            else:
                await socket.send_bytes(message.data)
        await socket.close(code=4001)
        return socket

    echo.streams = True  # type: ignore[attr-defined]
    site.handlers["/ws"] = echo
    got, protocol, code = asyncio.run(websocket_talk(browser))
    assert got == ["HELLO", b"\x00\xff"]
    assert (protocol, code) == ("other", 4001)
    asked = site.asked[0]
    assert asked.header("Origin") == site.origin
    assert asked.target == "/ws?x=1"


def test_header_names_that_repeat_keep_their_order(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", "x", kind="text/plain", X_Many=["1", "2", "3"])
    got: Got = browser.get()
    assert got.all("x-many") == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Content_Security_Policy": "sandbox allow-forms"}, "forbids all scripts"),
        ({"Content_Encoding": "zstd"}, "encoded as zstd"),
    ],
)
def test_a_document_that_cannot_be_recorded_is_a_blind_spot(
    browser: Browser, site: ToySite, recording: Recording, headers: dict[str, str], why: str
) -> None:
    site.answer("/page.html", PAGE, **headers)
    browser.get()
    logged(1)
    (spot,) = recordings.proof(recording).blind
    assert why in spot["reason"]
    assert spot["detail"] == "/page.html"


@pytest.mark.parametrize(
    ("page", "headers", "injected"),
    [
        (PAGE, {}, True),
        (" <h1>Hi</h1>", {}, True),
        (PAGE, {"X_Content_Type_Options": "nosniff"}, False),
        ("<hr>", {}, False),
        ("", {}, False),
    ],
)
def test_html_without_a_type_gets_the_recorder_where_browsers_find_it_out(
    browser: Browser, site: ToySite, page: str, headers: dict[str, str], injected: bool
) -> None:
    site.answer("/page.html", page, kind="", **headers)
    got = browser.get()
    assert got.header("content-type") in (None, "")
    assert got.body.decode().replace(tag(), "") == page
    assert (tag() in got.body.decode()) is injected
    assert logged(1)[0].error == ("" if injected else "not recorded: a document without a type")


@pytest.mark.parametrize(
    ("kind", "asked", "error"),
    [
        ("image/svg+xml", {}, "not recorded: a document of type image/svg+xml"),
        ("text/xml", {}, "not recorded: a document of type text/xml"),
        ("application/pdf", {"Sec_Fetch_Dest": "iframe"}, "not recorded: a document of type application/pdf"),
        ("application/zip", {}, ""),
        ("image/svg+xml", {"Sec_Fetch_Dest": "object"}, ""),
        ("image/svg+xml", {"Sec_Fetch_Dest": "image"}, ""),
        ("text/plain", {"Sec_Purpose": "prefetch"}, ""),
    ],
)
def test_a_document_of_another_kind_is_logged_as_not_recorded(
    browser: Browser, site: ToySite, kind: str, asked: dict[str, str], error: str
) -> None:
    site.answer("/page.html", b"<svg/>", kind=kind)
    assert browser.get(**asked).body == b"<svg/>"
    assert logged(1)[0].error == error


def test_a_database_that_was_restarted_is_asked_again(browser: Browser) -> None:
    with ThreadPoolExecutor(8) as many:
        assert {got.status for got in many.map(lambda _: browser.get("/nothing"), range(24))} == {404}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert cursor.rowcount > 1
    assert browser.get("/nothing").status == 404
