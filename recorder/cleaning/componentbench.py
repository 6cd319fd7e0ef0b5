"""The cleaner of the component benchmark's two-pass references (paper 002, section 2.2 and appendix K).

What precedes the last accidental reset goes, typing with pauses of at most 800 ms becomes one `fill`, a chord is one press.
Only events with origin `user` take part, and `mousemove` without `effect` goes, for that study recorded clicks, drags, keys and
scrolls. Every cleaned event carries `raw: [first, last]`, indexes into the ordered raw list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urldefrag

from recorder.cleaning.human140 import closed, without_pure_moves
from recorder.cleaning.keys import MODIFIERS, is_modifier, is_one_character
from recorder.cleaning.order import Event, element_of, is_user

NAME, VERSION = "componentbench", 1
TYPING_GAP_MS = 800
CHORD_GAP_MS = 200
DELETING_KEYS = frozenset({"Backspace", "Delete"})
Placed = tuple[int, Event]


def clean(events: Iterable[Event]) -> Iterator[Event]:
    """Cleaned events of raw `events`, which must be ordered (`order.ordered`) and are left as they are.

    `events` is gone over twice: where the last reset was is known at the end only.
    """
    begin = last_reset(events)
    kept = [(index, event) for index, event in enumerate(events) if index >= begin and is_user(event)]
    return without_pure_moves(done for run in runs(kept) for done in run)


def last_reset(events: Iterable[Event]) -> int:
    """Index after the person's last reload of the recording's first page that an operation followed; 0 where there is none."""
    first: str | None = None
    begin, candidate = 0, 0
    for index, event in enumerate(events):
        if event["type"] == "navigate" and not event.get("frame"):
            page = urldefrag(str(event.get("url") or "")).url
            if begins_anew(event) and first in {None, page}:
                candidate = index + 1
            first = page if first is None else first
        elif is_operation(event) and candidate:
            begin, candidate = candidate, 0
    return begin


def begins_anew(event: Event) -> bool:
    """True where the person reloaded or typed the address again; ways back over links or the history are part of the task."""
    again = event.get("how") == "reload" or (event.get("how") == "load" and event.get("cause") == "typed")
    return again and is_user(event)


def is_operation(event: Event) -> bool:
    """True for what a person did to the page, as opposed to where the pointer or the focus went."""
    return is_user(event) and event["type"] not in {"mousemove", "focus", "blur", "visibility", "resize", "selection"}


def runs(kept: Sequence[Placed]) -> Iterator[list[Event]]:
    """The kept events, typing and chords joined."""
    place = 0
    while place < len(kept):
        end = typing_end(kept, place) or chord_end(kept, place)
        if end is None:
            index, event = kept[place]
            yield [event | {"raw": [index, index]}]
            place += 1
            continue
        run = kept[place:end]
        yield list(closed(run)) if is_typing(run[0][1]) else [joined(run)]
        place = end


def typing_end(kept: Sequence[Placed], place: int) -> int | None:
    """Where the typing that begins at `place` ends; None where none begins."""
    end = place
    while end < len(kept) and is_typing(kept[end][1]):
        event = kept[end][1]
        if end > place:
            before = kept[end - 1][1]
            if element_of(event) != element_of(before) or round(event["t"] - before["t"], 3) > TYPING_GAP_MS:
                break
        end += 1
    return end if end > place else None


def is_typing(event: Event) -> bool:
    """True for text going into a text element: characters, the input they make, a composition."""
    if not (event.get("target") or {}).get("editable"):
        return False
    if event["type"] == "composition":
        return True
    if event["type"] == "input":
        return not str(event.get("inputType") or "").startswith("delete")
    key, held = event.get("key") or "", set(event.get("modifiers") or ())
    character = len(key) == 1 or is_one_character(key) or key in {"Process", "Dead", "Unidentified"}
    return event["type"] == "keydown" and character and held <= {"Shift", "AltGraph"}


def chord_end(kept: Sequence[Placed], place: int) -> int | None:
    """Where the press that begins at `place` ends: its modifiers' own keydowns before it, what it deleted after it."""
    end = place
    while end < len(kept) and kept[end][1]["type"] == "keydown" and is_modifier(kept[end][1]):
        end += 1
    if end == len(kept) or kept[end][1]["type"] != "keydown":
        return None
    press = kept[end][1]
    if end > place and not belongs(kept[place:end], press):
        return None
    end += 1
    if end < len(kept) and press.get("key") in DELETING_KEYS and deletes(press, kept[end][1]):
        end += 1
    return end


def belongs(modifiers: Sequence[Placed], press: Event) -> bool:
    """True where the keydowns of modifiers are those that `press` was made with."""
    held = set(press.get("modifiers") or ()) & MODIFIERS
    names = {event.get("key") for _, event in modifiers}
    late = any(round(press["t"] - event["t"], 3) > CHORD_GAP_MS for _, event in modifiers)
    return names <= held and not late


def deletes(press: Event, following: Event) -> bool:
    """True for the input that a Backspace or Delete made."""
    return (
        following["type"] == "input"
        and str(following.get("inputType") or "").startswith("delete")
        and element_of(following) == element_of(press)
    )


def joined(run: Sequence[Placed]) -> Event:
    """One press of several events: the key itself, from the first event to the last."""
    press = next(event for _, event in run if event["type"] == "keydown" and not is_modifier(event))
    first_index, first = run[0]
    last_index, last = run[-1]
    whole = press | {"t": first["t"], "raw": [first_index, last_index]}
    return whole | {"t_end": last["t"]} if last["t"] > first["t"] else whole


def kept_pass(passes: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The pass that stands for the task: passed, fewest `steps`, then shortest `wall_ms`, then the later one (last in `passes`).

    A pass with no step at all (hover only) is kept only where no other passed. None where none passed.
    """
    passed = [(place, one) for place, one in enumerate(passes) if one["passed"]]
    acting = [entry for entry in passed if entry[1]["steps"] > 0] or passed
    best = min(acting, key=lambda entry: (entry[1]["steps"], entry[1]["wall_ms"], -entry[0]), default=None)
    return best[1] if best else None
