"""The one order of raw events that every index into them refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from recorder.errors import FootpathError

Event = dict[str, Any]
PLACE = ("type", "t", "tab", "doc", "n", "frame", "target")
PLACED = frozenset((str, t, int, str, int, str, target) for t in (float, int) for target in (dict, type(None)))


def ordered(events: Iterable[Event]) -> list[Event]:
    """Events by `t`, then tab, then `doc`, `n`; what lacks a field keeps its place. Raises FootpathError on an event without `t`."""
    listed = list(events)
    for index, event in enumerate(listed):
        check(event, index)
    return sorted(listed, key=order_key)


def in_order(events: Iterable[Event]) -> Iterator[Event]:
    """Events as they come, which must be in order already. Raises FootpathError where one is not, or has no place."""
    before: tuple[float, int, str, int] | None = None
    for index, event in enumerate(events):
        check(event, index)
        key = order_key(event)
        if before is not None and key < before:
            message = f"event {index} ({event['type']}) comes before event {index - 1} in time; order the events first"
            raise FootpathError("bad_event", 400, message)
        before = key
        yield event


def order_key(event: Event) -> tuple[float, int, str, int]:
    """The sort key of one event."""
    get = event.get
    return (event["t"], get("tab", 0), get("doc", ""), get("n", 0))


def check(event: object, index: int) -> None:
    """Refuse what cannot be put in order, by its index in the list."""
    if type(event) is dict and tuple(map(type, map(event.get, PLACE))) in PLACED:
        return  # as nearly all are
    if not isinstance(event, dict):
        raise FootpathError("bad_event", 400, f"event {index} is not a JSON object")
    if not isinstance(event.get("type"), str):
        raise FootpathError("bad_event", 400, f"event {index} has no 'type'")
    if isinstance(event.get("t"), bool) or not isinstance(event.get("t"), int | float):
        raise FootpathError("bad_event", 400, f"event {index} ({event['type']}) has no time 't' in milliseconds")
    for field, kind in (("tab", int), ("doc", str), ("n", int), ("frame", str), ("target", dict)):
        if field in event and not isinstance(event[field], kind):
            raise FootpathError("bad_event", 400, f"event {index} ({event['type']}): '{field}' must be {kind.__name__}")


def is_user(event: Event) -> bool:
    """True for a person's act; an event that does not say is one."""
    return bool(event.get("origin", "user") != "page")


def element_of(event: Event) -> tuple[Any, ...]:
    """What tells one element from another: document, tab, frame, shadow hosts and xpath."""
    target = event.get("target") or {}
    return (event.get("doc"), event.get("tab"), event.get("frame"), str(target.get("shadow")), target.get("xpath"))
