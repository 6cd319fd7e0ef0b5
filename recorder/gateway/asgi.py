"""Words of ASGI that the gateway's parts share."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, MutableMapping
from email.utils import formatdate
from typing import Any

from recorder.gateway.headers import Pairs
from recorder.gateway.pages import page

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
JSON: Pairs = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"access-control-allow-origin", b"*"),
]
READ_ON, READ_ON_S = 64 * 1024 * 1024, 30.0  # of a refused body: bytes and seconds


def target_of(scope: Scope) -> str:
    """Path and query exactly as the browser sent them."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope.get("query_string", b"")
    return (raw + (b"?" + query if query else b"")).decode("latin-1")


async def begun(receive: Receive) -> Receive:
    """The same, its first message taken already: what has arrived is not lost where its sender goes before it is looked at."""
    waiting = [await receive()]

    async def after() -> Message:
        return waiting.pop() if waiting else await receive()

    return after


def dated(send: Send) -> Send:
    """The same, with a Date put into replies that have none: the server adds none, for it would add it to a website's own."""

    async def put(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if all(name.lower() != b"date" for name, _ in headers):
                message = {**message, "headers": [(b"date", formatdate(usegmt=True).encode()), *headers]}
        await send(message)

    return put


async def respond(send: Send, status: int, body: bytes, headers: Pairs, *, head: bool = False) -> None:
    """A whole reply at once."""
    sized = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": sized})
    await send({"type": "http.response.body", "body": b"" if head else body})


async def respond_early(receive: Receive, send: Send, status: int, body: Any) -> None:
    """JSON in reply to a request whose body is not wanted. The reply goes out at once; what still comes is thrown away, for a
    connection that is closed over unread bytes is reset, and the reply lost with it."""
    text = json.dumps(body).encode()
    headers = [*JSON, (b"connection", b"close"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text, "more_body": True})
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READ_ON_S):
            await read_on(receive)
    await send({"type": "http.response.body", "body": b""})


async def read_on(receive: Receive) -> None:
    """Read a body and keep nothing of it, to its end or for READ_ON bytes."""
    read, more = 0, True
    while more and read < READ_ON:
        message = await receive()
        read += len(message.get("body", b""))
        more = message.get("more_body", False)


async def respond_page(send: Send, told: tuple[int, str, str], *, retry: int | None = None) -> None:
    """One of the gateway's own pages."""
    status, title, words = told
    headers: Pairs = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
    if retry is not None:
        headers.append((b"retry-after", str(retry).encode()))
    await respond(send, status, page(title, words), headers)


async def respond_json(send: Send, status: int, body: Any, headers: Pairs | None = None) -> None:
    """JSON that any document of the recording may read, sandboxed ones (whose origin is opaque) too."""
    await respond(send, status, json.dumps(body).encode(), JSON + (headers or []))
