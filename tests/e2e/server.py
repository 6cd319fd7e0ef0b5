"""The whole application in this process, on a free port and the test database: what a real browser talks to."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from django.conf import settings
from django.db import connections


@dataclass
class Live:
    """A running server. `url` is the app's, recordings live on `<key>.<ENV_HOST>` at the same port."""

    port: int
    gateway: Any

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


@contextmanager
def running(application: Any) -> Iterator[Live]:
    """Serve `application` with uvicorn in a thread; PUBLIC_URL names the port while it runs."""
    config = uvicorn.Config(
        application,
        host="127.0.0.1",
        port=0,
        log_level="error",
        lifespan="on",
        server_header=False,
        date_header=False,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        assert thread.is_alive(), "the server ended while starting"
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    public, settings.PUBLIC_URL = settings.PUBLIC_URL, f"http://localhost:{port}"
    try:
        yield Live(port, getattr(application, "gateway", None))
    finally:
        settings.PUBLIC_URL = public
        server.should_exit = True
        thread.join(20)
        connections.close_all()
