"""Tells whoever watches a recording that it changed, after commit and at most about three times a second."""

from __future__ import annotations

import asyncio
from typing import Any

from recorder.channel import SENDER

GAP_S = 0.33


class News:
    """Sends to the channel layer from one event loop; what comes faster than the gap is told once, at its end."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.waiting: dict[int, asyncio.TimerHandle] = {}
        self.told_at: dict[int, float] = {}

    def use_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Send from `loop` from now on; None sends at once from wherever `publish` is called."""
        self.loop = loop
        self.waiting.clear()
        self.told_at.clear()

    def publish(self, recording_id: int) -> None:
        """Say that a recording changed. Safe from any thread; returns at once."""
        loop = self.loop
        if loop is not None and loop.is_running():
            loop.call_soon_threadsafe(self.schedule, recording_id)

    def schedule(self, recording_id: int) -> None:
        """In the loop: tell now, or when the gap is over."""
        if recording_id in self.waiting or self.loop is None:
            return
        since = self.loop.time() - self.told_at.get(recording_id, -GAP_S)
        self.waiting[recording_id] = self.loop.call_later(max(0.0, GAP_S - since), self.tell, recording_id)

    def tell(self, recording_id: int) -> None:
        """In the loop: send."""
        self.waiting.pop(recording_id, None)
        if self.loop is None:
            return
        if len(self.told_at) > 10_000:
            self.told_at.clear()
        self.told_at[recording_id] = self.loop.time()
        SENDER.send(f"recording.{recording_id}", message_of(recording_id))


def message_of(recording_id: int) -> dict[str, Any]:
    """The news of a recording: that it changed."""
    return {"type": "recording.changed", "recording": recording_id}


NEWS = News()


def publish(recording_id: int) -> None:
    """Tell that a recording changed; from a process without the gateway's loop it is sent at once."""
    if NEWS.loop is None:
        SENDER.send(f"recording.{recording_id}", message_of(recording_id))
    else:
        NEWS.publish(recording_id)
