"""Chrome DevTools Recorder's JSON, as the library @puppeteer/replay reads it."""

from __future__ import annotations

import json
from typing import Any

from recorder.formats.base import Converted, Step, Trace, center, is_secret, point

BUTTONS = {0: "primary", 1: "auxiliary", 2: "secondary", 3: "back", 4: "forward"}


def convert(trace: Trace) -> Converted:
    """One JSON document: `title`, and `steps` that begin with the viewport and the first page."""
    done = Converted("")
    width, height = trace.viewport
    steps: list[dict[str, Any]] = [
        {
            "type": "setViewport",
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "isMobile": False,
            "hasTouch": False,
            "isLandscape": width > height,
        },
        {
            "type": "navigate",
            "url": trace.start_url,
            "assertedEvents": [{"type": "navigation", "url": trace.start_url}],
        },
    ]
    for number, step in enumerate(trace.steps, 1):
        made = steps_of(trace, step)
        if made:
            steps.extend({**one, **place(trace, step)} for one in made)
        else:
            done.lose(number, operation=lost_of(step))
        if is_secret(step):
            done.lose(number, secret=step.get("value"))
    done.text = json.dumps({"title": trace.name, "steps": steps}, ensure_ascii=False, indent=2) + "\n"
    if any("operation" in lost for lost in done.lost.values()):
        done.notes.append(
            "Chrome's recorder has no step for drags, dialogs, files, the clipboard's text and the history."
        )
    return done


def place(trace: Trace, step: Step) -> dict[str, Any]:
    """Which tab and frame: `target` is the tab's address, `frame` the indexes of the frames."""
    tab, frame = step.get("tab", 1), step.get("frame")
    where: dict[str, Any] = {"target": "main" if tab == 1 else trace.tab_url(tab, step["t"])}
    return where | ({"frame": [int(index) for index in frame.split("/")]} if frame else {})


def lost_of(step: Step) -> dict[str, Any]:
    names = ("kind", "text", "answer", "files", "path", "how", "action", "index", "from", "to")
    return {"type": step["type"]} | {name: step[name] for name in names if name in step}


def steps_of(trace: Trace, step: Step) -> list[dict[str, Any]]:
    """A step as Chrome's; empty where it has none."""
    kind, target = step["type"], step.get("target") or {}
    selectors = selectors_of(trace, step)
    if kind in {"click", "dblclick", "contextmenu"} and selectors:
        name = "doubleClick" if kind == "dblclick" else "click"
        button = "secondary" if kind == "contextmenu" else BUTTONS.get(step.get("button") or 0, "primary")
        more = {} if button == "primary" else {"button": button}
        held = step.get("modifiers") or ()
        return [*pressed(held), {"type": name, "selectors": selectors, **offset(step), **more}, *released(held)]
    if kind in {"fill", "set_value", "select_option"} and selectors:
        return [
            {"type": "change", "selectors": selectors, "value": "" if is_secret(step) else str(step.get("value") or "")}
        ]
    if kind == "check" and selectors:
        return [{"type": "click", "selectors": selectors, **offset(step)}]
    if kind == "hover" and selectors:
        return [{"type": "hover", "selectors": selectors}]
    if kind == "press":
        return press(step["key"]) * int(step.get("repeats") or 1)
    if kind == "copy":
        return press("Control+c")
    if kind == "scroll":
        inner = {} if target.get("tag") in {None, "html", "body"} else {"selectors": selectors}
        return [{"type": "scroll", "x": step.get("left") or 0, "y": step.get("top") or 0, **inner}]
    if kind == "goto":
        return [{"type": "navigate", "url": step["url"]}]
    if kind == "reload":
        return press("F5")
    return [{"type": "close"}] if kind == "tab" and step.get("action") == "close" else []


def offset(step: Step) -> dict[str, float]:
    """Where in the element's box the pointer was."""
    box, at = (step.get("target") or {}).get("box"), point(step)
    if not (box and at):
        return {"offsetX": 1, "offsetY": 1}
    inside = at if step.get("x") is not None else center(step["target"])
    assert inside is not None
    return {"offsetX": round(inside[0] - box[0], 1), "offsetY": round(inside[1] - box[1], 1)}


def press(key: str) -> list[dict[str, Any]]:
    """A chord as keys going down and coming up."""
    *held, last = key.split("+") if key != "+" and not key.endswith("++") else [*filter(None, key[:-1].split("+")), "+"]
    last = " " if last == "Space" else last
    return [*pressed(held), {"type": "keyDown", "key": last}, {"type": "keyUp", "key": last}, *released(held)]


def pressed(keys: Any) -> list[dict[str, Any]]:
    return [{"type": "keyDown", "key": key} for key in keys]


def released(keys: Any) -> list[dict[str, Any]]:
    return [{"type": "keyUp", "key": key} for key in reversed(list(keys))]


def selectors_of(trace: Trace, step: Step) -> list[list[str]]:
    """Alternatives, the likeliest to last first; inside shadow roots the hosts come before."""
    target = step.get("target") or {}
    hosts = list(target.get("shadow") or ())
    found: list[list[str]] = []
    if target.get("name") and target.get("role"):
        found.append([*hosts, f'aria/{target["name"]}[role="{target["role"]}"]'])
    if target.get("testid"):
        found.append([*hosts, f'[data-testid="{target["testid"]}"]'])
    if target.get("css"):
        found.append([*hosts, target["css"]])
    if target.get("xpath") and not hosts:
        found.append([f"xpath//{target['xpath']}"])
    if target.get("text"):
        found.append([*hosts, f"text/{target['text']}"])
    return found
