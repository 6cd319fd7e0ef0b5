"""The gateway in this process, on a free port: what `record --via gateway` browses through."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn

from recorder.gateway.app import Gateway
from recorder.harness.errors import HarnessError

START_S = 10.0


class WithLifespan:
    """The gateway as an ASGI application of its own: opened and closed with the server."""

    def __init__(self) -> None:
        self.gateway = Gateway()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await self.gateway(scope, receive, send)
            return
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.gateway.startup()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.gateway.shutdown()
                await send({"type": "lifespan.shutdown.complete"})
                return


@contextlib.contextmanager
def gateway_port() -> Iterator[int]:
    """The port of a running gateway on loopback. Raises HarnessError where it does not come up."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        config = uvicorn.Config(
            WithLifespan(),
            log_level="warning",
            lifespan="on",
            timeout_graceful_shutdown=2,
            server_header=False,
            date_header=False,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        end = time.monotonic() + START_S
        while not server.started and thread.is_alive() and time.monotonic() < end:
            time.sleep(0.01)
        if not server.started:
            raise HarnessError("the gateway did not start; the lines above say why.")
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join(5)
