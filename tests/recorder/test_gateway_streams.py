"""What streams through the gateway: uploads, downloads, events of the server, WebSockets."""

from __future__ import annotations

import asyncio
import http.client
import tracemalloc
from typing import Any

import pytest
from aiohttp import ClientSession, WSMsgType, web

from tests.recorder.conftest import Browser, logged, wait_for
from tests.recorder.toy import ToySite


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
