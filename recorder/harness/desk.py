"""One thread for the database: Playwright's own thread runs an event loop, in which Django refuses to work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connections

Result = TypeVar("Result")


class Desk:
    """Runs calls one after another in a thread of its own; a context manager that ends it and its connections."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1, "desk")

    def do(self, work: Callable[..., Result], *args: Any, **named: Any) -> Result:
        """The result of `work(*args, **named)`, or its exception."""
        return self.pool.submit(work, *args, **named).result()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.do(connections.close_all)
        self.pool.shutdown()
