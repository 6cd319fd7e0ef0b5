"""One JSON line per step that a person can read: what was done, to what, when."""

from __future__ import annotations

import json
from typing import Any

from recorder.formats.base import Converted, Step, Trace, is_secret

KEPT = (
    "value",
    "values",
    "label",
    "index",
    "key",
    "repeats",
    "text",
    "dx",
    "dy",
    "answer",
    "files",
    "url",
    "effect",
    "checked",
    "action",
)


def convert(trace: Trace) -> Converted:
    """JSON lines: `step`, `at_s`, `for_s`, `do` (a sentence), `where` (page), then the step's own fields."""
    done = Converted("")
    lines = []
    for number, step in enumerate(trace.steps, 1):
        line: dict[str, Any] = {
            "step": number,
            "at_s": round(step["t"] / 1000, 3),
            "for_s": round((step.get("t_end", step["t"]) - step["t"]) / 1000, 3),
            "do": sentence(step),
            "where": trace.tab_url(step.get("tab", 1), step["t"]),
        }
        line |= {name: step[name] for name in KEPT if name in step}
        lines.append(json.dumps(line, ensure_ascii=False))
        done.lose(number, path=step.get("path"), locators=step.get("target"), to=step.get("to"))
    done.text = "".join(line + "\n" for line in lines)
    return done


def sentence(step: Step) -> str:
    """A step in words."""
    thing = named(step.get("target") or {})
    value = step.get("value")
    shown = f"{value} hidden characters" if is_secret(step) else repr(value)
    words = {
        "click": f"click {thing}",
        "dblclick": f"double-click {thing}",
        "contextmenu": f"right-click {thing}",
        "fill": f"type {shown} into {thing}",
        "press": f"press {step.get('key')}",
        "select_option": f"choose {step.get('label') or value!r} in {thing}",
        "set_value": f"set {thing} to {value}",
        "check": f"{'check' if step.get('checked') else 'uncheck'} {thing}",
        "upload": f"upload {', '.join(step.get('files') or ())} at {thing}",
        "paste": f"paste {step.get('text')!r} into {thing}",
        "copy": f"copy {step.get('text')!r}",
        "scroll": f"scroll {thing} by {step.get('dx') or 0}, {step.get('dy') or 0} px",
        "hover": f"hover over {thing}",
        "drag": f"drag {named(step.get('from') or step.get('target') or {})} to {named(step.get('to') or {})}",
        "goto": f"go to {step.get('url')}",
        "back": "go back",
        "forward": "go forward",
        "reload": "reload the page",
        "tab": f"{step.get('action')} tab {step.get('index')}",
        "dialog": f"answer the {step.get('kind')} {step.get('text')!r} with {step.get('answer')!r}",
        "wait": "wait",
    }
    return words[step["type"]]


def named(target: dict[str, Any]) -> str:
    """What a person would call the element."""
    what = target.get("role") or target.get("tag") or "something"
    name = target.get("name") or target.get("text") or ("" if target.get("role") else target.get("css"))
    return f"the {what} {name!r}" if name else f"the {what}"
