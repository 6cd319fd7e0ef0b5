"""Sending to channel groups from any thread of any process.

A channel layer keeps its connections on one event loop. In the web process that is the server's; a worker, whose threads have
none, gets one of its own that lives as long as the process.
"""

from __future__ import annotations

import asyncio
import logging
from threading import Lock, Thread
from typing import Any

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)


class Sender:
    """Knows the event loop to send from."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._lock = Lock()

    def use_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Send from this loop from now on: the web server's. None forgets it."""
        self.loop = loop

    def send(self, group: str, message: dict[str, Any]) -> None:
        """Send soon; returns at once. A layer that fails is logged: news are only news, the state is in the database."""
        asyncio.run_coroutine_threadsafe(_send(group, message), self._running_loop())

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self.loop is None or not self.loop.is_running():
                self.loop = asyncio.new_event_loop()
                Thread(target=self.loop.run_forever, name="channel-layer", daemon=True).start()
            return self.loop


async def _send(group: str, message: dict[str, Any]) -> None:
    layer: Any = get_channel_layer()
    try:
        await layer.group_send(group, message)
    except Exception:  # noqa: BLE001  (each layer's client has errors of its own)
        log.warning("no news for %s: the channel layer failed", group, exc_info=True)


SENDER = Sender()
