"""Stretches of a recording in which nothing was done, or nothing of it was in view. Pure, over ordered raw events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recorder.cleaning.order import Event, is_user

Stretch = tuple[float, float]  # from and to, ms since the recording's start


def idle(events: Iterable[Event], end: float, least: float) -> list[Stretch]:
    """Gaps of at least `least` ms between a person's acts in 0..`end`, what goes before the first and after the last included."""
    inside = [event["t"] for event in events if is_user(event) and 0 <= event["t"] <= end]
    marks = [0.0, *inside, end]
    return [(before, after) for before, after in zip(marks, marks[1:], strict=False) if after - before >= least]


def hidden(events: Iterable[Event], end: float) -> list[Stretch]:
    """When no tab of the recording was in view, from the first of its pages to `end`.

    A page that goes says "hidden" too; the next one in its tab, or any act in the tab, shows that it was in view all along.
    """
    shown: dict[Any, bool] = {}
    found: list[Stretch] = []
    since: float | None = None
    for event in events:
        shows = says(event)
        if shows is not None:
            shown[event.get("tab")] = shows
        if any(shown.values()):
            if since is not None:
                found.append((since, event["t"]))
            since = None
        elif shown and since is None:
            since = event["t"]
    return [*found, (since, end)] if since is not None and end > since else found


def says(event: Event) -> bool | None:
    """Whether the event shows its tab in view (True), out of view (False), or neither."""
    if event["type"] == "visibility":
        return bool(event.get("state") == "visible")
    if event["type"] == "tab":
        return event.get("action") != "close"
    if event["type"] == "navigate" and event.get("how") in ("load", "reload", "bfcache"):
        return True
    return True if is_user(event) and event["type"] not in ("blur", "focus", "blind") else None


def longest(stretches: Iterable[Stretch]) -> Stretch | None:
    """The longest one, or None of nothing."""
    return max(stretches, key=lambda stretch: stretch[1] - stretch[0], default=None)
