"""Time: idle stretches count 30 s at most, reading stays apart, and nothing is counted twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.models import Attempt
from annotate.timing import IDLE_MS, active_ms, union_ms

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_of_a_silent_stretch_only_half_a_minute_is_active() -> None:
    assert active_ms([], 10_000) == 10_000
    assert active_ms([], 120_000) == IDLE_MS
    assert active_ms([1_000, 100_000], 101_000) == 1_000 + IDLE_MS + 1_000
    assert active_ms([-5, 500_000], 10_000) == 10_000  # events outside the attempt's time say nothing about it


def test_reading_ends_where_the_wall_clock_begins() -> None:
    attempt = Attempt(prepared_at=at(0), started_at=at(12.5), evaluate_at=at(72.5))
    assert (attempt.reading_ms, attempt.wall_ms) == (12_500, 60_000)
    assert (Attempt(started_at=at(1)).reading_ms, Attempt(prepared_at=at(1)).reading_ms) == (None, None)


def test_overlaps_count_once() -> None:
    assert union_ms([]) == 0
    assert union_ms([(0, 10), (5, 15), (6, 7), (20, 21)]) == 16
    assert union_ms([(9, 3), (3, 3)]) == 0
    assert union_ms([(9, 3), (4, 8)]) == 4  # one that runs backwards hides no other


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12))
def test_union_is_the_number_of_seconds_that_are_in_some_stretch(pairs: list[tuple[int, int]]) -> None:
    seconds = {second for begin, end in pairs for second in range(begin, end)}
    assert union_ms(pairs) == len(seconds)
