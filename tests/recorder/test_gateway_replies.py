"""Replies through the gateway, byte for byte: what a website says of itself comes as it said it, and nothing is added."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from email.parser import BytesHeaderParser

import brotli
import pytest
from django.conf import LazySettings

from recorder import recordings
from recorder.environments.base import Session
from recorder.gateway.script import tag
from tests.e2e.server import Live
from tests.recorder.raw import RawSite, ask, chunks, running

OWN = b"\r\n".join(
    [
        b"date: Mon, 01 Jan 2024 00:00:00 GMT",
        b"server: Toy/1",
        b"x-many: 1",
        b"via: 1.1 x",
        b"x-many: 2",
        b"set-cookie: a=1",
        b"set-cookie: b=2",
    ]
)


def reply(status: str, *headers: bytes, body: bytes = b"") -> bytes:
    return b"\r\n".join([b"HTTP/1.1 " + status.encode(), OWN, *headers, b"", body])


# What the site writes after the status and OWN; None: the gateway writes the same.
REPLIES: dict[str, tuple[bytes, bytes | None]] = {
    "plain": (reply("200 OK", b"content-type: text/plain", b"content-length: 3", body=b"abc"), None),
    "not modified": (reply("304 Not Modified", b'etag: "a"'), None),
    "nothing": (reply("204 No Content"), None),
    "part": (
        reply("206 Partial Content", b"content-range: bytes 0-2/9", b"accept-ranges: bytes", b"content-length: 3", body=b"abc"),
        None,
    ),
    "redirect": (reply("302 Found", b"location: /x", b"content-length: 0"), None),
    "head": (reply("200 OK", b"content-type: text/plain", b"content-length: 333"), None),
    "empty value": (reply("200 OK", b"x-empty: ", b"content-length: 0"), None),
    "events": (
        reply("200 OK", b"content-type: text/event-stream", body=b"data: 1\n\n"),
        reply("200 OK", b"content-type: text/event-stream", b"transfer-encoding: chunked", body=b"9\r\ndata: 1\n\n\r\n0\r\n\r\n"),
    ),
    "not modified, with a length": (reply("304 Not Modified", b"content-length: 55"), reply("304 Not Modified")),
    "control characters": (
        reply("200 OK", b"x-odd: a\x01b\x7f", b"content-length: 0"),
        reply("200 OK", b"x-odd: a b ", b"content-length: 0"),
    ),
    "no status": (reply("999 No", b"content-length: 1", body=b"x"), reply("599 ", b"content-length: 1", body=b"x")),
}  # fmt: skip


@pytest.fixture
def raw_site() -> Iterator[RawSite]:
    with running() as site:
        yield site


def test_replies(raw_site: RawSite, live: Live, settings: LazySettings) -> None:
    session = Session("s1", raw_site.origin, "/", "Raw", None)
    recording = recordings.open_recording(session=session, adapter="static")
    host = f"{recording.key}.{settings.ENV_HOST}:{live.port}"
    raw_site.replies = {"/" + name.replace(" ", "-"): sent for name, (sent, _) in REPLIES.items()}
    for name, (sent, wanted) in REPLIES.items():
        got = ask(live.port, host, "/" + name.replace(" ", "-"), "HEAD" if name == "head" else "GET")
        assert got.replace(b"connection: close\r\n", b"", 1) == (wanted or sent), name


PAGE = b"<!doctype html><html><head><title>T</title></head><body>" + bytes(range(48, 120)) * 300
PACKED = {b"": PAGE, b"gzip": gzip.compress(PAGE), b"br": brotli.compress(PAGE), b"deflate": zlib.compress(PAGE)}


@pytest.mark.parametrize(
    ("coding", "came", "told_length"),
    [
        (b"", 10, True),
        (b"", 5000, True),
        (b"gzip", 120, True),
        (b"gzip", 120, False),
        (b"deflate", 120, True),
        (b"br", -20, True),
    ],
)
def test_a_document_that_breaks_off_comes_as_far_as_it_came_and_ends_as_it_ended(
    raw_site: RawSite, live: Live, settings: LazySettings, coding: bytes, came: int, told_length: bool
) -> None:
    session = Session("s1", raw_site.origin, "/", "Raw", None)
    recording = recordings.open_recording(session=session, adapter="static")
    packed = PACKED[coding]
    length = [b"content-length: %d" % len(packed)] if told_length else []  # else the connection's end is the document's
    headers = [b"content-type: text/html", b"content-encoding: " + coding, *length]
    raw_site.replies = {"/": reply("200 OK", *headers, body=packed[:came])}
    got = ask(live.port, f"{recording.key}.{settings.ENV_HOST}:{live.port}", "/", Sec_Fetch_Dest="document")
    document = chunks(got)
    assert tag().encode() in document
    page = document.replace(tag().encode(), b"")
    assert PAGE.startswith(page)
    assert len(page) >= 10
    assert got.endswith(b"0\r\n\r\n") is not told_length


def test_our_own_pages_tell_the_time_once(live: Live, settings: LazySettings) -> None:
    got = ask(live.port, f"nobody.{settings.ENV_HOST}", "/")
    headers = BytesHeaderParser().parsebytes(got.partition(b"\r\n")[2])
    assert len(headers.get_all("date", [])) == 1
    assert headers["server"] is None
