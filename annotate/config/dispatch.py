"""Dispatch by host, and the ASGI lifespan that neither Django nor Channels handles."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings

from annotate.config.lifespan import beat_for_ever
from annotate.config.urls import websocket_urlpatterns
from recorder.channel import SENDER
from recorder.gateway.app import Gateway
from recorder.gateway.asgi import dated

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def header(scope: Scope, wanted: bytes) -> str:
    """A request header, lower case; empty where there is none."""
    return next(
        (str(value.decode("latin-1")).lower() for name, value in scope.get("headers", ()) if name == wanted), ""
    )


def host_of(scope: Scope) -> str:
    """The request's host name, lower case, without port; empty where there is none."""
    return header(scope, b"host").rsplit(":", 1)[0]


class OwnPagesOnly:
    """WebSockets for the app's own pages: a recorded website is same-site with the app where both share a domain, so cookies
    would come along from there."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = header(scope, b"origin")
        if origin == settings.PUBLIC_URL.lower() or urlsplit(origin).netloc == header(scope, b"host"):
            await self.application(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


class Dispatcher:
    """ASGI application: `<label>.<ENV_HOST>` to the gateway, the rest to the app."""

    def __init__(self, http: Any) -> None:
        self.gateway = Gateway()
        websocket = AllowedHostsOriginValidator(OwnPagesOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))))
        self.app = ProtocolTypeRouter({"http": http, "websocket": websocket})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.lifespan(receive, send)
        elif host_of(scope).endswith("." + settings.ENV_HOST):
            await self.gateway(scope, receive, send)
        else:
            await self.app(scope, receive, dated(send))

    async def lifespan(self, receive: Receive, send: Send) -> None:
        """Open the gateway's HTTP client and the server's heartbeat with the server, and close them with it."""
        beating: asyncio.Task[None] | None = None
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                SENDER.use_loop(asyncio.get_running_loop())
                await self.gateway.startup()
                beating = asyncio.create_task(beat_for_ever())
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                if beating is not None:
                    beating.cancel()
                await self.gateway.shutdown()
                SENDER.use_loop(None)
                await send({"type": "lifespan.shutdown.complete"})
                return
