"""The backend-side record: the site's own requests, written behind the replies without holding them up.

A request is written at once without its values; these follow when it is certain that no page held a secret (`vouch`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from django.db import DatabaseError, connection

from recorder.gateway import vouch
from recorder.gateway.mask import mask_json, mask_path
from recorder.models import Recording, SiteRequest
from recorder.wire import storable

log = logging.getLogger(__name__)
T = TypeVar("T")
EVERY_S = 0.25
LOOK_EVERY_S = 1.0
VALUED = ("path", "request_body", "response_body")
MAX_WAITING = 20_000
MAX_VALUELESS = 4_000  # whose bodies are held for some seconds
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

    @property
    def ended(self) -> datetime:
        """When its reply was whole."""
        return self.arrived + timedelta(milliseconds=self.ms)

    def said(self, *, closely: bool) -> dict[str, str]:
        """The columns that may hold secrets, masked."""
        return {
            "path": storable(mask_path(self.path, closely=closely)),
            "request_body": mask_json(self.request_body, closely=closely) if self.request_body else "",
            "response_body": mask_json(self.response_body, closely=closely) if self.response_body else "",
        }


@dataclass(frozen=True)
class Waiting:
    """A row whose values may follow."""

    pk: int
    seen: Seen


class RequestLog:
    """Collects requests and writes them in batches; `flush` writes what is left, with the values that may be kept by now."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.executor = executor
        self.waiting: list[Seen] = []
        self.valueless: list[Waiting] = []
        self.looked = 0.0
        self.task: asyncio.Task[None] | None = None
        self.writing = asyncio.Lock()

    def add(self, seen: Seen) -> None:
        """Take a finished request; in the event loop."""
        self.waiting.append(seen)
        if self.task is None or self.task.done():
            self.task = asyncio.get_running_loop().create_task(self.later())

    async def later(self) -> None:
        """Write soon, again and again until nothing waits."""
        while self.waiting or self.valueless:
            await asyncio.sleep(EVERY_S)
            await self.flush()

    async def flush(self) -> None:
        """Write everything that waits. What the database does not take is kept for the next time, within reason."""
        async with self.writing:
            batch, self.waiting = self.waiting, []
            try:
                self.valueless = (self.valueless + await self.work(partial(write, batch)))[-MAX_VALUELESS:]
                batch = []
                if time.monotonic() - self.looked >= LOOK_EVERY_S:
                    self.looked = time.monotonic()
                    self.valueless = await self.work(partial(add_values, self.valueless))
            except DatabaseError:
                log.warning("the request log waits: the database does not take it", exc_info=True)
                self.waiting = (batch + self.waiting)[-MAX_WAITING:]

    async def close(self) -> None:
        """Write what is left for the last time."""
        async with self.writing:  # the task is not at it now
            if self.task is not None:
                self.task.cancel()
        await self.flush()

    async def work(self, work: Callable[[], T]) -> T:
        """Run `work` in a thread of ours."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, with_connection, work)


def with_connection(work: Callable[[], T]) -> T:
    """Run `work` in a thread of ours and give its database connection back to the pool."""
    try:
        return work()
    finally:
        connection.close()


def write(batch: Sequence[Seen]) -> list[Waiting]:
    """Insert a batch without values, and give those that have some. Recordings that are gone by now are skipped."""
    if not batch:
        return []
    starts = dict(Recording.objects.filter(pk__in={seen.recording for seen in batch}).values_list("pk", "started_at"))
    known = [seen for seen in batch if seen.recording in starts]
    rows = SiteRequest.objects.bulk_create([row(seen, starts[seen.recording]) for seen in known], batch_size=500)
    return [Waiting(made.pk, seen) for made, seen in zip(rows, known, strict=True) if has_values(made, seen)]


def has_values(made: SiteRequest, seen: Seen) -> bool:
    """True where a row says less than it might."""
    return any(getattr(made, name) != value for name, value in seen.said(closely=False).items())


def add_values(waiting: Sequence[Waiting]) -> list[Waiting]:
    """Add the values that may be kept; what is not certain yet is given back."""
    if not waiting:
        return []
    now = datetime.now(UTC)
    pages = vouch.told({one.seen.recording for one in waiting}, min(one.seen.arrived for one in waiting))
    answers = [vouch.may_keep(one.seen.arrived, one.seen.ended, now, pages[one.seen.recording]) for one in waiting]
    kept = [
        SiteRequest(pk=one.pk, **one.seen.said(closely=False))
        for one, keep in zip(waiting, answers, strict=True)
        if keep
    ]
    SiteRequest.objects.bulk_update(kept, VALUED, batch_size=200)
    return [one for one, keep in zip(waiting, answers, strict=True) if keep is None]


def row(seen: Seen, started_at: datetime | None) -> SiteRequest:
    """A request as it is stored at first."""
    since = (seen.arrived - (started_at or seen.arrived)).total_seconds() * 1000
    said = seen.said(closely=True)
    return SiteRequest(
        recording_id=seen.recording,
        t=round(since, 1),
        ms=round(seen.ms, 1),
        method=storable(seen.method)[:20],
        status=seen.status,
        request_bytes=seen.request_bytes,
        response_bytes=seen.response_bytes,
        error=storable(seen.error.replace(seen.path, said["path"]))[:500],
        **said,
    )
