"""The componentbench cleaner: resets, pauses in typing, chords, and which of two passes is kept."""

from __future__ import annotations

from typing import Any

import pytest

from recorder.cleaning.componentbench import kept_pass
from recorder.cleaning.registry import clean_events

FIELD = {"xpath": "/html/body/input", "tag": "input", "editable": "line"}
BUTTON = {"xpath": "/html/body/button", "tag": "button"}
HOME = "http://site/task/1?mode=benchmark"


def key(t: float, name: str, *held: str, target: dict[str, Any] = FIELD) -> dict[str, Any]:
    return {"type": "keydown", "t": t, "key": name, "modifiers": list(held), "target": target}


def entered(t: float, value: str, how: str = "insertText") -> dict[str, Any]:
    return {"type": "input", "t": t, "value": value, "inputType": how, "target": FIELD}


def click(t: float) -> dict[str, Any]:
    return {"type": "click", "t": t, "target": BUTTON, "detail": 1, "x": 1, "y": 1}


def page(t: float, how: str, origin: str = "user", url: str = HOME, **more: Any) -> dict[str, Any]:
    return {"type": "navigate", "t": t, "how": how, "url": url, "origin": origin} | more


def told(events: list[dict[str, Any]]) -> list[tuple[str, Any, list[int]]]:
    cleaned = clean_events(events, "componentbench").cleaned
    return [(e["type"], e.get("value", e.get("key")), e["raw"]) for e in cleaned if e["type"] != "navigate"]


def test_typing_with_short_pauses_is_one_fill() -> None:
    events = [key(0, "a"), entered(1, "a"), key(800, "b"), entered(801, "ab")]
    assert told(events) == [("fill", "ab", [0, 3])]


def test_a_pause_over_800_ms_begins_another_fill() -> None:
    events = [key(0, "a"), entered(1, "a"), key(802, "b"), entered(803, "ab")]
    assert told(events) == [("fill", "a", [0, 1]), ("fill", "ab", [2, 3])]


def test_a_deletion_is_a_press_of_its_own() -> None:
    events = [
        key(0, "a"),
        entered(1, "a"),
        key(50, "Backspace"),
        entered(51, "", "deleteContentBackward"),
        key(90, "b"),
    ]
    assert told([*events, entered(91, "b")]) == [
        ("fill", "a", [0, 1]),
        ("keydown", "Backspace", [2, 3]),
        ("fill", "b", [4, 5]),
    ]


def test_a_chord_is_one_press() -> None:
    events = [key(0, "Control", "Control"), key(150, "a", "Control")]
    assert told(events) == [("keydown", "a", [0, 1])]
    (step,) = clean_events(events, "componentbench").steps
    assert (step["type"], step["key"], step["t"], step["t_end"]) == ("press", "Control+a", 0, 150)


@pytest.mark.parametrize("late", [key(201, "a", "Control"), key(100, "a")])
def test_a_modifier_pressed_long_before_or_not_held_is_not_of_the_chord(late: dict[str, Any]) -> None:
    assert [raw for *_, raw in told([key(0, "Control", "Control"), late])] == [[0, 0], [1, 1]]


def test_what_precedes_the_last_reload_goes() -> None:
    events = [page(0, "load", "page"), click(10), page(20, "reload"), click(30), page(40, "reload"), click(50)]
    assert told(events) == [("click", None, [5, 5])]


@pytest.mark.parametrize(
    "ending",
    [
        page(20, "reload", "page"),
        page(20, "back"),
        page(20, "load", cause="link"),
        page(20, "reload", url="http://site/other"),
        page(20, "reload", frame="0"),
    ],
    ids=["by a script", "over the history", "over a link", "of another page", "of a frame"],
)
def test_other_ways_to_the_page_are_no_reset(ending: dict[str, Any]) -> None:
    assert len(told([page(0, "load", "page"), click(10), ending, click(30)])) == 2


def test_a_reload_that_nothing_followed_leaves_the_trace() -> None:
    assert told([page(0, "load", "page"), click(10), page(20, "reload")]) == [("click", None, [1, 1])]


PASSES: dict[str, tuple[list[tuple[bool, int, int]], int | None]] = {
    "fewer steps": ([(True, 3, 900), (True, 2, 5000)], 1),
    "then shorter": ([(True, 3, 900), (True, 3, 901)], 0),
    "then later": ([(True, 3, 900), (True, 3, 900)], 1),
    "only what passed": ([(False, 1, 100), (True, 9, 900)], 1),
    "hover only loses": ([(True, 0, 100), (True, 4, 900)], 1),
    "unless all are": ([(True, 0, 100), (True, 0, 100)], 1),
    "none passed": ([(False, 1, 1)], None),
}


@pytest.mark.parametrize(("passes", "kept"), PASSES.values(), ids=PASSES.keys())
def test_the_shorter_successful_pass_is_kept(passes: list[tuple[bool, int, int]], kept: int | None) -> None:
    rows = [{"passed": passed, "steps": steps, "wall_ms": ms} for passed, steps, ms in passes]
    assert kept_pass(rows) == (None if kept is None else rows[kept])
