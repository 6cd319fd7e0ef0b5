"""Steps: cleaned events projected onto what an agent could also do. One gesture is one step.

Each event type has one small function that either begins a gesture or counts the event as part of one begun before: a
label's click and its twin, the click that opened a native picker, the change that a click caused, the navigation a key
asked for. What no function claims (focus, submit, page loads that something else caused …) is no step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from recorder.cleaning.order import Event
from recorder.cleaning.steps.controls import changed, entered
from recorder.cleaning.steps.page import dialog, left, navigate, tab
from recorder.cleaning.steps.pointer import auxclick, click, contextmenu, dblclick, drag, mousemove, scroll
from recorder.cleaning.steps.projection import Handler, Projection
from recorder.cleaning.steps.text import copy, cut, fill, keydown, paste

HANDLERS: dict[str, Handler] = {
    "click": click,
    "dblclick": dblclick,
    "contextmenu": contextmenu,
    "auxclick": auxclick,
    "drag": drag,
    "mousemove": mousemove,
    "scroll": scroll,
    "keydown": keydown,
    "fill": fill,
    "copy": copy,
    "cut": cut,
    "paste": paste,
    "input": entered,
    "change": changed,
    "navigate": navigate,
    "tab": tab,
    "dialog": dialog,
    "focus": left,
    "blur": left,
}


def projection_of() -> Projection:
    """A projection that has seen nothing yet."""
    return Projection(HANDLERS)


def steps_of(events: Iterable[Event], cleaned: Iterable[Event]) -> Iterator[Event]:
    """Steps of `cleaned`, which was made of the ordered raw `events`. Each has `raw`, its range in them."""
    projection, rest, fed = projection_of(), iter(events), 0
    for event in cleaned:
        until = event["raw"][1] + 1
        yield from projection.take_up(islice(rest, max(until - fed, 0)), event)
        fed = max(fed, until)
    yield from projection.finish()
