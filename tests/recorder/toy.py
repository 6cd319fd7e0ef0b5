"""A resettable toy site on a free port: tests say what it answers at a path and see what it was asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Asked:
    """A request as the site got it."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for own, value in self.headers if own.lower() == name.lower()), None)


@dataclass
class ToySite:
    """The site; `port` is set once it runs."""

    port: int = 0
    handlers: dict[str, Handler] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    loop: asyncio.AbstractEventLoop | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reset(self) -> None:
        """Forget every answer and question."""
        self.handlers.clear()
        self.asked.clear()

    def answer(
        self,
        path: str,
        body: bytes | str = b"",
        *,
        status: int = 200,
        kind: str = "text/html",
        **headers: str | list[str],
    ) -> None:
        """Answer `path` with a fixed reply; header names are written with underscores."""
        data = body.encode() if isinstance(body, str) else body

        async def handler(request: web.Request) -> web.StreamResponse:
            response = web.Response(body=data, status=status)
            response.headers["Content-Type"] = kind
            for name, value in headers.items():
                for one in [value] if isinstance(value, str) else value:
                    response.headers.add(name.replace("_", "-"), one)
            return response

        self.handlers[path] = handler

    async def handle(self, request: web.Request) -> web.StreamResponse:
        handler = self.handlers.get(request.path)
        streams = getattr(handler, "streams", False)
        body = b"" if streams else await request.read()
        headers = [(name.decode(), value.decode("latin-1")) for name, value in request.raw_headers]
        self.asked.append(Asked(request.method, request.raw_path, headers, body))
        return await handler(request) if handler else web.Response(status=404, text="no such page")


@contextmanager
def running(site: ToySite) -> Iterator[ToySite]:
    """Serve the site from a thread of its own."""
    ready = threading.Event()

    def serve() -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        site.loop = loop
        app = web.Application(client_max_size=2**31)
        app.router.add_route("*", "/{path:.*}", site.handle)
        runner = web.AppRunner(app, handle_signals=False)
        loop.run_until_complete(runner.setup())
        listener = web.TCPSite(runner, "127.0.0.1", 0)
        loop.run_until_complete(listener.start())
        site.port = runner.addresses[0][1]
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield site
    finally:
        assert site.loop is not None
        site.loop.call_soon_threadsafe(site.loop.stop)
        thread.join(10)
