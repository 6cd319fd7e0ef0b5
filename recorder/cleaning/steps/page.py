"""What becomes of navigations, tabs, dialogs and of the focus."""

from __future__ import annotations

from recorder.cleaning.gestures import gesture
from recorder.cleaning.order import Event
from recorder.cleaning.steps.projection import Projection

NAVIGATION_MS = 10_000  # a reload may take long to answer
RELOAD_KEYS = frozenset(
    {"F5", "Control+F5", "Shift+F5", "Control+r", "Meta+r", "Control+Shift+R", "Meta+Shift+R", "BrowserRefresh"}
)
BACK_KEYS = frozenset({"Alt+ArrowLeft", "Meta+[", "Meta+ArrowLeft", "BrowserBack"})
FORWARD_KEYS = frozenset({"Alt+ArrowRight", "Meta+]", "Meta+ArrowRight", "BrowserForward"})
NAVIGATION_KEYS = {"reload": RELOAD_KEYS, "back": BACK_KEYS, "forward": FORWARD_KEYS}


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
