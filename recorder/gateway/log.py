"""The backend-side record: the site's own requests, written behind the replies without holding them up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db import DatabaseError, connection

from recorder.gateway.mask import mask_json, mask_path
from recorder.models import Recording, SiteRequest
from recorder.wire import storable

log = logging.getLogger(__name__)
T = TypeVar("T")
EVERY_S = 0.25
MAX_WAITING = 20_000
MAX_BODY = 64 * 1024


@dataclass
class Seen:
    """One request as the gateway passed it on; bodies are plain JSON bytes or empty."""

    recording: int
    arrived: datetime
    method: str
    path: str
    status: int = 0
    ms: float = 0.0
    request_bytes: int = 0
    response_bytes: int = 0
    request_body: bytes = b""
    response_body: bytes = b""
    error: str = ""


class RequestLog:
    """Collects requests and writes them in batches; `flush` writes what is left."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.executor = executor
        self.waiting: list[Seen] = []
        self.task: asyncio.Task[None] | None = None
        self.writing = asyncio.Lock()

    def add(self, seen: Seen) -> None:
        """Take a finished request; in the event loop."""
        self.waiting.append(seen)
        if self.task is None or self.task.done():
            self.task = asyncio.get_running_loop().create_task(self.later())

    async def later(self) -> None:
        """Write soon, again and again until nothing waits."""
        while self.waiting:
            await asyncio.sleep(EVERY_S)
            await self.flush()

    async def flush(self) -> None:
        """Write everything that waits. What the database does not take is kept for the next time, within reason."""
        async with self.writing:
            batch, self.waiting = self.waiting, []
            if not batch:
                return
            try:
                await asyncio.get_running_loop().run_in_executor(self.executor, with_connection, lambda: write(batch))
            except DatabaseError:
                log.warning("the request log waits: the database does not take it", exc_info=True)
                self.waiting = (batch + self.waiting)[-MAX_WAITING:]


def with_connection(work: Callable[[], T]) -> T:
    """Run `work` in a thread of ours and give its database connection back to the pool."""
    try:
        return work()
    finally:
        connection.close()


def write(batch: Sequence[Seen]) -> None:
    """Insert a batch, masked. Recordings that are gone by now are skipped."""
    starts = dict(Recording.objects.filter(pk__in={seen.recording for seen in batch}).values_list("pk", "started_at"))
    rows = [row(seen, starts[seen.recording]) for seen in batch if seen.recording in starts]
    SiteRequest.objects.bulk_create(rows, batch_size=500)


def row(seen: Seen, started_at: datetime | None) -> SiteRequest:
    """A request as it is stored."""
    since = (seen.arrived - (started_at or seen.arrived)).total_seconds() * 1000
    return SiteRequest(
        recording_id=seen.recording,
        t=round(since, 1),
        ms=round(seen.ms, 1),
        method=storable(seen.method)[:20],
        path=storable(mask_path(seen.path)),
        status=seen.status,
        request_bytes=seen.request_bytes,
        response_bytes=seen.response_bytes,
        request_body=mask_json(seen.request_body) if seen.request_body else "",
        response_body=mask_json(seen.response_body) if seen.response_body else "",
        error=storable(seen.error)[:500],
    )
