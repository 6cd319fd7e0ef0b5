"""How fast people go and when they will have done, from what they completed lately."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Pace:
    """Complete assignments a day, and when the rest will be done at that; None where there is nothing to go by."""

    per_day: float | None
    ends_at: datetime | None


def pace(lately: int, first: datetime | None, left: int, now: datetime, window: timedelta) -> Pace:
    """The pace of somebody who completed `lately` within `window` and their first one at `first`, with `left` to do.

    Time counts from the first one on, and at least one day, so that a good first hour promises no 24 of them.
    """
    if not lately or first is None:
        return Pace(None, None)
    days = max(min(now - first, window) / DAY, 1.0)
    per_day = lately / days
    return Pace(per_day, now + DAY * (left / per_day) if left else None)
