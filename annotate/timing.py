"""Active and idle time of an attempt, and the time that several of them cover."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

IDLE_MS = 30_000


def active_ms(times: Iterable[float], wall_ms: int) -> int:
    """Milliseconds of 0..`wall_ms` that were not idle: of a stretch without a person's event only the first 30 s count."""
    inside = sorted(t for t in times if 0 <= t <= wall_ms)
    marks = [0.0, *inside, float(wall_ms)]
    return round(sum(min(after - before, IDLE_MS) for before, after in zip(marks, marks[1:], strict=False)))


def union_ms(stretches: Iterable[tuple[datetime | None, datetime | None]]) -> int:
    """Milliseconds that the stretches (from, to) cover together: where they overlap, once. One without an end is left out."""
    covered, until = timedelta(0), None
    for begin, end in sorted((begin, end) for begin, end in stretches if begin and end and end > begin):
        after = begin if until is None else max(begin, until)
        if end > after:
            covered, until = covered + (end - after), end
    return round(covered / timedelta(milliseconds=1))
