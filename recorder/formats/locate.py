"""How a Playwright test finds an element again: by role and name where they find it alone, then by what else does."""

from __future__ import annotations

from typing import Any

from recorder.formats.base import Step, Trace

NAME_LIMIT = 160  # the recorder cuts longer names


def frame_of(step: Step) -> str:
    """The page, or the frame on it, as an expression; `frame` is a path of indexes among each parent's frames."""
    path = step.get("frame") or ""
    inner = "".join(f".locator('iframe, frame').nth({index}).content_frame" for index in path.split("/") if path)
    return f"page{inner}"


def locator(trace: Trace, step: Step, target: dict[str, Any]) -> str:
    """An expression for the element of `target`."""
    base, hosts = frame_of(step), "".join(f".locator({host!r})" for host in target.get("shadow") or ())
    matches = target.get("matches") or (trace.matches(step) if target is step.get("target") else {})
    role, name = target.get("role"), target.get("name")
    if role and name and is_alone(trace, step, target, matches):
        exact = ", exact=True" if len(name) < NAME_LIMIT else ""
        return f"{base}{hosts}.get_by_role({role!r}, name={name!r}{exact})"
    if target.get("testid") and matches.get("testid", 1) == 1:
        return f"{base}{hosts}.get_by_test_id({target['testid']!r})"
    return f"{base}{hosts}.locator({css_of(target)!r})"


def css_of(target: dict[str, Any]) -> str:
    return str(target.get("css") or f"xpath={target.get('xpath')}")


def is_alone(trace: Trace, step: Step, target: dict[str, Any], matches: dict[str, int]) -> bool:
    """True where role and name found this element alone, or where nothing in the trace says otherwise."""
    if "role" in matches:
        return matches["role"] == 1
    return not any(
        other.get("doc") == step.get("doc")
        and (seen := other.get("target") or {}).get("role") == target["role"]
        and seen.get("name") == target["name"]
        and seen.get("xpath") != target.get("xpath")
        for other in trace.document["events"]
    )
