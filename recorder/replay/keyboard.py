"""Steps by the keyboard: text, keys, the clipboard. Text is typed key by key as recorded, and then has to be what it was."""

from __future__ import annotations

import re
import time
from typing import Any

from playwright.sync_api import Error

from recorder.cleaning.keys import is_modifier, written
from recorder.replay.find import Found, is_passing
from recorder.replay.hands import focus, focused
from recorder.replay.player import Player
from recorder.replay.results import StepFailed
from recorder.replay.source import Event, Step

BY_KEYS = re.compile(
    r"insertText|insertLineBreak|insertParagraph|delete(Content|Word|SoftLine|HardLine|EntireSoftLine)|history|^$"
)
MASKED = "•"
VALUE_S = 1.2  # how long a page may take to make of the keys what it made of them
VALUE = """(el) => {
  const own = { INPUT: HTMLInputElement, TEXTAREA: HTMLTextAreaElement, SELECT: HTMLSelectElement }[el.tagName];
  return own ? Object.getOwnPropertyDescriptor(own.prototype, "value").get.call(el) : el.innerText;
}"""
SELECT_ALL = """(el) => {
  el.focus();
  if (el.select) return el.select();
  getSelection().selectAllChildren(el);
}"""


def fill(player: Player, step: Step) -> str:
    """Type what was typed, by the same keys where they are known; then the element must hold what it held."""
    target = step.get("target") or {}
    found = player.find(target)
    player.show(found)
    wanted = secret_text(player, step) if target.get("secret") else text_of(step.get("value"))
    focus(found)
    keys = [event for event in player.source.raw(step) if event["type"] == "keydown" and not is_modifier(event)]
    typed = can_be_typed(player.source.raw(step))
    if typed:
        play_keys(player, keys, typed_end(wanted, keys) if target.get("secret") else "")
    if holds(player, found, wanted):
        return found.healed
    put(player, found, wanted)
    if holds(player, found, wanted):
        return found.healed or ("entered at once: the keys did not give the recorded text" if typed else "")
    raise StepFailed(f"The field does not take the recorded text: it holds {shown(found, target)}.")


def typed_end(text: str, keys: list[Event]) -> str:
    """The end of a secret text that the masked keys typed: what stood before it was there already."""
    count = sum(event.get("key") == MASKED for event in keys)
    return text[-count:] if count else ""


def text_of(value: Any) -> str:
    """A recorded value as text. Raises StepFailed where none is known."""
    if value is None:
        raise StepFailed("The recording does not say what was entered.")
    return str(value)


def shown(found: Found, target: dict[str, Any]) -> str:
    return "something else" if target.get("secret") else repr(str(found.element.evaluate(VALUE))[:80])


def can_be_typed(events: list[Event]) -> bool:
    """True where keys alone made the text: no composition, no dictation, nothing dropped or replaced."""
    keys = any(event["type"] == "keydown" for event in events)
    others = [
        event for event in events if event["type"] == "composition" or (event["type"] == "input" and not by_keys(event))
    ]
    return keys and not others


def by_keys(event: Event) -> bool:
    return bool(BY_KEYS.search(event.get("inputType") or ""))


def play_keys(player: Player, keys: list[Event], secret: str) -> None:
    """Press the keys one after another; masked ones are the characters of `secret` in their order."""
    left = iter(secret)
    before = keys[0]["t"] if keys else 0.0
    for event in keys:
        player.page.wait_for_timeout(player.rest(event["t"] - before))
        before = event["t"]
        key = next(left, "") if event.get("key") == MASKED else written(event)
        if key:
            press_key(player, key)


def press_key(player: Player, key: str) -> None:
    """One key in Playwright's notation; a character that is on no key is entered as it is."""
    try:
        player.page.keyboard.press(key)
    except Error as error:
        if "Unknown key" not in error.message:
            raise
        if key.isascii():
            raise StepFailed(f"The browser driver has no key {key}.") from error
        player.page.keyboard.insert_text(key)


def holds(player: Player, found: Found, wanted: str) -> bool:
    """Wait until the element holds the text; an element that is gone with its page took it."""
    end = time.monotonic() + VALUE_S
    while True:
        try:
            if not found.element.evaluate("el => el.isConnected"):
                return True
            now = str(found.element.evaluate(VALUE))
        except Error as error:
            if is_passing(error) or player.page.is_closed():
                return True
            raise
        if alike(now, wanted):
            return True
        if time.monotonic() > end:
            return False
        player.page.wait_for_timeout(40)


def alike(one: str, other: str) -> bool:
    """The same text, white space at line ends aside (rich editors differ in it from moment to moment)."""
    tidy = [re.sub(r"\s+", " ", text.replace("\u200b", "")).strip() for text in (one, other)]
    return one == other or tidy[0] == tidy[1]


def put(player: Player, found: Found, text: str) -> None:
    """Replace the element's text in one go."""
    found.element.evaluate(SELECT_ALL)
    if text:
        player.page.keyboard.insert_text(text)
    else:
        player.page.keyboard.press("Delete")


def secret_text(player: Player, step: Step) -> str:
    """The text of a secret field, which the recording does not hold. Raises StepFailed that says how to give it.

    A given secret is what the field holds in the end; a step that left it shorter typed its beginning.
    """
    target, length = step.get("target") or {}, int(step.get("value") or 0)
    for name in (target.get("name"), target.get("css"), target.get("testid")):
        if name and name in player.settings.secrets:
            return player.settings.secrets[name][:length]
    shown = {str(other.get("value")) for other in player.source.steps if not (other.get("target") or {}).get("secret")}
    told = {word for word in words_of(player.settings.words) if len(word) == length} - shown
    if len(told) == 1:
        return told.pop()
    if piece := piece_of_code(player, step):
        return piece
    raise StepFailed(
        "Secret values are never recorded, and the instruction does not tell this one"
        f" ({length} characters): give it by the field's name."
    )


def piece_of_code(player: Player, step: Step) -> str:
    """This field's part of a code that was typed over several fields in a row; '' where the instruction tells none."""
    steps = player.source.steps
    own = player.result.index
    first = last = own
    while first > 0 and is_secret_fill(steps[first - 1]):
        first -= 1
    while last + 1 < len(steps) and is_secret_fill(steps[last + 1]):
        last += 1
    lengths = [int(other.get("value") or 0) for other in steps[first : last + 1]]
    told = {word for word in words_of(player.settings.words) if len(word) == sum(lengths)}
    told = {word for word in told if any(sign.isdigit() for sign in word)} or told
    if len(lengths) < 2 or len(told) != 1:
        return ""
    before = sum(lengths[: own - first])
    return told.pop()[before : before + int(step.get("value") or 0)]


def is_secret_fill(step: Step) -> bool:
    return step["type"] == "fill" and bool((step.get("target") or {}).get("secret"))


def words_of(text: str) -> list[str]:
    """What the instruction names: quoted parts if there are any, else its words."""
    quoted = re.findall(r"[\"“']([^\"”']+)[\"”']", text)
    return quoted or [word.strip(".,;:!?()") for word in text.split()]


# Keys


def press(player: Player, step: Step) -> str:
    """A key, in the element it was pressed in."""
    note = aim_keys(player, step)
    key = step.get("key") or ""
    if not key or key == "Unidentified":
        raise StepFailed("The recording does not say which key this was.")
    for _ in range(int(step.get("repeats") or 1)):
        press_key(player, key)
        player.page.wait_for_timeout(player.rest(33))
    return note


def aim_keys(player: Player, step: Step) -> str:
    """Have the keys go to the step's target; where that takes no focus or is gone, to whatever has it."""
    target = step.get("target") or {}
    if target.get("tag") in {None, "body", "html"}:
        player.picture()
        return ""
    try:
        found = player.find(target)
        player.show(found)
        if not focused(found):
            focus(found)
    except StepFailed as failed:
        if player.frame.evaluate("document.activeElement === document.body || !document.activeElement"):
            raise
        player.picture()
        return f"pressed where the focus was: {failed.why}"
    return found.healed


# Clipboard


def copy(player: Player, step: Step) -> str:
    """Control+C on what is selected; what was copied must be what was copied then."""
    player.picture()
    press_key(player, "Control+c")
    wanted = step.get("text")
    if wanted is None:
        return ""
    end = time.monotonic() + VALUE_S
    while not alike(clipboard_text(player), wanted):
        if time.monotonic() > end:
            set_clipboard(player, wanted)
            return "the selection did not give the recorded text; the clipboard was given it"
        player.page.wait_for_timeout(50)
    return ""


def paste(player: Player, step: Step) -> str:
    """Control+V with the recorded text in the clipboard."""
    target, text = step.get("target") or {}, step.get("text")
    note = aim_keys(player, step)
    if text is None and target.get("secret"):
        text = secret_text(player, step | {"value": step.get("length")})
    if text is not None and not alike(clipboard_text(player), text):
        set_clipboard(player, text)
    press_key(player, "Control+v")
    return note


def clipboard_text(player: Player) -> str:
    """The clipboard's text; '' where there is none or the page may not read it."""
    try:
        return str(player.page.evaluate("navigator.clipboard ? navigator.clipboard.readText() : ''"))
    except Error:  # no secure context, or no focus: then nothing is known of it
        return ""


def set_clipboard(player: Player, text: str) -> None:
    """Give the clipboard a text, from a page of its own where this one may not."""
    try:
        player.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    except Error as error:
        raise StepFailed("The clipboard cannot be given the recorded text: the site is not served securely.") from error
