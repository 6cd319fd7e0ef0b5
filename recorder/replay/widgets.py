"""Steps on the browser's own controls: selects, sliders, dates, colours, boxes, files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Error

from recorder.cleaning.keys import is_modifier
from recorder.replay.find import Found
from recorder.replay.hands import drag_along, focus
from recorder.replay.keyboard import VALUE, play_keys, text_of
from recorder.replay.player import Player
from recorder.replay.pointer import moved_path
from recorder.replay.results import StepFailed
from recorder.replay.source import Event, Step

MOST_ARROWS = 200
# By the prototype's setter, so that a framework that watches the element's own property hears of it.
SET_VALUE = """(el, value) => {
  el.focus();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(el, value);
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}"""
RANGE = """(el) => ({ value: +el.value, min: +(el.min || 0), max: +(el.max || 100), step: +(el.step || 1) || 1,
  vertical: getComputedStyle(el).writingMode !== "horizontal-tb", rtl: getComputedStyle(el).direction === "rtl" })"""
CHOSEN = "(el) => [...el.selectedOptions].map((option) => option.label.replace(/\\s+/g, ' ').trim())"


def select_option(player: Player, step: Step) -> str:
    """Choose by label, else by value; never by index alone."""
    found, _ = player.aim(step, point=False)
    labels = chosen_labels(player, step)
    options = found.element.evaluate("el => [...el.options].map(o => [o.label.replace(/\\s+/g, ' ').trim(), o.value])")
    found.element.evaluate("el => el.focus()")
    indexes, note = [], ""
    for label in labels:
        at = [i for i, (name, _) in enumerate(options) if name == label]
        if len(at) > 1 and step.get("index") in at:
            at = [step["index"]]
        if not at:
            at = [i for i, (_, value) in enumerate(options) if value == step.get("value")]
            note = f"chosen by its value: there is no option “{label}”"
        if not at:
            raise StepFailed(f"The list has no option “{label}”.")
        indexes.append(at[0])
    found.element.select_option(index=indexes)
    return found.healed or note


def chosen_labels(player: Player, step: Step) -> list[str]:
    """The labels to choose: all of a multiple list, else the one. Raises StepFailed where the recording names none."""
    for event in reversed(player.source.raw(step)):
        if event["type"] == "change" and isinstance(event.get("values"), list):
            return [str(label) for label in event["values"]]
    if step.get("label") is None and step.get("value") is None:
        raise StepFailed("The recording does not say what was chosen.")
    return [str(step["label"] if step.get("label") is not None else step["value"])]


def set_value(player: Player, step: Step) -> str:
    """Sliders by the pointer or keys as recorded, then by arrow keys; dates, times and colours as a whole."""
    found, _ = player.aim(step, point=False)
    wanted = text_of(step.get("value"))
    kind = (step.get("target") or {}).get("type")
    if kind == "range":
        return found.healed or set_range(player, found, step, wanted)
    keys = [event for event in player.source.raw(step) if event["type"] == "keydown" and not is_modifier(event)]
    if kind not in {"date", "time", "month", "week", "datetime-local", "color"} and keys:
        focus(found)
        play_keys(player, keys, "")
    if value_of(found) != wanted:
        found.element.evaluate(SET_VALUE, wanted)
    if value_of(found) != wanted:
        raise StepFailed(f"The control does not take {wanted!r}: it holds {value_of(found)!r}.")
    return found.healed


def value_of(found: Found) -> str:
    return str(found.element.evaluate(VALUE))


def set_range(player: Player, found: Found, step: Step, wanted: str) -> str:
    raw = player.source.raw(step)
    keys = [event for event in raw if event["type"] == "keydown" and not is_modifier(event)]
    if keys:
        focus(found)
        play_keys(player, keys, "")
    elif points := slider_path(found, raw, wanted):
        drag_along(player.page, points, [], 0.0 if player.settings.pace == "fast" else 1.0)
    if value_of(found) == wanted:
        return ""
    step_by_arrows(player, found, wanted)
    if value_of(found) == wanted:
        return "the pointer did not give the recorded value; arrow keys did"
    found.element.evaluate(SET_VALUE, wanted)
    if value_of(found) != wanted:
        raise StepFailed(f"The slider does not take {wanted}: it holds {value_of(found)}.")
    return "set by script: neither pointer nor arrow keys gave the recorded value"


def slider_path(found: Found, raw: list[Event], wanted: str) -> list[tuple[float, float, float]]:
    """Where to press and release: as recorded, relative to the slider's box; else where the value lies on the track."""
    box = found.element.bounding_box()
    if box is None:
        return []
    for event in raw:
        old = (event.get("from") or event.get("target") or {}).get("box")
        if event["type"] == "drag" and event.get("path") and old:
            shift = (box["x"] - old[0], box["y"] - old[1])
            path = event["path"]
            begin = (path[0][0] + shift[0], path[0][1] + shift[1])
            return moved_path(path, begin, (path[-1][0] + shift[0], path[-1][1] + shift[1]))
    for event in raw:
        old = (event.get("target") or {}).get("box")
        if event["type"] == "click" and old and event.get("x"):
            at = (event["x"] - old[0] + box["x"], event["y"] - old[1] + box["y"])
            return [(*at, 0.0), (*at, 20.0)]
    return track_path(found, box, wanted)


def track_path(found: Found, box: Any, wanted: str) -> list[tuple[float, float, float]]:
    told = found.element.evaluate(RANGE)
    if told["vertical"] or told["max"] <= told["min"]:
        return []
    share = (float(wanted) - told["min"]) / (told["max"] - told["min"])
    x = box["x"] + 8 + (1 - share if told["rtl"] else share) * (box["width"] - 16)
    y = box["y"] + box["height"] / 2
    return [(x, y, 0.0), (x, y, 20.0)]


def step_by_arrows(player: Player, found: Found, wanted: str) -> None:
    """Arrow keys towards the value, one step at a time."""
    focus(found)
    for _ in range(MOST_ARROWS):
        gap = float(wanted) - found.element.evaluate("el => +el.value")
        if gap == 0:
            return
        before = value_of(found)
        player.page.keyboard.press("ArrowUp" if gap > 0 else "ArrowDown")
        if value_of(found) == before or (float(wanted) - float(value_of(found))) * gap < 0:
            return


def check(player: Player, step: Step) -> str:
    """A box that changed without a press of its own (dictation, assistive tools)."""
    found, _ = player.aim(step, point=False)
    found.element.set_checked(bool(step.get("checked", True)), force=True)
    return found.healed


def upload(player: Player, step: Step) -> str:
    """Files of the recorded names; their contents are not recorded, so they come from the folder given, or are empty."""
    found = player.find(step.get("target") or {})
    player.show(found)
    names = [Path(name).name for name in step.get("files") or []]
    folder = player.settings.files
    there = {name for name in names if folder and (folder / name).is_file()}
    with tempfile.TemporaryDirectory() as made:
        paths = [str(folder / name) if folder and name in there else empty_file(Path(made), name) for name in names]
        try:
            found.element.set_input_files(paths)
        except Error as error:
            raise StepFailed(f"The page does not take the files: {error.message.splitlines()[0]}") from error
        player.page.wait_for_timeout(50)
    missing = [name for name in names if name not in there]
    return found.healed or (f"contents are not recorded: {', '.join(missing)} was empty" if missing else "")


def empty_file(folder: Path, name: str) -> str:
    path = folder / name
    path.write_bytes(b"")
    return str(path)
