"""Which WebSockets are let in: those of the app's own pages."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import LazySettings

from annotate.config.dispatch import OwnPagesOnly


def answer(origin: str, host: str) -> str:
    """What comes of a handshake: "let in" or the type of the refusal."""
    sent: list[str] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        sent.append("let in")

    async def send(message: Any) -> None:
        sent.append(message["type"])

    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    async_to_sync(OwnPagesOnly(inside))({"type": "websocket", "headers": headers}, None, send)
    return sent[0]


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://footpath.test", "footpath.test"),
        ("https://footpath.test", "10.0.0.5:8001"),  # a proxy that does not pass the name on
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("HTTPS://FootPath.test", "footpath.test"),
    ],
)
def test_let_in(origin: str, host: str, settings: LazySettings) -> None:
    settings.PUBLIC_URL = "https://footpath.test"
    assert answer(origin, host) == "let in"


@pytest.mark.parametrize(
    "origin", ["https://abc.env.footpath.test", "https://evil.test", "null", "", "https://footpath.test.evil.test"]
)
def test_kept_out(origin: str, settings: LazySettings) -> None:
    settings.PUBLIC_URL = "https://footpath.test"
    assert answer(origin, "footpath.test") == "websocket.close"
