"""The component benchmark's reference rows: a line about the trace, then one line per normalized step.

Shape of the rows as its own tools read them: `i`, `t_ms`, `type` (`click`, `type`, `key`, `drag`, `scroll`), with `pointer`,
`text`, `key`, `drag`, `scroll` and `target` by type; the summary has `task_id`, `status`, `normalized_steps`, `duration_ms`.
"""

from __future__ import annotations

import json
from typing import Any

from recorder.cleaning.componentbench import last_reset
from recorder.formats.base import UNPLACED, Converted, Step, Trace, center, is_secret, on_page, point, times, unplaced

CLICKS: dict[str, dict[str, Any]] = {"click": {}, "dblclick": {"count": 2}, "contextmenu": {"button": "right"}}


def convert(trace: Trace) -> Converted:
    """JSON lines: the summary (`"row": "meta"`), then the steps (`"row": "step"`)."""
    done = Converted("")
    rows: list[dict[str, Any]] = []
    for number, step in enumerate(trace.steps, 1):
        if step["type"] in {"hover", "wait"}:
            done.lose(number, hover=step.get("effect") or step["type"])  # no step in that benchmark's count
            continue
        made = rows_of(step)
        if not made:
            done.lose(
                number,
                operation={
                    name: step[name] for name in ("action", "index", "url", "answer", "files", "kind") if name in step
                },
            )
        target = step.get("target") or {}
        for row in made:
            rows.append(
                {
                    "row": "step",
                    "i": len(rows),
                    "t_ms": round(step["t"]),
                    "t_ms_end": round(times(step)["t_end"]),
                }
                | row
            )
            if target:
                rows[-1]["target"] = {
                    name: target[name] for name in ("tag", "role", "name", "css", "testid") if name in target
                }
        done.lose(
            number,
            path=step.get("path"),
            frame=step.get("frame") or None,
            tab=step["tab"] if step.get("tab", 1) != 1 else None,
        )
    done.text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [summary(trace, rows), *rows])
    if any(map(unplaced, trace.steps)):
        done.notes.append(UNPLACED)
    return done


def summary(trace: Trace, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The line about the trace. `status` is null where the trace carries no verdict."""
    verdict = trace.document.get("verdict")
    return {
        "row": "meta",
        "task_id": trace.document.get("task"),
        "status": None if verdict is None else "SUCCESS" if verdict.get("passed") else "FAILED",
        "raw_steps": len(trace.document["events"]),
        "normalized_steps": len(rows),
        "duration_ms": max((row["t_ms_end"] for row in rows), default=0),
        "hover_only": not rows,
        "had_resets": last_reset(trace.document["events"]) > 0,
    }


def rows_of(step: Step) -> list[dict[str, Any]]:
    """A step as that benchmark's operations; empty where it has none."""
    kind = step["type"]
    if kind in CLICKS and (at := on_page(point(step), step)):
        return [{"type": "click", "pointer": {"x": at[0], "y": at[1], **CLICKS[kind]}}]
    if kind == "fill":
        return [{"type": "type", "text": "" if is_secret(step) else str(step.get("value") or "")}]
    if kind == "press":
        return [{"type": "key", "key": chord(step["key"])}] * int(step.get("repeats") or 1)
    if kind in {"copy", "paste"}:
        return [{"type": "key", "key": "Ctrl+C" if kind == "copy" else "Ctrl+V"}]
    if kind == "scroll":
        return [{"type": "scroll", "scroll": {"dx": step.get("dx") or 0, "dy": step.get("dy") or 0}}]
    if kind == "drag":
        return dragged(step)
    if kind in {"select_option", "set_value", "check"} and (at := on_page(center(step.get("target") or {}), step)):
        value = {"value": step["value"]} if "value" in step else {}
        return [{"type": "click", "pointer": {"x": at[0], "y": at[1]}} | value]
    return []


def dragged(step: Step) -> list[dict[str, Any]]:
    """The drag from where the button went down to where it came up."""
    path = step.get("path") or []
    start = on_page(path[0][:2] if path else center(step.get("from") or {}), step)
    end = on_page(path[-1][:2] if path else center(step.get("to") or {}), step)
    if not (start and end):
        return []
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1], "steps": max(len(path) - 1, 1)}
    return [{"type": "drag", "drag": ends}]


def chord(key: str) -> str:
    """`Control+a` as that benchmark writes it: `Ctrl+A`."""
    held, _, last = key.rpartition("+")
    return f"{held.replace('Control', 'Ctrl')}+{last.upper() if len(last) == 1 else last}" if held else key
