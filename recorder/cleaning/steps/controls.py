"""What becomes of the values that native controls tell."""

from __future__ import annotations

from recorder.cleaning.gestures import Gesture, gesture
from recorder.cleaning.order import Event, element_of
from recorder.cleaning.steps.pointer import within_control
from recorder.cleaning.steps.projection import KEY_EFFECT_MS, Projection


def entered(p: Projection, event: Event) -> None:
    """`input` outside text: a select, a range, a date, a colour. Boxes and files tell by their `change`."""
    if "checked" not in event and "files" not in event and not is_box(event) and (event.get("target") or {}).get("tag"):
        value_control(p, event)


def is_box(event: Event) -> bool:
    return (event.get("target") or {}).get("role") in {"checkbox", "radio", "switch"}


def changed(p: Projection, event: Event) -> None:
    if "files" in event:
        upload(p, event)
    elif event.get("checked") is not None or is_box(event):
        checked(p, event)
    elif (event.get("target") or {}).get("editable"):
        text_changed(p, event)
    else:
        value_control(p, event)
        if p.last:
            p.last.ended = True


def upload(p: Projection, event: Event) -> None:
    opener = p.previous(event, "click") or p.previous(event, "press")
    new = gesture("upload", event, ("files",))
    if opener and (opener.type == "click" or opener.fields["key"] in {"Enter", "Space"}):
        p.take(into=new, last=opener)
    p.begin(new)


def checked(p: Projection, event: Event) -> None:
    """A box changed: by the click or key before it, or else (dictation, assistive tools) by itself."""
    kinds = ("click", "press", "dblclick")
    if cause := p.same_act(event, *kinds) or p.previous(event, *kinds, within=KEY_EFFECT_MS):
        cause.absorb(event)
    else:
        p.begin(gesture("check", event, ("checked", "value")))


def text_changed(p: Projection, event: Event) -> None:
    """The change that leaving a text field tells; only one that no input told is a step."""
    if element_of(event) not in p.filled and "value" in event:
        p.begin(gesture("fill", event, ("value",)))
        p.filled.add(element_of(event))


def value_control(p: Projection, event: Event) -> None:
    kind = "select_option" if (event.get("target") or {}).get("tag") == "select" else "set_value"
    names = ("value", "label", "index") if kind == "select_option" else ("value",)
    new = gesture(kind, event, names)
    while (press := p.previous(event, "press")) and press.element == new.element:
        p.gestures.pop()
        new.swallow(press)
        new.by_key = True
    before = p.previous(event, kind)
    if before and before.element == new.element and (goes_on(before, new) or is_its_change(before, event)):
        before.swallow(new)
        before.fields |= {name: event[name] for name in names if name in event}
        before.ended = False
        return
    opener = p.previous(event, "click", "drag")
    if opener and not new.by_key and within_control(opener.event, new):
        p.take(into=new, last=opener)
    p.begin(new)


def goes_on(before: Gesture, new: Gesture) -> bool:
    """True where the control is still being set: the same press of the button, or one key after another."""
    return not before.ended or (before.by_key and new.by_key)


def is_its_change(before: Gesture, event: Event) -> bool:
    """True for a second `change` telling the value that is there already."""
    return event["type"] == "change" and before.fields.get("value") == event.get("value")
