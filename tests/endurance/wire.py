"""A wire between browser and server that can be cut, swallow what goes in, or swallow what comes back."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["whole", "cut", "hole", "deaf"]


@dataclass
class Wire:
    """A TCP relay to `port`. `cut`: every connection breaks; `hole`: nothing gets through; `deaf`: requests do, replies do not."""

    port: int
    mode: Mode = "whole"
    open: set[asyncio.StreamWriter] = field(default_factory=set)
    server: asyncio.Server | None = None

    async def start(self) -> int:
        """Listen on a free port and return it."""
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        return int(self.server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Break every connection and stop listening."""
        self.mode = "cut"
        self.break_all()
        if self.server is not None:
            self.server.close()

    def become(self, mode: Mode) -> None:
        """Change; what was held up in the old mode is broken, as when a network comes back under another address."""
        self.mode = mode
        if mode in {"cut", "whole"}:
            self.break_all()

    def break_all(self) -> None:
        for writer in list(self.open):
            writer.transport.abort()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.add(writer)
        try:
            if self.mode == "cut":
                return
            there, back = await asyncio.open_connection("127.0.0.1", self.port)
            self.open.add(back)
            try:
                await asyncio.gather(self.pump(reader, back, ("hole",)), self.pump(there, writer, ("hole", "deaf")))
            finally:
                self.open.discard(back)
                back.transport.abort()
        except OSError:
            pass  # the server is down: the browser sees its connection end
        finally:
            self.open.discard(writer)
            writer.transport.abort()

    async def pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, deaf_in: tuple[str, ...]) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                if self.mode in deaf_in:
                    continue
                sink.write(data)
                await sink.drain()
        sink.transport.abort()
