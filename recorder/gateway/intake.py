"""Posts on their way to the database: what comes while a transaction is at work is stored together by the next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from django.db import DatabaseError, InterfaceError
from psycopg_pool import PoolTimeout

from recorder.errors import FootpathError
from recorder.gateway.log import with_connection
from recorder.ingest import Outcome, Post, RecordingHeld, Reply, ingest_together

WRITERS = 2  # one prepares while the other waits for the disk
MAX_POSTS, MAX_BYTES = 32, 1024 * 1024  # of a group


@dataclass(frozen=True)
class Waiting:
    """A post whose page waits for the reply. `alone`: it could not be stored with others."""

    post: Post
    reply: asyncio.Future[Reply]
    alone: bool = False


class Intake:
    """Groups posts and stores each group in a thread. Lives in one event loop."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.executor = executor
        self.waiting: deque[Waiting] = deque()
        self.in_hand: set[int] = set()
        self.writing: set[asyncio.Task[None]] = set()

    async def take_in(self, post: Post) -> Reply:
        """Store a post. Raises FootpathError, and Django's DatabaseError where the database does not take it."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.waiting.append(Waiting(post, reply))
        self.begin()
        return await reply

    def begin(self) -> None:
        """Let the writers that are free take what waits."""
        while len(self.writing) < WRITERS and (group := self.next_group()):
            self.in_hand.update(one.post.recording for one in group)
            task = asyncio.get_running_loop().create_task(self.write(group))
            self.writing.add(task)
            task.add_done_callback(self.written)

    def written(self, task: asyncio.Task[None]) -> None:
        """A writer is free again."""
        self.writing.discard(task)
        self.begin()

    def next_group(self) -> list[Waiting]:
        """The posts to store next, in the order they came; of a recording one at a time."""
        group: list[Waiting] = []
        later: list[Waiting] = []
        busy, size = set(self.in_hand), 0
        while self.waiting:
            one = self.waiting.popleft()
            fits = not group or (not one.alone and len(group) < MAX_POSTS and size + len(one.post.body) <= MAX_BYTES)
            if one.post.recording in busy or not fits:
                later.append(one)
            else:
                group.append(one)
                size += len(one.post.body)
            busy.add(one.post.recording)  # what came later of the same recording waits its turn
            if group and group[0].alone:
                break
        self.waiting.extendleft(reversed(later))
        return group

    async def write(self, group: Sequence[Waiting]) -> None:
        """Store a group and answer its pages."""
        work = partial(with_connection, partial(ingest_together, [one.post for one in group]))
        try:
            outcomes = await asyncio.get_running_loop().run_in_executor(self.executor, work)
        except (DatabaseError, InterfaceError, PoolTimeout) as error:
            for one in group:
                fail(one, error)
        except Exception as error:  # noqa: BLE001  (the page that waits is told, whatever it was)
            if len(group) > 1:  # of one of them: the others must not bear it
                self.waiting.extendleft(Waiting(one.post, one.reply, alone=True) for one in reversed(group))
            else:
                fail(group[0], error)
        else:
            for one, outcome in zip(group, outcomes, strict=True):
                self.answer(one, outcome)
        finally:
            self.in_hand.difference_update(one.post.recording for one in group)

    def answer(self, one: Waiting, outcome: Outcome) -> None:
        """Give a page its reply; a post that could not be stored with others is next, by itself."""
        if isinstance(outcome, RecordingHeld):
            self.waiting.appendleft(Waiting(one.post, one.reply, alone=True))
        elif isinstance(outcome, FootpathError):
            fail(one, outcome)
        elif not one.reply.done():
            one.reply.set_result(outcome)


def fail(one: Waiting, error: Exception) -> None:
    if not one.reply.done():  # its page may have gone
        one.reply.set_exception(error)
