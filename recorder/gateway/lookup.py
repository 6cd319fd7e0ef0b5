"""Which recording a host name means: asked of the database for what begins or changes something, else every half second."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import TypeVar
from urllib.parse import unquote

from django.db import InterfaceError, OperationalError, connection

from recorder.environments.base import Foreign
from recorder.gateway.log import with_connection
from recorder.models import Recording
from recorder.recordings import start_recording

T = TypeVar("T")
KEPT_S = 0.5
MAX_KEPT = 10_000


@dataclass(frozen=True)
class Route:
    """What the gateway needs to know of a recording."""

    pk: int
    state: str
    upstream: str
    refuse: tuple[str, ...]
    started: bool
    watch: str = ""  # JSON of what success looks like in the page
    foreign: Foreign | None = None
    capture: bool = False

    def refuses(self, path: str) -> bool:
        """True for paths that belong to the environment's harness, however they are written.

        Servers read a path in many ways: some drop what follows a `;`, some blanks, dots or zero bytes at a name's end.
        """
        plain = "/" + normpath(unquote(path).replace("\\", "/")).lstrip("/").lower()
        bare = "/" + normpath("/".join(bare_name(name) for name in plain.split("/"))).lstrip("/")
        forms = {form for one in (plain, bare) for form in (one, one.rstrip("/") + "/")}
        return any(fnmatchcase(form, pattern.lower()) for pattern in self.refuse for form in forms)


def bare_name(name: str) -> str:
    """A part of a path without parameters and without what some servers drop at its end; `.` and `..` stay."""
    bare = name.partition(";")[0].partition("\x00")[0].strip()
    return bare if bare in {".", ".."} else bare.rstrip(". ")


class Routes:
    """Recordings by host label."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.executor = executor
        self.kept: dict[str, tuple[float, Route | None]] = {}

    async def find(self, key: str, *, fresh: bool) -> Route | None:
        """The recording whose key is `key`, or None; `fresh`: as it is now, not as it was half a second ago.

        Raises DatabaseError where it cannot be asked.
        """
        until, route = self.kept.get(key, (0.0, None))
        if until > time.monotonic() and not fresh:
            return route
        route = await self.run(key)
        if len(self.kept) >= MAX_KEPT:
            self.kept.clear()
        self.kept[key] = (time.monotonic() + KEPT_S, route)
        return route

    async def run(self, key: str) -> Route | None:
        return await asyncio.get_running_loop().run_in_executor(self.executor, asked, lambda: load(key))

    async def is_unheard(self, route: Route) -> bool:
        """Whether no page of the recording has said anything yet."""
        ask = Recording.objects.filter(pk=route.pk, documents=None).exists
        return await asyncio.get_running_loop().run_in_executor(self.executor, asked, ask)

    async def start(self, key: str, route: Route) -> None:
        """Begin the recording's time with its first document."""
        self.kept.pop(key, None)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.executor, with_connection, lambda: start_recording(route.pk))


def asked(question: Callable[[], T]) -> T:
    """Ask the database; once more where it was restarted: then none of the pool's connections from before lives, and all of them go."""
    try:
        return with_connection(question)
    except (OperationalError, InterfaceError):
        if (pool := getattr(connection, "pool", None)) is not None:
            pool.check()
        return with_connection(question)


def load(key: str) -> Route | None:
    """A route from the database."""
    row = Recording.objects.filter(key=key).first()
    if row is None:
        return None
    watch = json.dumps(row.watch, sort_keys=True) if row.watch else ""
    foreign = Foreign(tuple(row.foreign["allow"]), tuple(row.foreign["stub"])) if row.foreign else None
    begun = row.started_at is not None
    return Route(row.pk, row.state, row.upstream, tuple(row.refuse), begun, watch, foreign, row.capture)
