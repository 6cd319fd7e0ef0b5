"""Mind2Web-style actions: one task with `actions` of CLICK, TYPE and SELECT, and `action_reprs` in words.

Each action's `raw_html` is the page before it, where a replay kept the pages; without them it is null, never made up.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from recorder.formats.base import Converted, Step, Trace, is_secret

OPERATIONS = {
    "click": "CLICK",
    "dblclick": "CLICK",
    "contextmenu": "CLICK",
    "check": "CLICK",
    "hover": "CLICK",
    "fill": "TYPE",
    "set_value": "TYPE",
    "paste": "TYPE",
    "select_option": "SELECT",
}
ORIGINAL = {"hover": "HOVER"}


def convert(trace: Trace, pages: dict[int, str] | None = None) -> Converted:
    """One JSON document. `pages`: by step number (1-based) the HTML before that step."""
    done = Converted("")
    pages = pages or {}
    actions, words = [], []
    for number, step in enumerate(trace.steps, 1):
        made = action_of(step, number, trace, pages.get(number))
        if made is None:
            done.lose(
                number,
                operation={
                    name: value for name, value in step.items() if name not in {"t", "t_end", "raw", "target", "doc"}
                },
            )
            continue
        actions.append(made)
        words.append(in_words(step, made["operation"]))
        if ORIGINAL.get(step["type"], made["operation"]["op"]) != made["operation"]["op"] or step["type"] in {
            "dblclick",
            "contextmenu",
        }:
            done.lose(number, original=step["type"])
        if is_secret(step):
            done.lose(number, secret=step.get("value"))
        if number not in pages:
            done.lose(number, raw_html="no replay kept the page before this step")
    host = urlsplit(trace.start_url).hostname or ""
    document = {
        "annotation_id": trace.document["recording"],
        "website": trace.document.get("environment") or host,
        "domain": None,
        "subdomain": None,
        "confirmed_task": trace.document.get("instruction") or trace.name,
        "action_reprs": words,
        "actions": actions,
    }
    done.text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    return done


def action_of(step: Step, number: int, trace: Trace, html: str | None) -> dict[str, Any] | None:
    """One action; None for what Mind2Web has no operation for (scrolls, keys, drags, navigation)."""
    operation = OPERATIONS.get(step["type"])
    if operation is None:
        return None
    value = (
        ""
        if operation == "CLICK" or is_secret(step)
        else str(step.get("label") or step.get("value") or step.get("text") or "")
    )
    return {
        "action_uid": f"{trace.document['recording']}-{number}",
        "raw_html": html,
        "cleaned_html": without_scripts(html) if html is not None else None,
        "operation": {"op": operation, "original_op": ORIGINAL.get(step["type"], operation), "value": value},
        "pos_candidates": [candidate(step.get("target") or {})],
        "neg_candidates": [],
    }


def candidate(target: dict[str, Any]) -> dict[str, Any]:
    """The element acted on; `attributes` is JSON text there too."""
    box = target.get("box")
    names = ("css", "xpath", "role", "name", "testid", "text", "type")
    attributes = {name: target[name] for name in names if target.get(name)}
    if box:
        attributes["bounding_box_rect"] = ",".join(str(value) for value in box)
    return {
        "tag": target.get("tag"),
        "is_original_target": True,
        "is_top_level_target": True,
        "backend_node_id": None,
        "attributes": json.dumps(attributes, ensure_ascii=False),
    }


def in_words(step: Step, operation: dict[str, str]) -> str:
    """`[button]  Search -> CLICK`, as that dataset writes it."""
    target = step.get("target") or {}
    ending = f": {operation['value']}" if operation["value"] else ""
    return f"[{target.get('role') or target.get('tag')}]  {target.get('name') or target.get('text') or ''} -> {operation['op']}{ending}"


def without_scripts(html: str) -> str:
    """The page without scripts, styles and comments."""
    return re.sub(r"(?is)<(script|style|noscript)\b.*?</\1\s*>|<!--.*?-->", "", html)
