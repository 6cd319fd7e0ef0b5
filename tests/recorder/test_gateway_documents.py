"""Documents through the gateway: the recorder goes first into each, and what is none stays untouched."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import time
import zlib
from typing import Any

import brotli
import pytest
from aiohttp import web

from recorder import recordings
from recorder.gateway.script import scripts, tag
from recorder.models import Recording
from tests.recorder.conftest import PAGE, Browser, logged
from tests.recorder.toy import ToySite

INJECTED = PAGE.replace("<head>", "<head>" + tag())


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


def test_csp_lets_the_recorder_in(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE, Content_Security_Policy="default-src 'none'; img-src *")
    policy = browser.get().header("content-security-policy") or ""
    assert f"script-src-elem http://{browser.host}{scripts().recorder.path}" in policy
    assert f"connect-src http://{browser.host}/__footpath__/events" in policy
    assert policy.startswith("default-src 'none'; img-src *")


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
