"""The cleaner of the 140-task human study (paper 000, appendix H): three rules, each once, in this order.

Only events with origin `user` take part. Every cleaned event carries `raw: [first, last]`, indexes into the ordered raw list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recorder.cleaning.keys import is_keystroke
from recorder.cleaning.order import Event, element_of, is_user

NAME, VERSION = "human140", 1
SCROLL_GAP_MS = 400
COMMON = ("doc", "t", "tab", "frame", "origin", "target")


def clean(events: Iterable[Event]) -> Iterator[Event]:
    """Cleaned events of raw `events`, which must be ordered (`order.ordered`) and are left as they are.

    Lazy: no more is held than the open run of keystrokes or scrolls.
    """
    kept = ((index, event) for index, event in enumerate(events) if is_user(event))
    return without_pure_moves(merged_scrolls(fills(kept)))


def fills(kept: Iterable[tuple[int, Event]]) -> Iterator[Event]:
    """Rule 1: consecutive keystrokes into one text element become one `fill`."""
    run: list[tuple[int, Event]] = []
    for (index, event), following in with_next(kept):
        stroke = is_keystroke(event, following)
        if run and not (stroke and element_of(event) == element_of(run[0][1])):
            yield from closed(run)
            run = []
        if stroke:
            run.append((index, event))
        else:
            yield event | {"raw": [index, index]}
    yield from closed(run)


def with_next(kept: Iterable[tuple[int, Event]]) -> Iterator[tuple[tuple[int, Event], Event | None]]:
    """Each with the event after it, None at the end."""
    before: tuple[int, Event] | None = None
    for one in kept:
        if before is not None:
            yield before, one[1]
        before = one
    if before is not None:
        yield before, None


def closed(run: Sequence[tuple[int, Event]]) -> Iterator[Event]:
    """A finished run: one fill, or its events as they are where nothing was entered."""
    values = [event["value"] for _, event in run if event["type"] == "input" and "value" in event]
    if not any(event["type"] == "input" for _, event in run):
        yield from (event | {"raw": [index, index]} for index, event in run)
        return
    first_index, first = run[0]
    last_index, last = run[-1]
    fill: dict[str, Any] = {name: first[name] for name in COMMON if name in first}
    yield fill | {
        "type": "fill",
        "value": values[-1] if values else None,
        "t_end": last["t"],
        "raw": [first_index, last_index],
    }


def merged_scrolls(events: Iterator[Event]) -> Iterator[Event]:
    """Rule 2: consecutive scrolls of one container, each within 400 ms of the one before, become one."""
    pending: Event | None = None
    for event in events:
        if pending is not None and continues(pending, event):
            pending = joined(pending, event)
            continue
        if pending is not None:
            yield pending
        pending = event if event["type"] == "scroll" else None
        if pending is None:
            yield event
    if pending is not None:
        yield pending


def continues(before: Event, event: Event) -> bool:
    """True where `event` scrolls on what `before` scrolled."""
    gap = round(event["t"] - before.get("t_end", before["t"]), 3)
    return event["type"] == "scroll" and element_of(event) == element_of(before) and gap <= SCROLL_GAP_MS


def joined(before: Event, event: Event) -> Event:
    """Two scrolls as one: signed sums, the last position."""
    position = {name: event[name] for name in ("top", "left") if name in event}
    return (
        before
        | position
        | {
            "dx": total(before.get("dx"), event.get("dx")),
            "dy": total(before.get("dy"), event.get("dy")),
            "raw": [before["raw"][0], event["raw"][1]],
            "t_end": event["t"],
        }
    )


def total(one: float | None, other: float | None) -> float:
    """Sum of two deltas, to a tenth of a pixel."""
    return round((one or 0) + (other or 0), 3)


def without_pure_moves(events: Iterator[Event]) -> Iterator[Event]:
    """Rule 3: a `mousemove` without `effect` goes."""
    return (event for event in events if event["type"] != "mousemove" or event.get("effect"))
