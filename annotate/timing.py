"""Active and idle time of an attempt, and the time that several of them cover."""

from __future__ import annotations

from collections.abc import Iterable

IDLE_MS = 30_000


def active_ms(times: Iterable[float], wall_ms: int) -> int:
    """Milliseconds of 0..`wall_ms` that were not idle: of a stretch without a person's event only the first 30 s count."""
    inside = sorted(t for t in times if 0 <= t <= wall_ms)
    marks = [0.0, *inside, float(wall_ms)]
    return round(sum(min(after - before, IDLE_MS) for before, after in zip(marks, marks[1:], strict=False)))


def union_ms(stretches: Iterable[tuple[float, float]]) -> int:
    """Milliseconds that the stretches (from, to; in ms) cover together: where they overlap, once. None runs backwards."""
    covered, until = 0.0, float("-inf")
    for begin, end in sorted(stretches):
        covered += max(0.0, end - max(begin, until))
        until = max(until, end)
    return round(covered)
