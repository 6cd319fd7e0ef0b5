"""The gateway's ASGI application: one origin per recording, `<key>.<ENV_HOST>`, in front of the environment."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from urllib.parse import parse_qs, urlsplit

import aiohttp
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from psycopg_pool import PoolTimeout

from recorder.capture import script as capturing
from recorder.capture.ingest import MAX_POST_BYTES, Taken
from recorder.capture.ingest import ingest as ingest_capture
from recorder.gateway import cookies, pages
from recorder.gateway.asgi import (
    Receive,
    Scope,
    Send,
    begun,
    dated,
    respond,
    respond_early,
    respond_json,
    respond_page,
    target_of,
)
from recorder.gateway.documents import is_document_load
from recorder.gateway.foreign import STUB, stub
from recorder.gateway.headers import MARK, Origins, Pairs, first
from recorder.gateway.intake import Intake
from recorder.gateway.log import RequestLog, Seen, with_connection
from recorder.gateway.lookup import Route, Routes
from recorder.gateway.posts import Posts, declared
from recorder.gateway.proxy import Exchange, Site
from recorder.gateway.script import EVENTS, PREFIX, Script, scripts
from recorder.gateway.sockets import relay
from recorder.ingest import Post
from recorder.models import Recording
from recorder.news import NEWS
from recorder.recordings import note_success

THREADS = 6
SOON = 64 * 1024  # bytes that a page may send at its end: such a body comes with its headers
CLOSED = Recording.State.CLOSED
SCRIPT_HEADERS: Pairs = [
    (b"content-type", b"text/javascript; charset=utf-8"),
    (b"cache-control", b"public, max-age=31536000, immutable"),
    (b"access-control-allow-origin", b"*"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"x-content-type-options", b"nosniff"),
    (b"vary", b"Accept-Encoding"),
]


def is_decisive(scope: Scope) -> bool:
    """True for what must not reach the site of a recording that has just been closed: a new document, a write, a socket."""
    if scope["path"].startswith(PREFIX):
        return False  # posts of events are judged when they are stored
    return scope.get("method") not in {"GET", "HEAD"} or is_document_load(list(scope["headers"]))


class Gateway:
    """ASGI application for `http` and `websocket` scopes whose host is below ENV_HOST."""

    def __init__(self) -> None:
        self.client: aiohttp.ClientSession | None = None

    async def startup(self) -> None:
        """Open the client towards the upstreams; in the server's event loop."""
        self.executor = ThreadPoolExecutor(THREADS, thread_name_prefix="gateway")
        self.client = new_client()
        self.log = RequestLog(self.executor)
        self.routes = Routes(self.executor)
        self.posts = Posts(Intake(self.executor).take_in, lambda: settings.RECORDER_MAX_BATCH_BYTES)
        self.behind = ThreadPoolExecutor(1, thread_name_prefix="captures")  # so that events never wait for a capture
        self.captures = Posts(self.take_capture_in, lambda: MAX_POST_BYTES, at_once=8)
        NEWS.use_loop(asyncio.get_running_loop())
        scripts()

    async def shutdown(self) -> None:
        """Write what the request log still holds and close the client."""
        if self.client is None:
            return
        await self.log.close()
        await self.client.close()
        self.client = None
        NEWS.use_loop(None)
        self.executor.shutdown(wait=True)
        self.behind.shutdown(wait=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.client is None:
            await self.startup()
        host = (first(scope["headers"], b"host") or b"").decode("latin-1")
        key = host.rpartition(":")[0] or host
        key = key.lower().removesuffix("." + settings.ENV_HOST)
        send = dated(send)
        serve = self.socket if scope["type"] == "websocket" else self.http
        if scope.get("method") == "POST" and scope["path"].startswith(PREFIX) and declared(scope) <= SOON:
            receive = await begun(receive)
        try:
            route = await self.routes.find(key, fresh=is_decisive(scope))
        except (DatabaseError, InterfaceError, PoolTimeout):
            await self.database_away(scope, receive, send)
            return
        await serve(scope, receive, send, key, host, route)

    async def database_away(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Nothing can be said of any recording now; pages keep their events and ask again."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1013})
        elif scope["path"].startswith(PREFIX):
            await respond_json(send, 503, {"code": "database"}, [(b"retry-after", b"1")])
        else:
            await respond_page(send, pages.BUSY, retry=1)

    async def http(self, scope: Scope, receive: Receive, send: Send, key: str, host: str, route: Route | None) -> None:
        """One HTTP request."""
        path: str = scope["path"]
        target = target_of(scope)
        if path.startswith(PREFIX):
            await self.own(scope, receive, send, route)
        elif route is None:
            await respond_page(send, pages.UNKNOWN)
        elif route.state == CLOSED:
            await respond_page(send, pages.OVER)
        elif not target.startswith("/"):
            await respond_page(send, pages.BAD_REQUEST)
        elif route.refuses(path):
            await respond_page(send, pages.RESERVED)
        else:
            await self.proxy(scope, receive, send, key, host, route)

    async def own(self, scope: Scope, receive: Receive, send: Send, route: Route | None) -> None:
        """The reserved prefix, which never reaches the upstream."""
        path: str = scope["path"]
        if (script := served_at(path, route)) is not None:
            coding, packed = script.accepted(first(list(scope["headers"]), b"accept-encoding") or b"")
            headers = [*SCRIPT_HEADERS, (b"content-encoding", coding.encode())] if coding else SCRIPT_HEADERS
            await respond(send, 200, packed, headers, head=scope["method"] == "HEAD")
        elif path.startswith(STUB):
            await stub(scope, send)
        elif path == capturing.CAPTURE and route is not None and route.capture:
            await self.captures(route.pk, scope, receive, send)
        elif path != EVENTS:
            await respond_page(send, pages.RESERVED)
        elif route is None:
            message = "There is no such recording."
            await respond_early(receive, send, 404, {"code": "unknown_recording", "message": message})
        elif (seen := success_told(scope)) is not None:
            await self.success(route.pk, receive, send, seen=seen)
        else:
            await self.posts(route.pk, scope, receive, send)

    async def take_capture_in(self, post: Post) -> Taken:
        """Store a piece of a capture, in the thread that they have to themselves."""
        work = partial(with_connection, partial(ingest_capture, post.recording, post.body, post.received_at))
        return await asyncio.get_running_loop().run_in_executor(self.behind, work)

    async def success(self, recording: int, receive: Receive, send: Send, *, seen: bool) -> None:
        """A page says that it shows success, or no longer does."""
        await receive()
        work = partial(with_connection, partial(note_success, recording, seen=seen))
        try:
            await asyncio.get_running_loop().run_in_executor(self.executor, work)
        except (DatabaseError, InterfaceError, PoolTimeout):
            await respond_json(send, 503, {"code": "database"}, [(b"retry-after", b"1")])
            return
        await respond_json(send, 200, {})

    async def proxy(self, scope: Scope, receive: Receive, send: Send, key: str, host: str, route: Route) -> None:
        """Pass a request of the site on, and note it."""
        document = is_document_load(list(scope["headers"]))
        if document and not route.started:
            await self.routes.start(key, route)
        known = cookies.names(list(scope["headers"]))
        added = cookies.HERE if document and MARK not in known else []
        if added and known and await self.routes.is_unheard(route):
            added = cookies.HERE + cookies.expired(known, settings.ENV_HOST, target_of(scope))
            scope = {**scope, "headers": cookies.without_cookies(list(scope["headers"]))}
        assert self.client is not None
        seen = Seen(route.pk, datetime.now(UTC), scope["method"], target_of(scope))
        try:
            site = Site(origins(host, route), route.watch, route.foreign, route.capture)
            await Exchange(self.client, scope, site, seen, added).run(receive, send)
        finally:
            self.log.add(seen)

    async def socket(
        self, scope: Scope, receive: Receive, send: Send, key: str, host: str, route: Route | None
    ) -> None:
        """One WebSocket."""
        path: str = scope["path"]
        if route is None or route.state == CLOSED or path.startswith(PREFIX) or route.refuses(path):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        assert self.client is not None
        await relay(self.client, scope, receive, send, origins(host, route))


def served_at(path: str, route: Route | None) -> Script | None:
    """The recorder's file at this path, or the capture's where the recording keeps one; else None."""
    if route is not None and route.capture and path == capturing.script().path:
        return capturing.script()
    own = scripts(route.watch).by_path(path) if route is not None and route.watch else None
    return own or scripts().by_path(path)


def success_told(scope: Scope) -> bool | None:
    """What a page says of success in this request; None for posts of events."""
    told = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("success")
    return told[0] == "1" if told and scope["method"] == "POST" else None


def origins(host: str, route: Route) -> Origins:
    """Both names of the site; the scheme is that of PUBLIC_URL, for a proxy may end TLS before us."""
    return Origins(f"{urlsplit(settings.PUBLIC_URL).scheme}://{host}", route.upstream)


def new_client() -> aiohttp.ClientSession:
    """A client that only passes on: no cookies, no decoding, no limit of time or connections, nothing sent twice.

    A kept connection may be closed by the upstream just as a request goes out on it, and then nobody can tell whether it
    was taken; so each request has its own.
    """
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True, ttl_dns_cache=60),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
        max_line_size=64 * 1024,
        max_field_size=64 * 1024,
    )
    session._retry_connection = False  # aiohttp has no public switch for it
    return session
