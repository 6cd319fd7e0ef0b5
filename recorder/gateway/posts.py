"""What pages post: read within the limit, handed to what takes it in, answered with what the page needs to go on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Protocol

from django.db import DatabaseError, InterfaceError
from psycopg_pool import PoolTimeout

from recorder.errors import FootpathError
from recorder.gateway.asgi import Receive, Scope, Send, respond, respond_early, respond_json
from recorder.gateway.headers import Pairs, first
from recorder.gateway.packed import CODINGS, too_large, unpacked
from recorder.gateway.upload import ClientGone
from recorder.ingest import Post

log = logging.getLogger(__name__)
MAX_AT_WORK = 64
BUSY: Pairs = [(b"retry-after", b"1")]
PREFLIGHT: Pairs = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b"content-type"),
    (b"access-control-max-age", b"86400"),
]


class Reply(Protocol):
    """What taking a post in comes to."""

    def as_json(self) -> dict[str, Any]: ...


TakeIn = Callable[[Post], Awaitable[Reply]]


class Posts:
    """An endpoint to which the pages of all recordings in this process post, each body of at most `limit()` bytes unpacked."""

    def __init__(self, take_in: TakeIn, limit: Callable[[], int], at_once: int = MAX_AT_WORK) -> None:
        self.take_in = take_in
        self.limit = limit
        self.at_once = at_once
        self.at_work = 0

    async def __call__(self, recording: int, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request to the endpoint."""
        method: str = scope["method"]
        if method == "OPTIONS":
            await respond(send, 204, b"", PREFLIGHT)
        elif method != "POST":
            await respond_json(send, 405, {"code": "method", "message": "Events are posted."}, [(b"allow", b"POST")])
        elif (
            coding := (first(scope["headers"], b"content-encoding") or b"identity").lower().decode("latin-1")
        ) not in CODINGS:
            message = "Events are posted uncompressed, or packed once with gzip or deflate."
            await respond_early(receive, send, 415, {"code": "encoding", "message": message})
        elif declared(scope) > self.limit():
            error = too_large(self.limit())
            await respond_early(receive, send, error.status, as_json(error))
        elif self.at_work >= self.at_once:
            await respond_json(send, 503, {"code": "busy", "message": "Too much at once; try again."}, BUSY)
        else:
            self.at_work += 1
            try:
                await self.answer(recording, coding, receive, send)
            finally:
                self.at_work -= 1

    async def answer(self, recording: int, coding: str, receive: Receive, send: Send) -> None:
        """Take one post in."""
        limit = self.limit()
        try:
            body = await read(receive, limit)
        except ClientGone:
            return
        except FootpathError as error:
            await respond_early(receive, send, error.status, as_json(error))
            return
        try:
            reply = await self.take_in(Post(recording, unpacked(body, coding, limit), datetime.now(UTC)))
        except FootpathError as error:
            await respond_json(send, error.status, as_json(error))
        except (DatabaseError, InterfaceError, PoolTimeout):
            log.warning("events wait: the database does not take them", exc_info=True)
            await respond_json(send, 503, {"code": "database", "message": "The database is away; try again."}, BUSY)
        else:
            await respond_json(send, 200, reply.as_json())


def declared(scope: Scope) -> int:
    """How long the request says its body is; 0 where it does not."""
    told = first(scope["headers"], b"content-length") or b""
    return int(told) if told.isdigit() else 0


def as_json(error: FootpathError) -> dict[str, Any]:
    """What a page is told of an error."""
    return {"code": error.code, "message": error.message} | error.data


async def read(receive: Receive, limit: int) -> bytes:
    """The whole body. Raises FootpathError (413) where it is over the limit and not at its end, ClientGone where it breaks off."""
    body = bytearray()
    more = True
    while more:
        if len(body) > limit:
            raise too_large(limit)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)
