"""Finding what a step was done to: several locators in turn, each tested for exactly one element that is like the recorded one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import ElementHandle, Error, Frame

from recorder.replay.results import StepFailed

Target = dict[str, Any]
FIND = Path(__file__).with_name("find.js").read_text(encoding="utf-8")
POLL_MS = 60
CHANGED_AFTER_S = 2.5  # how long one waits for the very element before one that has changed is taken
NAME_LIMIT = 160  # the recorder cuts names there


@dataclass
class Found:
    """An element, the locator that found it, and whether that was the recorder's first choice and the element unchanged."""

    element: ElementHandle
    frame: Frame
    locator: str
    healed: str = ""
    counts: dict[str, int] = field(default_factory=dict)


def find(frame: Frame, target: Target, patience: float) -> Found:
    """The element within `patience` seconds. Raises StepFailed with how many elements each locator found at the end."""
    began = time.monotonic()
    counts: dict[str, int] = {}
    while True:
        waited = time.monotonic() - began
        found, counts = look(frame, target, counts, accept_changed=waited > min(CHANGED_AFTER_S, patience))
        if found:
            return found
        if waited > patience:
            raise StepFailed(not_found(target, counts), counts)
        frame.page.wait_for_timeout(POLL_MS)


def look(
    frame: Frame, target: Target, counts: dict[str, int], *, accept_changed: bool
) -> tuple[Found | None, dict[str, int]]:
    """One look: what was found, if it may be taken, and the counts. A document that is just going counts for nothing."""
    try:
        result = frame.evaluate_handle(FIND, {"target": target, "named": None, "needed": accept_changed})
        told = cast("dict[str, Any]", result.evaluate("({ el, ...told }) => told"))
        if target.get("role") and target.get("name") and (told.get("ask") or told.get("level") != 1):
            argument = {"target": target, "named": named(frame, target), "needed": False}
            result = frame.evaluate_handle(FIND, argument)
            told = result.evaluate("({ el, ...told }) => told")
        element = result.get_property("el").as_element() if told.get("level") else None
    except Error as error:
        if is_passing(error):
            return None, counts
        raise
    counts = told["counts"]
    if element is None or (told["level"] == 2 and not accept_changed):
        return None, counts
    return Found(element, frame, told["locator"], healed_by(told), counts), counts


def healed_by(told: dict[str, Any]) -> str:
    """How the element was found where that was not as recorded; '' where it was."""
    if told["level"] == 2:
        return f"found by {told['locator']}, though {told['note']}"
    return "" if told.get("first") else f"found by {told['locator']}"


def named(frame: Frame, target: Target) -> list[ElementHandle]:
    """Every element of the target's role and name, by the browser driver's own accessible names."""
    exact = len(target["name"]) < NAME_LIMIT
    return frame.get_by_role(cast(Any, target["role"]), name=target["name"], exact=exact).element_handles()[:200]


def is_passing(error: Error) -> bool:
    """True for what an evaluation says of a document that is just being replaced."""
    said = error.message
    return any(
        sign in said
        for sign in (
            "context was destroyed",
            "navigat",
            "Cannot find context",
            "frame was detached",
            "Frame was detached",
        )
    )


def not_found(target: Target, counts: dict[str, int]) -> str:
    """Why no element could be taken, in one sentence."""
    several = {name: count for name, count in counts.items() if count > 1}
    what = described(target)
    if several:
        listed = ", ".join(f"{count} by {name}" for name, count in several.items())
        return f"{what} is not one element here: {listed}."
    return f"{what} is not on this page."


def described(target: Target) -> str:
    """The target as people say it."""
    if name := target.get("name") or target.get("text"):
        return f"{target.get('role') or target.get('tag') or 'element'} “{str(name)[:60]}”"
    return str(target.get("css") or target.get("xpath") or target.get("tag") or "the target")
