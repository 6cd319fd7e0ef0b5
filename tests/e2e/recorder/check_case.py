"""Holds a trace against a case's expect.json.

A pattern is an object of dotted keys and values ({"type": "click", "target.css": "#go"}); {"not": v} means anything but v.
`events`, `steps_include`: found in this order, others between them allowed; `steps`: exactly these, in this order
(`t_after_previous`: [low, high] ms since the step before); `not_events`, `not_steps`: none matches; `step_types_include`;
`documents`: how many page loads; `proof`: part of the proof; `absent`: strings that occur nowhere; `any`: one of these holds.
"""

from __future__ import annotations

import json
from typing import Any

MISSING = object()


def dig(obj: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(obj, dict) or part not in obj:
            return MISSING
        obj = obj[part]
    return obj


def matches(obj: Any, pattern: dict[str, Any]) -> bool:
    for key, want in pattern.items():
        if key == "t_after_previous":
            continue
        got = dig(obj, key)
        if isinstance(want, dict) and set(want) == {"not"}:
            if got is MISSING or got == want["not"]:
                return False
        elif got is MISSING or got != want:
            return False
    return True


def in_order(items: list[Any], patterns: list[dict[str, Any]]) -> int | None:
    """Index of the first pattern that could not be found in order, or None."""
    rest = iter(items)
    for i, pattern in enumerate(patterns):
        if not any(matches(item, pattern) for item in rest):
            return i
    return None


def misses(trace: dict[str, Any], expect: dict[str, Any]) -> list[str]:
    events, steps = trace.get("events", []), trace.get("steps", [])
    text = json.dumps(trace, ensure_ascii=False)
    out: list[str] = []
    for key, items in (("events", events), ("steps_include", steps)):
        if key in expect and (i := in_order(items, expect[key])) is not None:
            out.append(f"{key}[{i}] not found in order: {expect[key][i]}")
    if "steps" in expect:
        if len(steps) != len(expect["steps"]):
            out.append(f"steps: want {len(expect['steps'])}, have {[s.get('type') for s in steps]}")
        else:
            for i, (step, want) in enumerate(zip(steps, expect["steps"], strict=True)):
                if not matches(step, want):
                    out.append(f"steps[{i}]: want {want}, have {json.dumps(step, ensure_ascii=False)[:300]}")
                if "t_after_previous" in want:
                    low, high = want["t_after_previous"]
                    gap = step["t"] - steps[i - 1]["t"]
                    if not low <= gap <= high:
                        out.append(f"steps[{i}]: {gap} ms after the one before, want {low}..{high}")
    for key, items in (("not_events", events), ("not_steps", steps)):
        for pattern in expect.get(key, []):
            if any(matches(item, pattern) for item in items):
                out.append(f"{key}: found {pattern}")
    for kind in expect.get("step_types_include", []):
        if kind not in {s.get("type") for s in steps}:
            out.append(f"no step of type {kind}: {[s.get('type') for s in steps]}")
    if "documents" in expect and len(trace.get("documents", [])) != expect["documents"]:
        out.append(f"documents: want {expect['documents']}, have {len(trace.get('documents', []))}")
    if "proof" in expect and not matches(trace.get("proof", {}), expect["proof"]):
        out.append(f"proof: want {expect['proof']}, have {trace.get('proof')}")
    out += [f"must be absent: {s!r}" for s in expect.get("absent", []) if s in text]
    if "any" in expect and not any(not misses(trace, alternative) for alternative in expect["any"]):
        out.append("none of the alternatives holds")
    return out
