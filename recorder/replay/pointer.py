"""Steps by the pointer: clicks, hovers, drags, scrolls."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from recorder.replay.find import Found
from recorder.replay.hands import Gone, drag_along, press_at
from recorder.replay.player import Player
from recorder.replay.results import StepFailed
from recorder.replay.source import Step

SCROLL_TRIES = 40
NOTCH = 120.0  # px of one notch of a wheel
HOVER_MS = 120
PLACE = """(el) => {
  const root = el === document.documentElement || el === document.body;
  const at = root ? document.scrollingElement || el : el;
  return [at.scrollLeft, at.scrollTop, at.scrollWidth - at.clientWidth, at.scrollHeight - at.clientHeight];
}"""
SCROLL_TO = """(el, [left, top]) => {
  const root = el === document.documentElement || el === document.body;
  (root ? document.scrollingElement || el : el).scrollTo({ left, top, behavior: "instant" });
}"""
# A point of the container at which a wheel scrolls it and nothing inside it.
OWN_POINT = Path(__file__).with_name("wheel.js").read_text(encoding="utf-8")


def click(player: Player, step: Step) -> str:
    found, at = player.aim(step)
    count = 1 if not step.get("clicks") else int(step["clicks"])
    press_at(player.page, at, step, count=count)
    return found.healed


def dblclick(player: Player, step: Step) -> str:
    found, at = player.aim(step)
    press_at(player.page, at, step, count=max(2, int(step.get("clicks") or 2)))
    return found.healed


def contextmenu(player: Player, step: Step) -> str:
    found, at = player.aim(step)
    press_at(player.page, at, step, button=2)
    return found.healed


def hover(player: Player, step: Step) -> str:
    found, at = player.aim(step)
    player.page.mouse.move(at.x - 2, at.y)
    player.page.mouse.move(at.x, at.y)
    player.page.wait_for_timeout(HOVER_MS)
    return found.healed


# Drags


def drag(player: Player, step: Step) -> str:
    """Along the recorded path, moved to where its two ends are now."""
    source, path = step.get("from") or step.get("target") or {}, step.get("path") or []
    begin = {"x": path[0][0], "y": path[0][1]} if path else {}
    found, start = player.aim(begin | {"target": source}, source)
    end_x, end_y, healed = drop_spot(player, step, source, (start.x, start.y))
    points = moved_path(path, (start.x, start.y), (end_x, end_y))
    speed = 1.0 if player.settings.pace == "original" else min(1.0, 600 / max(1.0, points[-1][2]))
    drag_along(player.page, points, step.get("modifiers"), speed)
    return found.healed or healed


def drop_spot(
    player: Player, step: Step, source: dict[str, Any], start: tuple[float, float]
) -> tuple[float, float, str]:
    """Where the drag ends now: at the recorded place of its end's element, or as far from its start as recorded."""
    path, target = step.get("path") or [], step.get("to") or {}
    by_distance = (start[0] + path[-1][0] - path[0][0], start[1] + path[-1][1] - path[0][1]) if path else start
    same = target.get("xpath") == source.get("xpath")
    if not target or same or not target.get("box"):
        return (*by_distance, "")
    try:
        found = player.find(target, min(2.0, player.patience))
    except StepFailed:
        if path:
            return (*by_distance, "its end was found by distance")
        raise
    box = found.element.bounding_box()
    if box is None:
        return (*by_distance, "its end was found by distance")
    old = target["box"]
    end = path[-1] if path else [old[0] + old[2] / 2, old[1] + old[3] / 2]
    inside = old[0] <= end[0] <= old[0] + old[2] and old[1] <= end[1] <= old[1] + old[3]
    if not inside:  # the page moved its end's element while it was dragged: the box is of another moment
        return (*by_distance, "")
    offset = player.frame_offset()
    fx = (end[0] - old[0]) / old[2] if old[2] else 0.5
    fy = (end[1] - old[1]) / old[3] if old[3] else 0.5
    place = (box["x"] + fx * box["width"], box["y"] + fy * box["height"])
    if abs(place[0] - offset[0] - end[0]) < 2 and abs(place[1] - offset[1] - end[1]) < 2:
        place = (end[0] + offset[0], end[1] + offset[1])
    return (*place, "" if found.healed == "" else f"its end: {found.healed}")


def moved_path(
    path: list[list[float]], start: tuple[float, float], end: tuple[float, float]
) -> list[tuple[float, float, float]]:
    """The path between new ends: each point is moved by a share of both ends' moves, by its share of the time."""
    if len(path) < 2:
        path = [[0, 0, 0], [1, 1, 150]]
    first, last = path[0], path[-1]
    total = (last[2] - first[2]) or 1
    at_start = (start[0] - first[0], start[1] - first[1])
    at_end = (end[0] - last[0], end[1] - last[1])
    points = []
    for x, y, at in (point[:3] for point in path):
        share = (at - first[2]) / total
        points.append(
            (x + at_start[0] * (1 - share) + at_end[0] * share, y + at_start[1] * (1 - share) + at_end[1] * share, at)
        )
    if len(points) < 6:  # a page that wants to see a drag on its way
        points = with_between(points)
    return points


def with_between(points: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """The same with four points between each two."""
    dense = [points[0]]
    for one, other in zip(points, points[1:], strict=False):
        dense += [
            (
                one[0] + (other[0] - one[0]) * k / 5,
                one[1] + (other[1] - one[1]) * k / 5,
                one[2] + (other[2] - one[2]) * k / 5,
            )
            for k in range(1, 6)
        ]
    return dense


# Scrolling


def scroll(player: Player, step: Step) -> str:
    """By the wheel, over the container itself, until it stands where it stood."""
    target = step.get("target") or {}
    found = player.find(target)
    player.show(found) if target.get("tag") not in {"html", "body"} else player.picture()
    try:
        wanted = wanted_place(found, step)
        note = wheel_to(player, found, step, wanted)
    except Gone:
        return "the page replaced what was scrolled"
    return found.healed or note


def wanted_place(found: Found, step: Step) -> tuple[float, float]:
    """left and top to reach, as far as the container goes now."""
    left, top, most_left, most_top = found.element.evaluate(PLACE)
    x = step["left"] if "left" in step else left + (step.get("dx") or 0)
    y = step["top"] if "top" in step else top + (step.get("dy") or 0)
    return max(0.0, min(x, most_left)), max(0.0, min(y, most_top))


def wheel_to(player: Player, found: Found, step: Step, wanted: tuple[float, float]) -> str:
    """Turn the wheel until the container is there; by script where the wheel does not move it."""
    offset, pointed = player.frame_offset(), False
    stuck = 0
    for _ in range(SCROLL_TRIES):
        left, top, most_left, most_top = found.element.evaluate(PLACE)
        goal = (max(0.0, min(wanted[0], most_left)), max(0.0, min(wanted[1], most_top)))
        dx, dy = goal[0] - left, goal[1] - top
        if abs(dx) < 1.5 and abs(dy) < 1.5:
            return ""
        if not pointed:
            at = player.source.pointer_before(step)
            spot = found.element.evaluate(OWN_POINT, [dx, dy, list(at) if at else None])
            if spot is None:
                break
            player.page.mouse.move(spot[0] + offset[0], spot[1] + offset[1])
            pointed = True
        player.page.mouse.wheel(max(-8 * NOTCH, min(dx, 8 * NOTCH)), max(-8 * NOTCH, min(dy, 8 * NOTCH)))
        if not came_to_rest(player, found, (left, top)):
            stuck += 1
            if stuck > 2:
                break
    found.element.evaluate(SCROLL_TO, list(wanted))
    return "scrolled by script: the wheel did not move it"


def came_to_rest(player: Player, found: Found, before: tuple[float, float]) -> bool:
    """Wait until the container stands still; True where it moved."""
    end, last = time.monotonic() + 0.6, before
    moved = False
    while time.monotonic() < end:
        player.page.wait_for_timeout(40)
        now = tuple(found.element.evaluate(PLACE)[:2])
        if now != before:
            moved = True
        if moved and now == last:
            break
        last = now
    return moved
