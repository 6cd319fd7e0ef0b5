"""A Playwright test in Python: role and name first, then what else finds the element alone.

The file stands alone: pytest runs it, and so does Python itself. It begins at START_URL, or at the recorded address.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recorder.formats.base import Converted, Step, Trace, chosen, is_secret, selection_before
from recorder.formats.locate import frame_of, locator

TEMPLATE = Path(__file__).with_name("playwright_test.py.txt")
PLAIN = {
    "button",
    "link",
    "checkbox",
    "radio",
    "option",
    "menuitem",
    "tab",
    "switch",
    "textbox",
    "searchbox",
    "combobox",
    "label",
}
BUTTONS = {1: "middle", 2: "right"}


def convert(trace: Trace) -> Converted:
    """The test file's text."""
    done = Converted("")
    lines, tab = [], 1
    for number, step in enumerate(trace.steps, 1):
        for line in written(trace, step, number, tab):
            lines.append("    " + line)
        if step["type"] != "dialog":
            tab = step.get("tab", 1)
        if not is_replayable_text(step):
            done.lose(number, secret=step.get("value"))
        if step["type"] == "upload":
            done.lose(number, files=step.get("files"))
    width, height = trace.viewport
    end = urlsplit(trace.tab_url(tab, float("inf")))
    values = {
        "TASK": repr(trace.name)[1:-1].replace('"', "'"),
        "RECORDED_URL": repr(trace.start_url),
        "VIEWPORT": repr({"width": width, "height": height}),
        "ANSWERS": repr([step.get("answer") for step in trace.steps if step["type"] == "dialog"]),
        "END": repr(end.path or "/"),
        "LAST_TAB": repr(tab),
        "STEPS": "\n".join(lines) or "    pass",
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@@{name}@@", value)
    done.text = text
    return done


def is_replayable_text(step: Step) -> bool:
    return not (is_secret(step) and step["type"] in {"fill", "set_value"})


def written(trace: Trace, step: Step, number: int, tab: int) -> list[str]:
    """A step as lines of Python."""
    now = step.get("tab", 1)
    change = [f"page = tabs.get({now})"] if now != tab and step["type"] not in {"dialog", "tab"} else []
    make = WRITERS[step["type"]]
    return [f"# {number}: {step['type']}", *change, *make(trace, step, number)]


def found(trace: Trace, step: Step, key: str = "target") -> str:
    """The step's element as an expression."""
    return locator(trace, step, step.get(key) or {})


def clicked(trace: Trace, step: Step, number: int) -> list[str]:
    options = []
    button = "right" if step["type"] == "contextmenu" else BUTTONS.get(step.get("button") or 0)
    if button:
        options.append(f"button={button!r}")
    if step.get("modifiers"):
        options.append(
            f"modifiers={[name for name in step['modifiers'] if name in ('Alt', 'Control', 'Meta', 'Shift')]!r}"
        )
    if (step.get("clicks") or 0) > 2:
        options.append(f"click_count={step['clicks']}")
    if at := position(step):
        options.append(f"position={at!r}")
    name = "dblclick" if step["type"] == "dblclick" and "click_count" not in str(options) else "click"
    return [f"{found(trace, step)}.{name}({', '.join(options)})"]


def position(step: Step) -> dict[str, float] | None:
    """Where in the element, for elements in which that matters."""
    target = step.get("target") or {}
    box = target.get("box")
    if (target.get("role") or target.get("tag")) in PLAIN or not box or step.get("x") is None:
        return None
    x, y = step["x"] - box[0], step["y"] - box[1]
    return {"x": round(x, 1), "y": round(y, 1)} if 0 <= x <= box[2] and 0 <= y <= box[3] else None


def filled(trace: Trace, step: Step, number: int) -> list[str]:
    value = f'secret("STEP_{number}")' if is_secret(step) else repr(str(step.get("value") or ""))
    return [f"{found(trace, step)}.fill({value})"]


def pressed(trace: Trace, step: Step, number: int) -> list[str]:
    target = step.get("target") or {}
    on_page = not target.get("editable") and not target.get("role")
    line = f"page.keyboard.press({step['key']!r})" if on_page else f"{found(trace, step)}.press({step['key']!r})"
    return [line] * int(step.get("repeats") or 1)


def selected(trace: Trace, step: Step, number: int) -> list[str]:
    return [f"{found(trace, step)}.select_option({chosen(step)!r})"]


def uploaded(trace: Trace, step: Step, number: int) -> list[str]:
    return [f"{found(trace, step)}.set_input_files([FILES / name for name in {list(step.get('files') or ())!r}])"]


def copied(trace: Trace, step: Step, number: int) -> list[str]:
    select = [f"{found(trace, step)}.press('ControlOrMeta+a')"] if selection_before(trace, step) else []
    return [*select, "page.keyboard.press('ControlOrMeta+c')"]


def pasted(trace: Trace, step: Step, number: int) -> list[str]:
    return [f"paste(page, {found(trace, step)}, {step.get('text')!r})"]


def scrolled(trace: Trace, step: Step, number: int) -> list[str]:
    top, left = step.get("top"), step.get("left")
    if top is None and left is None:
        return [f"page.mouse.wheel({step.get('dx') or 0}, {step.get('dy') or 0})"]
    if (step.get("target") or {}).get("tag") in {None, "html", "body"}:
        return [f"scroll({frame_of(step)}.locator(':root'), {left or 0}, {top or 0})"]
    return [f"scroll({found(trace, step)}, {left or 0}, {top or 0})"]


def hovered(trace: Trace, step: Step, number: int) -> list[str]:
    at = position(step)
    return [f"{found(trace, step)}.hover({f'position={at!r}' if at else ''})"]


def dragged(trace: Trace, step: Step, number: int) -> list[str]:
    source, path = step.get("from") or step.get("target") or {}, step.get("path") or []
    start = locator(trace, step, source)
    if step.get("how") == "html5" and step.get("to"):
        return [f"{start}.drag_to({locator(trace, step, step['to'])})"]
    box = source.get("box") or [0, 0, 0, 0]
    relative = [[round(x - box[0], 1), round(y - box[1], 1)] for x, y, *_ in path]
    return [f"drag(page, {start}, {relative!r})"]


def went(trace: Trace, step: Step, number: int) -> list[str]:
    call = {"back": "page.go_back()", "forward": "page.go_forward()", "reload": "page.reload()"}
    return [call[step["type"]]]


def opened(trace: Trace, step: Step, number: int) -> list[str]:
    return [f"page.goto(address({step['url']!r}))"]


def switched(trace: Trace, step: Step, number: int) -> list[str]:
    if step.get("action") == "close":
        return [f"tabs.get({step['index']}).close()"]
    return [f"page = tabs.get({step['index']})", "page.bring_to_front()"]


def answered(trace: Trace, step: Step, number: int) -> list[str]:
    return [f"tabs.wait_for_answer({sum(1 for other in trace.steps[:number] if other['type'] == 'dialog')})"]


def waited(trace: Trace, step: Step, number: int) -> list[str]:
    return ["pass  # the person waited"]


WRITERS: dict[str, Any] = {
    "click": clicked,
    "dblclick": clicked,
    "contextmenu": clicked,
    "fill": filled,
    "set_value": filled,
    "press": pressed,
    "select_option": selected,
    "check": lambda trace, step, number: [f"{found(trace, step)}.set_checked({bool(step.get('checked'))})"],
    "upload": uploaded,
    "copy": copied,
    "paste": pasted,
    "scroll": scrolled,
    "hover": hovered,
    "drag": dragged,
    "goto": opened,
    "back": went,
    "forward": went,
    "reload": went,
    "tab": switched,
    "dialog": answered,
    "wait": waited,
}
