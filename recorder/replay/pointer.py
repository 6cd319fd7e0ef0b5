"""Steps by the pointer: clicks, hovers, drags, scrolls."""

from __future__ import annotations

import time
from pathlib import Path

from recorder.replay.find import Found, look
from recorder.replay.hands import Gone, drag_along, press_at
from recorder.replay.player import Player
from recorder.replay.results import StepFailed
from recorder.replay.source import Step

SCROLL_TRIES = 40
NOTCH = 120.0  # px of one notch of a wheel
HOVER_MS = 120
REST_MS = 400  # after the pointer came to rest: what opens for it opens by then
LONGEST_REST_MS = 2000.0
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
    if step.get("path"):  # an unsteady press, which a slider follows
        points = shifted(step["path"], (at.x, at.y))
        drag_along(player.page, points, step.get("modifiers"), 1.0)
    else:
        press_at(player.page, at, step, count=int(step.get("clicks") or 1))
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


def follow(player: Player, way: list[tuple[float, float, float]]) -> None:
    """Move the pointer as it was moved, at its own speed: menus open for a pointer that rests on them."""
    dx, dy = player.frame_offset()
    before = way[0][2]
    for x, y, at in way:
        player.page.wait_for_timeout(max(0.0, min(at - before, LONGEST_REST_MS)))
        player.page.mouse.move(x + dx, y + dy)
        before = at
    player.page.wait_for_timeout(REST_MS)


# Drags


def drag(player: Player, step: Step) -> str:
    """Along the recorded path from where its start is now; at its end the element under it must be where it was then."""
    source, path = step.get("from") or step.get("target") or {}, step.get("path") or []
    begin = {"x": path[0][0], "y": path[0][1]} if path else {}
    found, start = player.aim(begin | {"target": source}, source)
    end = (start.x + path[-1][0] - path[0][0], start.y + path[-1][1] - path[0][1]) if path else end_of(player, step)
    points = moved_path(path, (start.x, start.y), end)
    speed = 1.0 if player.settings.pace == "original" else min(1.0, 600 / max(1.0, points[-1][2]))
    notes: list[str] = []
    drag_along(player.page, points, step.get("modifiers"), speed, lambda: correct(player, step, found, end, notes))
    return found.healed or "".join(notes)


def end_of(player: Player, step: Step) -> tuple[float, float]:
    """The middle of the drag's end, for a drag whose path is not known. Raises StepFailed."""
    box = player.find(step.get("to") or {}).element.bounding_box()
    if box is None:
        raise StepFailed("The drag's end is not shown.")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def correct(player: Player, step: Step, source: Found, end: tuple[float, float], notes: list[str]) -> None:
    """With the button still down: where the end's element is elsewhere than then, go to the same spot of it."""
    target, path = step.get("to") or {}, step.get("path") or []
    old = target.get("box")
    if not old or not path:
        return
    last = path[-1]
    if not (old[0] <= last[0] <= old[0] + old[2] and old[1] <= last[1] <= old[1] + old[3]):
        return  # the page put it elsewhere as the button went up: its box is of another moment
    found, _ = look(player.frame, target, {}, accept_changed=False)
    box = found.element.bounding_box() if found else None
    if found is None or box is None or same_thing(source, found):
        return
    x = box["x"] + (last[0] - old[0]) / (old[2] or 1) * box["width"]
    y = box["y"] + (last[1] - old[1]) / (old[3] or 1) * box["height"]
    if abs(x - end[0]) > 3 or abs(y - end[1]) > 3:
        player.page.mouse.move(x, y, steps=6)
        notes.append("its end had moved")


def same_thing(one: Found, other: Found) -> bool:
    """True where one element is the other or in it: what is dragged is where the pointer is."""
    return bool(one.element.evaluate("(a, b) => a === b || a.contains(b) || b.contains(a)", other.element))


def shifted(path: list[list[float]], start: tuple[float, float]) -> list[tuple[float, float, float]]:
    """The path from another start."""
    dx, dy = start[0] - path[0][0], start[1] - path[0][1]
    return [(x + dx, y + dy, at) for x, y, at in (point[:3] for point in path)]


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
    told = step.get("target") or {}
    target = {name: value for name, value in told.items() if name not in {"text", "name"}}  # what it shows changes
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
