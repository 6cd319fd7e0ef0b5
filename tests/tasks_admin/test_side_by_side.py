"""Two steps side by side: results in order, few items in memory, an error in its turn, nothing left at work when it is over."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from tasks_admin.exports.side_by_side import side_by_side, uncollected


def test_each_item_goes_through_both_steps_in_order() -> None:
    assert list(side_by_side(range(20), str, lambda text: text + "!", 3)) == [f"{n}!" for n in range(20)]
    assert list(side_by_side([], str, str, 3)) == []


def test_the_three_are_at_work_at_once() -> None:
    """The source gives its third item only once the second step is at the first and the first step at the second."""
    first_at_two, second_at_one = threading.Event(), threading.Event()

    def source() -> Iterator[int]:
        yield 1
        yield 2
        assert first_at_two.wait(20)
        assert second_at_one.wait(20)
        yield 3

    def first(n: int) -> int:
        if n == 2:
            first_at_two.set()
            assert second_at_one.wait(20)
        return n

    def second(n: int) -> int:
        if n == 1:
            second_at_one.set()
            assert first_at_two.wait(20)
        return n

    assert list(side_by_side(source(), first, second, 3)) == [1, 2, 3]


def test_no_more_than_so_many_are_under_way() -> None:
    got: list[int] = []
    done: list[int] = []

    def source() -> Iterator[int]:
        for n in range(10):
            assert n - len(done) <= 2
            got.append(n)
            yield n

    for one in side_by_side(source(), lambda n: n, lambda n: n, 2):
        done.append(one)
    assert got == done == list(range(10))


@pytest.mark.parametrize("at", ["first", "second"])
def test_what_a_step_raises_is_raised_in_its_turn(at: str) -> None:
    def failing(n: int) -> int:
        if n == 2:
            raise ZeroDivisionError
        return n

    steps = (failing, int) if at == "first" else (int, failing)
    seen: list[int] = []
    before = threading.active_count()
    items = (seen.append(one) for one in side_by_side(range(10), *steps, 3))
    with pytest.raises(ZeroDivisionError):
        list(items)
    assert seen == [0, 1]
    assert threading.active_count() == before


def test_nothing_is_at_work_once_it_is_closed() -> None:
    begun, go_on = threading.Event(), threading.Event()
    ended: list[int] = []

    def slow(n: int) -> int:
        if n == 1:
            begun.set()
            assert go_on.wait(20)
        ended.append(n)
        return n

    before = threading.active_count()
    with closing(side_by_side(range(10), int, slow, 3)) as items:
        assert next(items) == 0
        assert begun.wait(20)
        go_on.set()
    assert ended in ([0, 1], [0, 1, 2])  # what had begun has ended, no more has begun
    assert threading.active_count() == before


def test_garbage_is_looked_for_only_when_asked_meanwhile() -> None:
    class Circle:
        def __init__(self) -> None:
            self.me = self

    assert gc.isenabled()
    with uncollected() as collect:
        assert not gc.isenabled()
        Circle()
        assert collect() >= 1
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
