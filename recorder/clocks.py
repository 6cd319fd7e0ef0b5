"""From a document's own monotonic clock to the recording's time. Pure.

A post says when it was sent on the document's clock; the server knows when it came. The smallest difference over all posts
has the shortest way behind it; half the shortest round trip is taken off it. A document that can no longer post (its events
are sent by a later one) is related to its sender by the two time origins, which both come from the same browser.
"""

from __future__ import annotations

from typing import Any

MAX_ONE_WAY_MS = 1000.0


def heard(clock: dict[str, Any], received_ms: float, sent: float, rtt: float | None) -> dict[str, Any]:
    """The clock after a post that came `received_ms` after the recording's start and was sent at `sent` (ms)."""
    lag = received_ms - sent
    least = min(lag, clock.get("lag", lag))
    trips = [trip for trip in (rtt, clock.get("rtt")) if trip is not None]
    return clock | {"lag": least} | ({"rtt": min(trips)} if trips else {})


def offset(clock: dict[str, Any]) -> float:
    """Milliseconds to add to the document's clock to get `t`, to a tenth."""
    if "lag" not in clock:
        return float(clock.get("related", 0.0))
    one_way = min(clock.get("rtt", 0.0) / 2, MAX_ONE_WAY_MS)
    return round(float(clock["lag"] - one_way), 1)


def related(clock: dict[str, Any], sender_offset: float, origin: Any, sender_origin: Any) -> dict[str, Any]:
    """The clock of a document that never posted itself, by its sender's offset and both `performance.timeOrigin`."""
    if "lag" in clock or not isinstance(origin, int | float) or not isinstance(sender_origin, int | float):
        return clock
    return clock | {"related": round(sender_offset + (origin - sender_origin), 1)}
