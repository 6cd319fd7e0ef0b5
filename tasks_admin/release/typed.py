"""Masking what was typed: where a mask matches what stood in a field, no letter on the way there is told either.

A recording tells a word as it grows: key by key, value by value. A mask finds the whole word only, so a field in which it found one
is covered: its keys and what they brought are one sign each, and of its values only the last is left, with what matches masked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from tasks_admin.release.masks import MASK, Masks

Event = dict[str, Any]
SIGN = "•"  # in place of a letter
VALUES = ("value", "before", "data", "text")
INPUT, MUTATION = 5, 0  # sources of rrweb's incremental events
INCREMENTAL = 3  # rrweb's type of them


def masked_events(masks: Masks, events: Sequence[Event]) -> list[Event]:
    """A recording's raw events, in order, masked; no event or field is added or taken away but the `code` of a covered key."""
    covered = _covered(masks, ((field_of(event), text) for event in events for text in _texts(event)))
    covered |= _covered(masks, _typed(events))
    last = {field_of(event): place for place, event in enumerate(events) if isinstance(event.get("value"), str)}
    return [
        _cover(masks.event(event), is_last=last.get(field_of(event)) == place)
        if field_of(event) in covered
        else masks.event(event)
        for place, event in enumerate(events)
    ]


def field_of(event: Event) -> tuple[str, str, str]:
    """Where an event's text goes: document, frame and element."""
    target = event.get("target") or {}
    return event.get("doc", ""), event.get("frame", ""), target.get("xpath") or target.get("css") or ""


def _covered(masks: Masks, told: Iterable[tuple[Any, str]]) -> set[Any]:
    """The fields of whose texts a mask matches one."""
    return {field for field, text in told if masks.text(text) != text}


def _texts(event: Event) -> Iterator[str]:
    for name in VALUES:
        value = event.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            yield str(value)


def _typed(events: Sequence[Event]) -> Iterator[tuple[Any, str]]:
    """Per field all letters that were typed, one after another: for what takes keys without telling a value."""
    letters: dict[Any, list[str]] = defaultdict(list)
    for event in events:
        if is_letter(event):
            letters[field_of(event)].append(event["key"])
    return ((field, "".join(typed)) for field, typed in letters.items())


def is_letter(event: Event) -> bool:
    """True for a key that writes a character."""
    return event["type"] == "keydown" and len(event.get("key") or "") == 1


def _cover(event: Event, *, is_last: bool) -> Event:
    if is_letter(event):
        event["key"] = SIGN
        event.pop("code", None)
    for name in VALUES:
        value = event.get(name)
        if value in (None, "") or isinstance(value, bool) or (name == "value" and is_last and isinstance(value, str)):
            continue
        if isinstance(value, str | int | float):
            event[name] = SIGN if name == "data" else MASK
    return event


def masked_page(masks: Masks, events: Callable[[], Iterable[Event]]) -> Iterator[Event]:
    """The events of a captured page, rrweb's, masked in the same way; they are read twice, and never all in memory."""
    if not masks:
        yield from events()
        return
    covered, last = set(), {}
    for place, event in enumerate(events()):
        for node, text in ((node, text) for node, text, _ in _told(event)):
            last[node] = place
            if masks.text(text) != text:
                covered.add(node)
    for place, event in enumerate(events()):
        masked = masks.page(event)
        for node, text, put in _told(masked):
            if node in covered and last[node] != place and text:
                put(MASK)
        yield masked


def _told(event: Event) -> Iterator[tuple[Any, str, Callable[[str], None]]]:
    """Each text that an event of rrweb's gives a node: the node, the text, and what puts another in its place. The events come from
    the page, so that any part of them may be of another kind."""
    data = event.get("data")
    if event.get("type") != INCREMENTAL or not isinstance(data, dict):
        return
    places: list[tuple[Any, Any, str]] = []
    if data.get("source") == INPUT:
        places = [(data, data, "text")]
    elif data.get("source") == MUTATION:
        places = [(change, change, "value") for change in _objects(data.get("texts"))]
        places += [(change, change.get("attributes"), "value") for change in _objects(data.get("attributes"))]
    for named, place, name in places:
        if isinstance(place, dict) and isinstance(place.get(name), str):
            yield str(named.get("id")), place[name], partial(place.__setitem__, name)


def _objects(value: Any) -> list[Event]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
