"""Work in two steps on one item after another, each step by a thread of its own, while the caller gets the next item."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Given = TypeVar("Given")
Half = TypeVar("Half")
Done = TypeVar("Done")


def side_by_side(
    source: Iterable[Given], first: Callable[[Given], Half], second: Callable[[Half], Done], most: int
) -> Generator[Done, None, None]:
    """`second(first(item))` of each item, in their order. At most `most` items are in the works while the next is got from `source`,
    so few are in memory.

    What a step raises is raised here, in its item's turn; then, and where the caller stops, what has not begun is dropped, and what
    has begun is waited for.
    """
    under_way: deque[Future[Done]] = deque()
    one, two = (ThreadPoolExecutor(1, thread_name_prefix=f"{step}-step") for step in ("first", "second"))
    try:
        for item in source:
            under_way.append(two.submit(after, one.submit(first, item), second))
            del item  # or it stays in memory until there is another
            if len(under_way) == most:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for executor in (one, two):
            executor.shutdown(cancel_futures=True)


def after(before: Future[Half], step: Callable[[Half], Done]) -> Done:
    """The step on what came out before it."""
    return step(before.result())


@contextmanager
def uncollected() -> Iterator[Callable[[], int]]:
    """No search for garbage meanwhile but by what is given, which looks through what is new since this began: to look again and
    again through all that a process holds took a twelfth of an export."""
    was_on = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield gc.collect
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()
