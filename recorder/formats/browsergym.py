"""BrowserGym's action strings: in coordinates always, by `bid` where an observation says which element has which.

One JSON line per step: `{"step", "type", "coordinate": [action, …], "bid": action or null}`. The actions are those of
BrowserGym's high-level action set (`coord`, `bid`, `tab`, `nav`).
"""

from __future__ import annotations

import json
from typing import Any

from recorder.formats.base import (
    UNPLACED,
    Converted,
    Step,
    Trace,
    center,
    chosen,
    is_secret,
    on_page,
    point,
    pressed_at,
    selection_before,
    unplaced,
)

MODIFIERS = ("Alt", "Control", "Meta", "Shift")
BUTTONS = {0: "left", 1: "middle", 2: "right"}


def convert(trace: Trace, observations: list[dict[str, Any]] | None = None) -> Converted:
    """JSON lines. `observations`: one for all steps, or one per step, each with BrowserGym's `axtree_object`."""
    done = Converted("")
    lines = []
    for number, step in enumerate(trace.steps, 1):
        coordinate = by_coordinates(trace, step)
        seen = observations[min(number - 1, len(observations) - 1)] if observations else None
        bid = by_bid(trace, step, seen) if seen else None
        if coordinate:
            done.lose(number, frame=unplaced(step))
        if not coordinate:
            done.lose(
                number,
                operation={
                    name: step[name] for name in ("kind", "text", "answer", "files", "action", "index") if name in step
                },
            )
        if seen and bid is None and coordinate:
            done.lose(number, bid="no single element of the observation has the target's role and name")
        if is_secret(step):
            done.lose(number, secret=step.get("value"))
        if step["type"] == "set_value":
            done.lose(number, value=step.get("value"))
        done.lose(number, path=step.get("path") if len(step.get("path") or ()) > 2 else None)
        lines.append(
            json.dumps({"step": number, "type": step["type"], "coordinate": coordinate, "bid": bid}, ensure_ascii=False)
        )
    done.text = "".join(line + "\n" for line in lines)
    if any("frame" in lost for lost in done.lost.values()):
        done.notes.append(UNPLACED)
    return done


def call(name: str, *values: Any, **named: Any) -> str:
    """`name(…)` as Python text."""
    return f"{name}({', '.join([*map(repr, values), *(f'{key}={value!r}' for key, value in named.items())])})"


def by_coordinates(trace: Trace, step: Step) -> list[str]:
    """A step as low-level actions; empty where there are none (dialogs, files, closing another tab)."""
    kind, at = step["type"], on_page(point(step), step)
    middle = on_page(center(step.get("target") or {}), step)
    if kind in {"click", "dblclick", "contextmenu"} and at:
        return clicked(step, at)
    if kind == "hover" and at:
        return [call("mouse_move", *at)]
    if kind == "fill" and middle:
        value = "" if is_secret(step) else str(step.get("value") or "")
        written = [call("keyboard_type", value)] if value else [call("keyboard_press", "Delete")]
        return [call("mouse_click", *middle), call("keyboard_press", "ControlOrMeta+a"), *written]
    if kind == "press":
        return [call("keyboard_press", step["key"])] * int(step.get("repeats") or 1)
    if kind == "copy":
        return [call("keyboard_press", "ControlOrMeta+a")] * selection_before(trace, step) + [
            call("keyboard_press", "ControlOrMeta+c")
        ]
    if kind == "paste":
        return [call("keyboard_insert_text", str(step.get("text") or ""))]
    if kind == "scroll":
        over = [call("mouse_move", *middle)] if middle else []
        return [*over, call("scroll", step.get("dx") or 0, step.get("dy") or 0)]
    if kind == "drag":
        return dragged(step)
    if kind == "select_option" and middle:
        typed = str(step.get("label") or step.get("value") or "")
        return [call("mouse_click", *middle), call("keyboard_type", typed), call("keyboard_press", "Enter")]
    if kind == "set_value" and at:
        return set_by_hand(trace, step, at)
    if kind == "check" and at:
        return [call("mouse_click", *at)]
    return navigated(step)


def clicked(step: Step, at: tuple[float, float]) -> list[str]:
    held = [name for name in MODIFIERS if name in (step.get("modifiers") or ())]
    button = "right" if step["type"] == "contextmenu" else BUTTONS.get(step.get("button") or 0, "left")
    name = "mouse_dblclick" if step["type"] == "dblclick" else "mouse_click"
    more = {} if button == "left" else {"button": button}
    return [
        *(call("keyboard_down", key) for key in held),
        call(name, *at, **more),
        *(call("keyboard_up", key) for key in reversed(held)),
    ]


def set_by_hand(trace: Trace, step: Step, at: tuple[float, float]) -> list[str]:
    """A slider is clicked where the person left it; other native controls are typed into."""
    if (step.get("target") or {}).get("type") == "range":
        return [call("mouse_click", *(on_page(pressed_at(trace, step), step) or at))]
    return [call("mouse_click", *at), call("keyboard_type", str(step.get("value") or ""))]


def dragged(step: Step) -> list[str]:
    path = step.get("path") or []
    start = on_page(path[0][:2] if path else center(step.get("from") or {}), step)
    end = on_page(path[-1][:2] if path else center(step.get("to") or {}), step)
    return [call("mouse_drag_and_drop", *start, *end)] if start and end else []


def navigated(step: Step) -> list[str]:
    if step["type"] == "goto":
        return [call("goto", step["url"])]
    if step["type"] == "back":
        return [call("go_back")]
    if step["type"] == "forward":
        return [call("go_forward")]
    if step["type"] == "reload":
        return [call("keyboard_press", "F5")]
    if step["type"] == "tab":
        return [call("tab_focus", step["index"] - 1)] if step.get("action") == "switch" else [call("tab_close")]
    return [call("noop")] if step["type"] == "wait" else []


def by_bid(trace: Trace, step: Step, observation: dict[str, Any]) -> str | None:
    """The step as one action on an element of the observation; None where no single element is the target."""
    kind = step["type"]
    if kind == "drag":
        ends = [bid_of(step.get(name) or {}, observation) for name in ("from", "to")]
        return call("drag_and_drop", *ends) if all(ends) else None
    if kind in {"goto", "back", "forward", "reload", "tab"}:
        return "\n".join(navigated(step)) or None
    bid = bid_of(step.get("target") or {}, observation)
    if bid is None:
        return None
    held = [name for name in MODIFIERS if name in (step.get("modifiers") or ())]
    if kind in {"click", "dblclick", "contextmenu"}:
        button = "right" if kind == "contextmenu" else BUTTONS.get(step.get("button") or 0, "left")
        return call("dblclick" if kind == "dblclick" else "click", bid, button=button, modifiers=held)
    simple = {
        "fill": lambda: call("fill", bid, "" if is_secret(step) else str(step.get("value") or "")),
        "set_value": lambda: call("fill", bid, str(step.get("value") or "")),
        "press": lambda: call("press", bid, step["key"]),
        "select_option": lambda: call("select_option", bid, chosen(step)),
        "check": lambda: call("check" if step.get("checked") else "uncheck", bid),
        "hover": lambda: call("hover", bid),
        "upload": lambda: call("upload_file", bid, list(step.get("files") or ())),
    }
    return simple[kind]() if kind in simple else None


def bid_of(target: dict[str, Any], observation: dict[str, Any]) -> str | None:
    """The `browsergym_id` of the only node with the target's role and name."""
    nodes = (observation.get("axtree_object") or {}).get("nodes") or []
    found = {
        node["browsergym_id"]
        for node in nodes
        if node.get("browsergym_id")
        and target.get("role")
        and (node.get("role") or {}).get("value") == target["role"]
        and (node.get("name") or {}).get("value", "") == target.get("name", "")
    }
    return found.pop() if len(found) == 1 else None
