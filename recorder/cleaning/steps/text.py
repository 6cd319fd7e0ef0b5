"""What becomes of keys, text and the clipboard."""

from __future__ import annotations

from recorder.cleaning.gestures import Gesture, gesture
from recorder.cleaning.keys import is_modifier, key_name, written
from recorder.cleaning.order import Event, element_of
from recorder.cleaning.steps.projection import KEY_EFFECT_MS, TWIN_MS, Projection

CLIPBOARD = {"copy": {"c", "Insert"}, "cut": {"x", "Delete"}, "paste": {"v", "Insert"}}
ANSWERED = ("press", "click", "dblclick", "drag")  # what a page may answer by changing a text


def keydown(p: Projection, event: Event) -> None:
    if is_modifier(event):
        return
    key = written(event)
    held = p.previous(event, "press")
    if event.get("repeat") and held and held.fields["key"] == key and held.element == element_of(event):
        held.absorb(event)
        held.fields["repeats"] = held.fields.get("repeats", 1) + 1
        return
    p.begin(gesture("press", event, key=key))


def fill(p: Projection, event: Event) -> None:
    element = element_of(event)
    p.filled.add(element)
    if (cause := p.previous(event, "paste", "press", "drag")) and only_moved_text(p, event):
        cause.absorb(event)
        return
    if only_by_page(p, event) and (cause := p.previous(event, *ANSWERED, within=KEY_EFFECT_MS)):
        cause.absorb(event)
        return
    before = p.previous(event, "fill")
    if before and before.element == element and not before.ended:
        before.absorb(event)
        before.fields["value"] = event["value"]
        return
    p.begin(gesture("fill", event, ("value",)))


def only_by_page(p: Projection, event: Event) -> bool:
    """True where the run holds nothing but text that the page changed in answer: a field emptied after Enter, a choice put in."""
    return bool(p.last_own < event["raw"][0])


def only_moved_text(p: Projection, event: Event) -> bool:
    """True where the run holds nothing but the input that a paste, cut or drop made."""
    return bool(p.last_other < event["raw"][0])


def copy(p: Projection, event: Event) -> None:
    if button := p.same_act(event, "click") or p.previous(event, "click", within=TWIN_MS):
        button.absorb(event)  # a page's own copy button
        return
    clipboard(p, event, gesture("copy", event, ("text",)))


def paste(p: Projection, event: Event) -> None:
    p.filled.add(element_of(event))
    clipboard(p, event, gesture("paste", event, ("text",)))


def cut(p: Projection, event: Event) -> None:
    p.filled.add(element_of(event))
    clipboard(p, event, gesture("press", event, ("text",), key="Control+x"))


def clipboard(p: Projection, event: Event, new: Gesture) -> None:
    """Begin `new` in the place of the chord that asked for it."""
    press = p.previous(event, "press", within=KEY_EFFECT_MS)
    if (
        press
        and key_name(press.fields["key"].rpartition("+")[2]) in CLIPBOARD[event["type"]]
        and "+" in press.fields["key"]
    ):
        p.take(into=new, last=press)
    p.begin(new)
