"""Which key presses edit text, and how a press is written."""

from __future__ import annotations

from recorder.cleaning.order import Event, element_of

MODIFIERS = frozenset(
    {
        "Shift",
        "Control",
        "Alt",
        "AltGraph",
        "Meta",
        "CapsLock",
        "Fn",
        "FnLock",
        "NumLock",
        "ScrollLock",
        "Super",
        "Hyper",
    }
)
CARET = frozenset({"Backspace", "Delete", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"})
CHORDS = frozenset({"a", "x", "v", "z", "y"}) | CARET
# What a browser reports where a character is still being composed, or where the recorder masked it in a secret field.
UNNAMED = frozenset({"", "Process", "Dead", "Unidentified", "Compose"})
LINE_BREAKS = frozenset({"insertLineBreak", "insertParagraph"})
WRITTEN = {" ": "Space", "Spacebar": "Space"}
WRITTEN_ORDER = ("Control", "Alt", "Meta", "Shift")


def is_keystroke(event: Event, following: Event | None) -> bool:
    """True where `event` is typing into a text element; `following` is the next user event, which tells what Enter typed."""
    if not (event.get("target") or {}).get("editable"):
        return False
    if event["type"] in {"input", "composition"}:
        return True
    return event["type"] == "keydown" and edits_text(event, following)


def edits_text(event: Event, following: Event | None) -> bool:
    """True for a keydown that edits text or moves the caret (human140, rule 1)."""
    key, held = event.get("key") or "", set(event.get("modifiers") or ())
    if key == "Enter":
        return event["target"]["editable"] == "block" and typed(event, following) in LINE_BREAKS
    if key in MODIFIERS:
        return True
    command = held & {"Control", "Meta"}
    if "Alt" in held or command:
        return is_alternate(event, held, following) or bool(command and "Alt" not in held and key_name(key) in CHORDS)
    return key in CARET or key in UNNAMED or len(key) == 1 or is_one_character(key)


def is_alternate(event: Event, held: set[str], following: Event | None) -> bool:
    """True where modifiers only chose another character (AltGr, the Option key): it typed itself."""
    key = event.get("key") or ""
    if "AltGraph" in held:
        return len(key) == 1
    return (
        "Alt" in held
        and len(key) == 1
        and typed(event, following) == "insertText"
        and (following or {}).get("data") == key
    )


def typed(event: Event, following: Event | None) -> str:
    """The inputType that directly followed `event` in the same element, or ''."""
    if following is None or following["type"] != "input" or element_of(following) != element_of(event):
        return ""
    return str(following.get("inputType") or "")


def is_one_character(key: str) -> bool:
    """True for a character outside the names of keys (an emoji of several code points is one)."""
    return bool(key) and not key.isascii()


def key_name(key: str) -> str:
    """A letter without its case; other keys as they are."""
    return key.lower() if len(key) == 1 else key


def is_modifier(event: Event) -> bool:
    """True for a bare modifier, which is no operation by itself."""
    return event.get("key") in MODIFIERS


def written(event: Event) -> str:
    """The press in Playwright's notation: `Enter`, `Control+a`, `Shift+Tab`. A shifted character is written as itself."""
    key = event.get("key") or "Unidentified"
    held = set(event.get("modifiers") or ()) - {key}
    if len(key) == 1 and held <= {"Shift", "AltGraph"}:
        held = set()
    return "+".join([name for name in WRITTEN_ORDER if name in held] + [WRITTEN.get(key, key)])
