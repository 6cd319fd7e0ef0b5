"""Steps: cleaned events projected onto what an agent could also do. One gesture is one step.

Each event type has one small function that either begins a gesture or counts the event as part of one begun before: a
label's click and its twin, the click that opened a native picker, the change that a click caused, the navigation a key
asked for. What no function claims (focus, submit, page loads that something else caused …) is no step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from recorder.cleaning.gestures import POINTER, Gesture, acts_of, gesture
from recorder.cleaning.keys import is_modifier, key_name, written
from recorder.cleaning.order import Event, element_of, is_user

TWIN_MS = 50  # two events of one press of the button come closer than any two presses
SAME_PRESS_MS = 250  # the click that ends the press which set a value
KEY_EFFECT_MS = 1000  # a click or clipboard event that a key caused
DOUBLE_CLICK_MS = 2000
SCROLL_GAP_MS = 400
NAVIGATION_MS = 10_000  # a reload may take long to answer
LABELABLE = frozenset({"input", "select", "textarea", "button", "meter", "output", "progress"})
SCROLL_KEYS = frozenset(
    {"PageDown", "PageUp", "Home", "End", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Space"}
)
CLIPBOARD = {"copy": {"c", "Insert"}, "cut": {"x", "Delete"}, "paste": {"v", "Insert"}}
RELOAD_KEYS = frozenset(
    {"F5", "Control+F5", "Shift+F5", "Control+r", "Meta+r", "Control+Shift+R", "Meta+Shift+R", "BrowserRefresh"}
)
BACK_KEYS = frozenset({"Alt+ArrowLeft", "Meta+[", "Meta+ArrowLeft", "BrowserBack"})
FORWARD_KEYS = frozenset({"Alt+ArrowRight", "Meta+]", "Meta+ArrowRight", "BrowserForward"})
NAVIGATION_KEYS = {"reload": RELOAD_KEYS, "back": BACK_KEYS, "forward": FORWARD_KEYS}
ANSWERED = ("press", "click", "dblclick", "drag")  # what a page may answer by changing a text
# The input that pasting, cutting or dropping makes by itself.
MOVED_TEXT = frozenset(
    {"insertFromPaste", "insertFromPasteAsQuotation", "insertFromDrop", "deleteByCut", "deleteByDrag"}
)


LOOKBACK = 256  # gestures that a later one may still take back or join


def steps_of(events: Iterable[Event], cleaned: Iterable[Event]) -> Iterator[Event]:
    """Steps of `cleaned`, which was made of the ordered raw `events`. Each has `raw`, its range in them."""
    projection, rest, fed = Projection(), iter(events), 0
    for event in cleaned:
        until = event["raw"][1] + 1
        yield from projection.take_up(islice(rest, max(until - fed, 0)), event)
        fed = max(fed, until)
    yield from projection.finish()


class Projection:
    """The gestures so far, and what of the raw events before them matters."""

    def __init__(self) -> None:
        self.gestures: list[Gesture] = []
        self.filled: set[object] = set()  # text elements whose text some step already accounts for
        self.closed: dict[int, int] = {}  # tab: where in the raw list it closed
        self.first_seen: dict[int, float] = {}
        self.first_load = -1  # where the recording's first page came up: the environment's doing, not a step
        self.seen = 0  # raw events
        self.last_other = -1  # the last user event that is no text moved by a paste, a cut or a drop
        self.last_own = -1  # the last user event that is no text which the page changed by itself
        self.signs: dict[int, tuple[int, Event]] = {}  # tab: its first event since the last gesture ended

    def take_up(self, events: Iterable[Event], cleaned: Event) -> Iterator[Event]:
        """Go on with raw `events` up to the end of `cleaned`, then with that itself; steps that nothing can change any more."""
        for event in events:
            self.look_at(event)
        ended = self.last.raw[1] if self.last else -1
        if is_user(cleaned) and (handle := HANDLERS.get(cleaned["type"])):
            handle(self, cleaned)
        if self.last and self.last.raw[1] > ended:
            self.signs.clear()
        if len(self.gestures) > 2 * LOOKBACK:
            settled, self.gestures = self.gestures[:-LOOKBACK], self.gestures[-LOOKBACK:]
            yield from (done.step() for done in settled)

    def finish(self) -> Iterator[Event]:
        """The steps that are left."""
        yield from (done.step() for done in self.gestures)

    def look_at(self, event: Event) -> None:
        """Keep of a raw event what a later gesture may ask for."""
        tab = event.get("tab", 1)
        self.first_seen.setdefault(tab, event["t"])
        if self.first_load < 0 and event["type"] == "navigate":
            self.first_load = self.seen
        if event["type"] == "tab" and event.get("action") == "close":
            self.closed[tab] = self.seen
        if is_user(event) and not (event["type"] == "input" and event.get("inputType") in MOVED_TEXT):
            self.last_other = self.seen
        if is_user(event) and not (event["type"] == "input" and event.get("by") == "page"):
            self.last_own = self.seen
        self.signs.setdefault(tab, (self.seen, event))
        self.seen += 1

    @property
    def last(self) -> Gesture | None:
        return self.gestures[-1] if self.gestures else None

    def begin(self, new: Gesture) -> Gesture:
        """Add a gesture, after the change of tab that it needed."""
        if self.changed_tab(new):
            self.gestures.append(self.tab_change(new))
        self.gestures.append(new)
        return new

    def changed_tab(self, new: Gesture) -> bool:
        """True where the person went to another tab that did not come up by itself."""
        last = self.last
        if last is None or new.type == "tab" or new.tab == last.tab:
            return False
        if self.closed.get(last.tab, new.raw[0]) < new.raw[0]:
            return False  # the browser went on by itself
        return self.first_seen[new.tab] < last.start

    def tab_change(self, new: Gesture) -> Gesture:
        """The change to the tab of `new`, told by that tab's first event since the last gesture or, without one, by `new` itself."""
        index, at = self.signs.get(new.tab, (new.raw[0], new.event))
        if index >= new.raw[0]:
            index, at = new.raw[0], new.event
        place = {name: at[name] for name in ("doc", "tab", "frame") if name in at}
        return gesture("tab", place | {"t": at["t"], "raw": [index, index]}, action="switch", index=new.tab)

    def previous(self, event: Event, *kinds: str, within: float | None = None) -> Gesture | None:
        """The last gesture, where it is one of `kinds`, in the tab of `event`, and at most `within` ms ago."""
        last = self.last
        if last is None or last.type not in kinds or last.tab != event.get("tab", 1):
            return None
        if within is not None and event["t"] - last.last_t > within:
            return None
        return last

    def same_act(self, event: Event, *kinds: str) -> Gesture | None:
        """The last gesture, where it is one of `kinds` and the page said that `event` belongs to it."""
        last = self.previous(event, *kinds)
        return last if last and last.acts & acts_of(event) else None

    def take(self, *, into: Gesture, last: Gesture) -> None:
        """Replace the last gesture by `into`, which it was the beginning of."""
        place = next(i for i in range(len(self.gestures) - 1, -1, -1) if self.gestures[i] is last)
        del self.gestures[place]
        into.swallow(last)


# Pointer


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
    label, control = before.event.get("target", {}).get("tag"), event.get("target", {}).get("tag")
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


# Keys, text, clipboard


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


# Native controls


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
    kind = "select_option" if event["target"].get("tag") == "select" else "set_value"
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


# Page, tabs, dialogs


def navigate(p: Projection, event: Event) -> None:
    if event.get("frame"):
        return
    kind = asked_for(event)
    if kind is None or (kind == "goto" and event["raw"][0] == p.first_load):
        return
    new = gesture(kind, event, ("url",))
    new.event = {name: value for name, value in event.items() if name != "target"}
    press = p.previous(event, "press", within=NAVIGATION_MS)
    if press and press.fields["key"] in NAVIGATION_KEYS.get(kind, ()):
        p.take(into=new, last=press)
    p.begin(new)


def asked_for(event: Event) -> str | None:
    """The step that a person's navigation is, or None where something else caused it."""
    how, cause = event.get("how"), event.get("cause")
    if cause in {"link", "form", "script", "redirect"}:
        return None
    if how in {"reload", "back", "forward"}:
        return str(how)
    if how in {"pop", "bfcache"} or cause == "traversal":
        return "forward" if (event.get("delta") or 0) > 0 or event.get("direction") == "forward" else "back"
    return "goto" if cause == "typed" else None


def tab(p: Projection, event: Event) -> None:
    """A tab that the person closed; that they went to another shows where they go on."""
    if event.get("action") == "close":
        p.begin(gesture("tab", event, action="close", index=event.get("tab", 1)))


def dialog(p: Projection, event: Event) -> None:
    p.begin(gesture("dialog", event, ("kind", "text", "answer")))


def left(p: Projection, event: Event) -> None:
    """Focus moved: typing that follows is another visit."""
    if p.last and p.last.type == "fill":
        p.last.ended = True


HANDLERS: dict[str, Callable[[Projection, Event], None]] = {
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
