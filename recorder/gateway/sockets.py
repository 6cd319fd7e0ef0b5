"""A WebSocket between the browser and the upstream, message by message."""

from __future__ import annotations

import asyncio
import contextlib
import logging

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from recorder.gateway.asgi import Receive, Scope, Send, target_of
from recorder.gateway.headers import Origins, Pairs, to_upstream

log = logging.getLogger(__name__)
HANDSHAKE = frozenset(
    {b"sec-websocket-key", b"sec-websocket-version", b"sec-websocket-extensions", b"sec-websocket-protocol", b"host"}
)
GOING_AWAY, NO_STATUS, INTERNAL = 1001, 1005, 1011


async def relay(client: aiohttp.ClientSession, scope: Scope, receive: Receive, send: Send, origins: Origins) -> None:
    """Connect, accept with the upstream's subprotocol, and pass messages until either side closes."""
    await receive()  # websocket.connect
    try:
        upstream = await connect(client, scope, origins)
    except (aiohttp.ClientError, TimeoutError, OSError):
        await send({"type": "websocket.close", "code": INTERNAL})  # before accept: the browser gets 403
        return
    await send({"type": "websocket.accept", "subprotocol": upstream.protocol})
    tasks = {
        asyncio.ensure_future(to_site(upstream, receive)),
        asyncio.ensure_future(to_page(upstream, send)),
    }
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await upstream.close()


async def connect(client: aiohttp.ClientSession, scope: Scope, origins: Origins) -> aiohttp.ClientWebSocketResponse:
    """The handshake with the upstream, with the browser's headers."""
    pairs: Pairs = [pair for pair in scope["headers"] if pair[0] not in HANDSHAKE]
    out = to_upstream(pairs, origins, document=False)
    return await client.ws_connect(
        URL(origins.upstream + target_of(scope), encoded=True),
        headers=CIMultiDict((name.decode("latin-1"), value.decode("latin-1")) for name, value in out),
        protocols=scope.get("subprotocols", ()),
        max_msg_size=0,
        autoclose=True,
        autoping=True,
    )


async def to_site(upstream: aiohttp.ClientWebSocketResponse, receive: Receive) -> None:
    """Messages of the page."""
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            code = message.get("code", GOING_AWAY)
            await upstream.close(code=code if sendable(code) else GOING_AWAY)
            return
        if (text := message.get("text")) is not None:
            await upstream.send_str(text)
        else:
            await upstream.send_bytes(message["bytes"])


async def to_page(upstream: aiohttp.ClientWebSocketResponse, send: Send) -> None:
    """Messages of the site; its closing with its code and reason."""
    reason = ""
    async for message in upstream:
        if message.type is aiohttp.WSMsgType.TEXT:
            await send({"type": "websocket.send", "text": message.data})
        elif message.type is aiohttp.WSMsgType.BINARY:
            await send({"type": "websocket.send", "bytes": message.data})
    code = upstream.close_code or INTERNAL
    with contextlib.suppress(RuntimeError):  # the browser closed at the same moment
        await send({"type": "websocket.close", "code": code if sendable(code) else 1000, "reason": reason})


def sendable(code: int) -> bool:
    """True for a close code that may stand on the wire."""
    return code not in (1004, NO_STATUS, 1006, 1015) and (1000 <= code <= 1014 or 3000 <= code <= 4999)
