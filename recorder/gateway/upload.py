"""A request's body on its way to the upstream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from recorder.gateway.asgi import Receive
from recorder.gateway.log import MAX_BODY


class ClientGone(Exception):
    """The browser went away before the reply was whole."""


class Upload:
    """The request's body as the browser sends it; counts it and keeps what a JSON log may want."""

    def __init__(self, receive: Receive, *, keep: bool) -> None:
        self.receive = receive
        self.keep = keep
        self.size = 0
        self.kept = bytearray()
        self.finished = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Pieces as they come. Raises ClientGone."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            data = message.get("body", b"")
            self.size += len(data)
            if self.keep and self.size <= MAX_BODY:
                self.kept += data
            more = message.get("more_body", False)
            if data:
                yield data
        self.finished.set()

    async def gone(self) -> None:
        """Returns once the browser has gone away; the body must have been read."""
        await self.finished.wait()
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def json(self) -> bytes:
        """The kept body, if it is all there."""
        return bytes(self.kept) if self.keep and self.size <= MAX_BODY else b""
