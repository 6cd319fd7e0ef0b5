"""Tells whoever watches recordings which of them changed, after commit and at most about three times a second.

All who watch listen to one group and look whether theirs is among those named: one message for all that changed costs the
server the same whether one recording is under way or two hundred, and whether anybody watches or nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from recorder.channel import SENDER

GROUP = "recordings"
GAP_S = 0.33
MOST = 500  # recordings named in one message


class News:
    """Sends to the channel layer from one event loop; what comes faster than the gap is told once, at its end."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.changed: set[int] = set()
        self.timer: asyncio.TimerHandle | None = None
        self.told_at = 0.0

    def use_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Send from `loop` from now on; None sends at once from wherever `publish` is called."""
        self.loop = loop
        self.changed.clear()
        self.timer = None
        self.told_at = 0.0

    def publish(self, recording_ids: Iterable[int]) -> None:
        """Say that recordings changed. Safe from any thread; returns at once."""
        loop = self.loop
        if loop is not None and loop.is_running():
            loop.call_soon_threadsafe(self.schedule, list(recording_ids))

    def schedule(self, recording_ids: list[int]) -> None:
        """In the loop: tell now, or when the gap is over."""
        if self.loop is None:
            return
        self.changed.update(recording_ids)
        if self.timer is None:
            self.timer = self.loop.call_at(max(self.loop.time(), self.told_at + GAP_S), self.tell)

    def tell(self) -> None:
        """In the loop: send."""
        self.timer = None
        if self.loop is None:
            return
        self.told_at = self.loop.time()
        changed, self.changed = sorted(self.changed), set()
        send(changed)


def send(recording_ids: list[int]) -> None:
    """Name recordings to all who watch."""
    for begin in range(0, len(recording_ids), MOST):
        SENDER.send(GROUP, message_of(recording_ids[begin : begin + MOST]))


def message_of(recording_ids: list[int]) -> dict[str, Any]:
    """The news of recordings: that they changed."""
    return {"type": "recordings.changed", "recordings": recording_ids}


NEWS = News()


def publish(recording_ids: Iterable[int]) -> None:
    """Tell that recordings changed; from a process without the gateway's loop it is sent at once."""
    if NEWS.loop is None:
        send(sorted(recording_ids))
    else:
        NEWS.publish(recording_ids)
