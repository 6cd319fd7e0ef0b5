"""Ctrl-C as a wish to end a recording, which is then closed as any other; an exception would come in the midst of Playwright's work."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def stop_wish() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets while this lasts; a second one interrupts, as it does elsewhere."""
    wished = threading.Event()

    def wish(number: int, frame: FrameType | None) -> None:
        wished.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, wish)
    try:
        yield wished
    finally:
        signal.signal(signal.SIGINT, before)
