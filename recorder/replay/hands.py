"""Mouse and keyboard as a person's hands: every press lands on the element it is meant for, or says what is in the way."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import Error, Page

from recorder.replay.find import Found, described, is_passing
from recorder.replay.results import StepFailed

AIM = Path(__file__).with_name("aim.js").read_text(encoding="utf-8")
BUTTONS = {0: "left", 1: "middle", 2: "right"}
ELSEWHERE_AFTER_S = 1.0  # how long the recorded spot may be covered before another spot of the element is taken
ENABLED_AFTER_S = 3.0
STILL_FAST_MS = 25


@dataclass(frozen=True)
class Spot:
    """A point in the tab's viewport and the element's box there, CSS px."""

    x: float
    y: float
    box: list[float]


def recorded_point(step: dict[str, Any], target: dict[str, Any]) -> dict[str, Any] | None:
    """Where in its box the target was pressed, as `aim.js` takes it; None where it was not told."""
    box, x, y = target.get("box"), step.get("x"), step.get("y")
    if not box or not isinstance(x, int | float) or not isinstance(y, int | float):
        return None
    if not (box[0] - 1 <= x <= box[0] + box[2] + 1 and box[1] - 1 <= y <= box[1] + box[3] + 1):
        return None  # the box was taken at another time than the point
    return {"x": x, "y": y, "box": box}


def aim(found: Found, point: dict[str, Any] | None, patience: float) -> Spot:
    """The spot at which pressing reaches the element, waited for. Raises StepFailed naming what covers it."""
    began = time.monotonic()
    while True:
        waited = time.monotonic() - began
        told = aimed(found, point, anywhere=waited > ELSEWHERE_AFTER_S)
        if told.get("gone"):
            raise Gone
        ready = told["enabled"] or waited > min(ENABLED_AFTER_S, patience)
        if told["ok"] and ready:
            return spot(found, told)
        if waited > patience:
            if not told["shown"]:
                raise StepFailed("The target is on the page but not shown.")
            raise StepFailed(f"Something covers the target: {told['over']}.")
        found.frame.page.wait_for_timeout(60)


class Gone(Exception):
    """The element was replaced while it was aimed at: it has to be found again."""


def aimed(found: Found, point: dict[str, Any] | None, *, anywhere: bool) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", found.element.evaluate(AIM, {"point": point, "anywhere": anywhere}))
    except Error as error:
        if is_passing(error):
            raise Gone from error
        raise


def spot(found: Found, told: dict[str, Any]) -> Spot:
    """Frame coordinates as the tab's own."""
    box = found.element.bounding_box()
    if box is None:
        raise Gone
    left, top, _, _ = told["box"]
    dx, dy = box["x"] - left, box["y"] - top
    return Spot(told["x"] + dx, told["y"] + dy, [box["x"], box["y"], box["width"], box["height"]])


@contextlib.contextmanager
def held(page: Page, modifiers: list[str] | None) -> Iterator[None]:
    """Hold modifier keys."""
    for key in modifiers or []:
        page.keyboard.down(key)
    try:
        yield
    finally:
        for key in reversed(modifiers or []):
            page.keyboard.up(key)


def press_at(page: Page, at: Spot, step: dict[str, Any], *, count: int = 1, button: int | None = None) -> None:
    """Press and release at a spot, `count` times in quick turn."""
    name = cast(Any, BUTTONS.get(step.get("button") or 0 if button is None else button, "left"))
    with held(page, step.get("modifiers")):
        page.mouse.move(at.x, at.y)
        page.wait_for_timeout(STILL_FAST_MS)
        page.mouse.click(at.x, at.y, button=name, click_count=count)


def drag_along(
    page: Page,
    points: list[tuple[float, float, float]],
    modifiers: list[str] | None,
    speed: float,
    before_release: Callable[[], None] = lambda: None,
) -> None:
    """Press at the first point, go through the others and release at the last. Points are x, y and ms since the start."""
    with held(page, modifiers):
        page.mouse.move(points[0][0], points[0][1])
        page.wait_for_timeout(STILL_FAST_MS)
        page.mouse.down()
        before = points[0][2]
        for x, y, at in points[1:]:
            page.wait_for_timeout(max(5.0, (at - before) * speed))
            page.mouse.move(x, y)
            before = at
        page.mouse.move(points[-1][0], points[-1][1])
        page.wait_for_timeout(STILL_FAST_MS)
        before_release()
        page.mouse.up()


def focused(found: Found) -> bool:
    """True where typing would go to the element."""
    return bool(
        found.element.evaluate(
            "el => { const at = el.getRootNode().activeElement; return !!at && (at === el || el.contains(at)); }"
        )
    )


def focus(found: Found) -> None:
    """Have the keyboard's keys go to the element. Raises StepFailed where it takes no focus."""
    if focused(found):
        return
    found.element.evaluate("el => el.focus()")
    if not focused(found):
        raise StepFailed(f"{described({'css': found.locator})} takes no focus.")
