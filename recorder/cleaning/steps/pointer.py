"""What becomes of presses, clicks, drags, moves and scrolls."""

from __future__ import annotations

from recorder.cleaning.gestures import POINTER, Gesture, acts_of, gesture
from recorder.cleaning.order import Event, element_of
from recorder.cleaning.steps.projection import KEY_EFFECT_MS, TWIN_MS, Projection

SAME_PRESS_MS = 250  # the click that ends the press which set a value
DOUBLE_CLICK_MS = 2000
SCROLL_GAP_MS = 400
LABELABLE = frozenset({"input", "select", "textarea", "button", "meter", "output", "progress"})
SCROLL_KEYS = frozenset(
    {"PageDown", "PageUp", "Home", "End", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Space"}
)


def click(p: Projection, event: Event) -> None:
    for found in (told_cause, key_behind, twin_of, press_behind):
        if cause := found(p, event):
            cause.absorb(event)
            return
    if (double := p.previous(event, "dblclick", within=DOUBLE_CLICK_MS)) and event.get("detail", 1) >= 3:
        double.absorb(event)
        double.fields["clicks"] = event["detail"]
        return
    p.begin(gesture("click", event, POINTER))


def told_cause(p: Projection, event: Event) -> Gesture | None:
    """The gesture that this click is part of by the page's own word."""
    kinds = ("press", "drag", "set_value", "select_option", "upload")
    return p.same_act(event, *kinds, *(("click",) if event.get("by") == "label" else ()))


def key_behind(p: Projection, event: Event) -> Gesture | None:
    """The press that made this click: Enter or Space on a control, Enter in a form's field, an arrow among radios."""
    nowhere = not event.get("x") and not event.get("y")
    if event.get("by") == "pointer" or event.get("detail", 0 if nowhere else 1):
        return None
    return p.previous(event, "press", within=KEY_EFFECT_MS)


def twin_of(p: Projection, event: Event) -> Gesture | None:
    """The click whose twin this is: a label clicks its control."""
    before = p.previous(event, "click", within=KEY_EFFECT_MS)
    if before is None or before.element == element_of(event) or event.get("by") == "pointer":
        return None
    if event["t"] - before.start <= TWIN_MS:
        return before
    label, control = ((one.get("target") or {}).get("tag") for one in (before.event, event))
    return before if label == "label" and control in LABELABLE and same_place(before.event, event) else None


def same_place(one: Event, other: Event) -> bool:
    return "x" in one and (one.get("x"), one.get("y")) == (other.get("x"), other.get("y"))


def press_behind(p: Projection, event: Event) -> Gesture | None:
    """The drag or native control whose press of the button ends in this click."""
    if (drag := p.previous(event, "drag", within=SAME_PRESS_MS)) and not other_press(drag, event):
        return drag
    control = p.previous(event, "set_value", "select_option", within=SAME_PRESS_MS)
    if control is None or control.by_key or other_press(control, event):
        return None
    return control if within_control(event, control) else None


def other_press(before: Gesture, event: Event) -> bool:
    """True where the page said that `event` belongs to another press than the gesture before it."""
    acts = acts_of(event)
    return bool(acts) and bool(before.acts) and not acts & before.acts


def within_control(event: Event, control: Gesture) -> bool:
    """True where `event` is on the control, or on an option of it."""
    own, inner = str(control.element[-1]), str(element_of(event)[-1])
    return element_of(event)[:-1] == control.element[:-1] and (inner == own or inner.startswith(own + "/"))


def dblclick(p: Projection, event: Event) -> None:
    double = p.begin(gesture("dblclick", event, POINTER))
    for _ in range(2):
        before = p.gestures[-2] if len(p.gestures) > 1 else None
        if (
            before
            and before.type == "click"
            and before.tab == double.tab
            and event["t"] - before.start <= DOUBLE_CLICK_MS
        ):
            p.take(into=double, last=before)


def contextmenu(p: Projection, event: Event) -> None:
    for cause in (key_of_menu(p, event), p.previous(event, "contextmenu", within=TWIN_MS)):
        if cause:
            cause.absorb(event)
            return
    p.begin(gesture("contextmenu", event, POINTER))


def key_of_menu(p: Projection, event: Event) -> Gesture | None:
    press = p.previous(event, "press", within=KEY_EFFECT_MS)
    return press if press and press.fields["key"] in {"ContextMenu", "Shift+F10"} else None


def auxclick(p: Projection, event: Event) -> None:
    if event.get("button") != 2:
        p.begin(gesture("click", event, POINTER))
    elif menu := p.previous(event, "contextmenu", within=DOUBLE_CLICK_MS):
        menu.absorb(event)
    else:
        p.begin(gesture("contextmenu", event, POINTER))


def drag(p: Projection, event: Event) -> None:
    """A drag, told when it ends; its step begins where the button went down."""
    source = {"target": event.get("from") or event.get("target") or {}}
    moved = gesture("drag", event | source, ("from", "to", "path", "how", "dropped"))
    control = p.same_act(event, "set_value") or p.previous(event, "set_value", within=SAME_PRESS_MS)
    if control and control.element == moved.element and not control.by_key:
        control.absorb(event)
        return
    while (part := p.previous(event, "hover", "click")) and is_part_of_drag(part, event):
        p.gestures.pop()
        moved.swallow(part)
    earliest = p.last.start if p.last else 0.0
    moved.fields["t"] = max(earliest, min(began(event), moved.fields.get("t", moved.start)))
    p.begin(moved)


def began(event: Event) -> float:
    """When a drag began: its path ends with the ms since then."""
    path = event.get("path")
    duration = path[-1][2] if path and len(path[-1]) > 2 else 0
    return round(float(event["t"]) - duration, 3)


def is_part_of_drag(part: Gesture, event: Event) -> bool:
    """True for the moves that a drag consists of and for the click that ended it, where they were told first."""
    if part.type == "hover":
        return part.start >= began(event) or part.event.get("effect") == "selection"
    return bool(part.acts & acts_of(event)) or abs(part.start - event["t"]) <= TWIN_MS


def mousemove(p: Projection, event: Event) -> None:
    over = p.previous(event, "hover")
    if over and over.element == element_of(event) and over.fields.get("effect") == event.get("effect"):
        over.absorb(event)
    elif dragged := p.previous(event, "drag", within=0):
        dragged.absorb(event)
    elif event.get("effect"):
        p.begin(gesture("hover", event, ("effect", "x", "y")))


def scroll(p: Projection, event: Event) -> None:
    press = p.same_act(event, "press", "drag") or p.previous(event, "press", within=SCROLL_GAP_MS)
    if press and (
        press.acts & acts_of(event)
        or press.fields["key"].rpartition("+")[2] in SCROLL_KEYS
        or event["t"] - press.last_t <= 2 * TWIN_MS
    ):
        press.absorb(event)
        return
    before = p.previous(event, "scroll", within=SCROLL_GAP_MS)
    if before and before.element == element_of(event):
        before.absorb(event)
        for name in ("dx", "dy"):
            before.fields[name] = round((before.fields.get(name) or 0) + (event.get(name) or 0), 3)
        before.fields |= {name: event[name] for name in ("top", "left") if name in event}
        return
    p.begin(gesture("scroll", event, ("dx", "dy", "top", "left")))
