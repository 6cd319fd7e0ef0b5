"""Steps: one gesture is one step."""

from __future__ import annotations

from typing import Any

import pytest

from recorder.cleaning.registry import clean_events

FIELD = {"xpath": "/html/body/input[1]", "tag": "input", "editable": "line"}
BUTTON = {"xpath": "/html/body/button", "tag": "button", "role": "button"}
LABEL = {"xpath": "/html/body/label", "tag": "label"}
BOX = {"xpath": "/html/body/label/input", "tag": "input", "role": "checkbox"}
SELECT = {"xpath": "/html/body/select", "tag": "select", "role": "combobox"}
RANGE = {"xpath": "/html/body/input[2]", "tag": "input", "role": "slider"}
FILE = {"xpath": "/html/body/input[3]", "tag": "input"}
LIST = {"xpath": "/html/body/ul", "tag": "ul"}


def ev(name: str, t: float, target: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    event = {"type": name, "t": t, "tab": 1, "frame": "", "doc": "d", "origin": "user"} | fields
    return event | ({"target": target} if target else {})


def click(t: float, target: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return ev("click", t, target, **({"x": 9, "y": 9, "button": 0, "detail": 1} | fields))


def key(t: float, target: dict[str, Any], name: str, *held: str, **fields: Any) -> dict[str, Any]:
    return ev("keydown", t, target, key=name, modifiers=list(held), **fields)


def entered(t: float, target: dict[str, Any], value: Any, **fields: Any) -> dict[str, Any]:
    return ev("input", t, target, value=value, **({"inputType": "insertText"} | fields))


def load(t: float, **fields: Any) -> dict[str, Any]:
    return ev("navigate", t, **({"url": "/", "how": "load", "cause": "typed", "origin": "page"} | fields))


GESTURES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "a label and its twin": (
        [click(100, LABEL), click(101, BOX), ev("change", 102, BOX, checked=True)],
        [{"type": "click", "target": LABEL}],
    ),
    "a slow page between a label and its twin": (
        [click(100, LABEL), click(700, BOX), ev("change", 701, BOX, checked=True)],
        [{"type": "click", "target": LABEL}],
    ),
    "two quick clicks on two buttons": (
        [click(100, BUTTON), click(300, FIELD, x=80)],
        [{"type": "click"}, {"type": "click"}],
    ),
    "a field that the page empties after Enter": (
        [
            key(100, FIELD, "a"),
            entered(101, FIELD, "a"),
            key(300, FIELD, "Enter"),
            entered(340, FIELD, "", by="page", inputType=""),
        ],
        [{"type": "fill", "value": "a"}, {"type": "press", "key": "Enter"}],
    ),
    "a choice that the page puts into a field": (
        [click(100, BUTTON), entered(140, FIELD, "Tea", by="page", inputType="")],
        [{"type": "click"}],
    ),
    "a page that takes the keys and writes itself": (
        [key(100, FIELD, "a"), entered(130, FIELD, "A", by="page", inputType="")],
        [{"type": "fill", "value": "A"}],
    ),
    "a click soon after a drag of something else": (
        [
            ev("drag", 100, BUTTON, how="pointer", path=[[0, 0, 0], [90, 0, 80]], gesture=1, **{"from": BUTTON}),
            click(180, FIELD, gesture=2),
        ],
        [{"type": "drag"}, {"type": "click", "target": FIELD}],
    ),
    "Enter on a button": (
        [key(100, BUTTON, "Enter"), click(101, BUTTON, detail=0, x=0, y=0)],
        [{"type": "press", "key": "Enter", "target": BUTTON}],
    ),
    "Space on a box": (
        [key(100, BOX, " "), click(180, BOX, detail=0, x=0, y=0), ev("change", 181, BOX, checked=True)],
        [{"type": "press", "key": "Space"}],
    ),
    "Enter in a field submits by its button": (
        [
            key(100, FIELD, "t"),
            entered(101, FIELD, "t"),
            key(200, FIELD, "Enter"),
            ev("change", 201, FIELD, value="t"),
            click(201, BUTTON, detail=0, x=0, y=0),
            ev("submit", 202, FIELD),
        ],
        [{"type": "fill", "value": "t"}, {"type": "press", "key": "Enter"}],
    ),
    "a click without a mouse or key": ([click(100, BUTTON, detail=0, x=0, y=0)], [{"type": "click"}]),
    "a double click": (
        [click(100, BUTTON), click(220, BUTTON, detail=2), ev("dblclick", 221, BUTTON, detail=2)],
        [{"type": "dblclick", "t": 100, "t_end": 221}],
    ),
    "a triple click": (
        [click(1, FIELD), click(90, FIELD, detail=2), ev("dblclick", 91, FIELD), click(190, FIELD, detail=3)],
        [{"type": "dblclick", "clicks": 3}],
    ),
    "a native select by mouse": (
        [click(100, SELECT), entered(900, SELECT, "b"), ev("change", 901, SELECT, value="b", label="Bee", index=1)],
        [{"type": "select_option", "value": "b", "label": "Bee", "index": 1, "t": 100}],
    ),
    "a select opened and left": ([click(100, SELECT)], [{"type": "click"}]),
    "a select by keys": (
        [
            key(100, SELECT, "ArrowDown"),
            entered(101, SELECT, "b"),
            ev("change", 102, SELECT, value="b", index=1),
            key(300, SELECT, "ArrowDown"),
            entered(301, SELECT, "c"),
            ev("change", 302, SELECT, value="c", index=2),
        ],
        [{"type": "select_option", "value": "c", "index": 2}],
    ),
    "two choices in one select": (
        [
            click(100, SELECT),
            entered(900, SELECT, "b"),
            ev("change", 901, SELECT, value="b"),
            click(2000, SELECT),
            entered(2900, SELECT, "c"),
            ev("change", 2901, SELECT, value="c"),
        ],
        [{"type": "select_option", "value": "b"}, {"type": "select_option", "value": "c"}],
    ),
    "a range dragged": (
        [
            entered(100, RANGE, "3"),
            entered(150, RANGE, "50"),
            ev("change", 200, RANGE, value="50"),
            click(201, RANGE),
        ],
        [{"type": "set_value", "value": "50"}],
    ),
    "a range dragged and told as a drag too": (
        [
            entered(100, RANGE, "3"),
            entered(150, RANGE, "50"),
            ev("change", 200, RANGE, value="50"),
            ev("drag", 200, RANGE, **{"from": RANGE, "to": RANGE}),
            click(201, RANGE),
        ],
        [{"type": "set_value", "value": "50"}],
    ),
    "a range dragged twice": (
        [
            entered(100, RANGE, "3"),
            ev("change", 200, RANGE, value="3"),
            click(201, RANGE),
            entered(1000, RANGE, "9"),
            ev("change", 1100, RANGE, value="9"),
            click(1101, RANGE),
        ],
        [{"type": "set_value", "value": "3"}, {"type": "set_value", "value": "9"}],
    ),
    "a date typed": (
        [
            click(1, RANGE),
            key(100, RANGE, "1"),
            key(200, RANGE, "2"),
            key(250, RANGE, "Tab"),
            key(300, RANGE, "3"),
            entered(301, RANGE, "2026-03-12", inputType=""),
            ev("change", 302, RANGE, value="2026-03-12"),
            key(400, RANGE, "Tab"),
        ],
        [{"type": "click"}, {"type": "set_value", "value": "2026-03-12"}, {"type": "press", "key": "Tab"}],
    ),
    "a date picked": (
        [click(1, RANGE), entered(901, RANGE, "2026-03-12"), ev("change", 902, RANGE, value="2026-03-12")],
        [{"type": "set_value", "value": "2026-03-12"}],
    ),
    "files": (
        [
            click(1, BUTTON),
            click(2, FILE, origin="page", detail=0),
            entered(3000, FILE, "", files=["a.txt"]),
            ev("change", 3001, FILE, files=["a.txt"], value="C:\\fakepath\\a.txt"),
        ],
        [{"type": "upload", "files": ["a.txt"]}],
    ),
    "copy and paste by chord": (
        [
            click(1, FIELD),
            key(100, FIELD, "Control", "Control"),
            key(120, FIELD, "a", "Control"),
            key(200, FIELD, "Control", "Control"),
            key(220, FIELD, "c", "Control"),
            ev("copy", 221, FIELD, text="apricot"),
            key(300, FIELD, "Control", "Control"),
            key(320, FIELD, "v", "Control"),
            ev("paste", 321, FIELD, text="apricot"),
            entered(322, FIELD, "apricot", inputType="insertFromPaste"),
        ],
        [
            {"type": "click"},
            {"type": "press", "key": "Control+a"},
            {"type": "copy", "text": "apricot"},
            {"type": "paste", "text": "apricot"},
        ],
    ),
    "typing on after a paste": (
        [
            ev("paste", 1, FIELD, text="ab"),
            entered(2, FIELD, "ab", inputType="insertFromPaste"),
            key(100, FIELD, "c"),
            entered(101, FIELD, "abc"),
        ],
        [{"type": "paste"}, {"type": "fill", "value": "abc"}],
    ),
    "cut": (
        [
            key(120, FIELD, "x", "Control"),
            ev("cut", 121, FIELD, text="old"),
            entered(122, FIELD, "", inputType="deleteByCut"),
        ],
        [{"type": "press", "key": "Control+x", "text": "old"}],
    ),
    "a copy button of the page": ([click(1, BUTTON), ev("copy", 2, BUTTON, text="x")], [{"type": "click"}]),
    "typing, with the mouse nudged": (
        [
            key(0, FIELD, "a"),
            entered(2, FIELD, "a"),
            ev("mousemove", 50, LIST),
            key(80, FIELD, "b"),
            entered(82, FIELD, "ab"),
        ],
        [{"type": "fill", "value": "ab", "t": 0, "t_end": 82, "raw": [0, 4]}],
    ),
    "a second visit to a field": (
        [
            entered(2, FIELD, "a"),
            ev("blur", 50, FIELD),
            ev("focus", 60, FIELD),
            entered(82, FIELD, "ab"),
        ],
        [{"type": "fill", "value": "a"}, {"type": "fill", "value": "ab"}],
    ),
    "a shortcut with shift": ([key(1, FIELD, "Tab", "Shift")], [{"type": "press", "key": "Shift+Tab"}]),
    "a key held": (
        [key(1, LIST, "ArrowDown"), key(500, LIST, "ArrowDown", repeat=True), key(530, LIST, "ArrowDown", repeat=True)],
        [{"type": "press", "key": "ArrowDown", "repeats": 3}],
    ),
    "a page scrolled by key": (
        [key(1, LIST, "PageDown"), ev("scroll", 20, LIST, dx=0, dy=90), ev("scroll", 300, LIST, dx=0, dy=90)],
        [{"type": "press", "key": "PageDown"}],
    ),
    "a scroll with the mouse nudged": (
        [ev("scroll", 1, LIST, dx=0, dy=90), ev("mousemove", 20, LIST), ev("scroll", 100, LIST, dx=0, dy=90)],
        [{"type": "scroll", "dy": 180}],
    ),
    "a drag with a stray click": (
        [
            ev("mousemove", 50, LIST, effect="selection"),
            ev("drag", 100, LIST, **{"from": LIST, "to": BUTTON}),
            click(110, LIST),
        ],
        [{"type": "drag", "from": LIST, "to": BUTTON}],
    ),
    "a drag told at its end": (
        [
            ev("mousemove", 950, LIST, effect="hover"),
            ev("drag", 1000, LIST, **{"from": LIST, "to": BUTTON, "path": [[1, 1, 0], [9, 9, 200]], "gesture": 4}),
            click(1300, LIST, gesture=4),
        ],
        [{"type": "drag", "t": 800, "t_end": 1300}],
    ),
    "a label's box much later, by the page's word": (
        [click(1, LABEL, gesture=1, by="pointer"), click(3000, BOX, gesture=1, by="label", x=1)],
        [{"type": "click", "target": LABEL}],
    ),
    "two fast taps that the page says are two": (
        [click(1, LABEL, gesture=1, by="pointer"), click(31, BUTTON, gesture=2, by="pointer", x=200)],
        [{"type": "click"}, {"type": "click"}],
    ),
    "a hover over the same thing": (
        [ev("mousemove", 1, LIST, effect="hover"), ev("mousemove", 90, LIST, effect="hover"), click(200, BUTTON)],
        [{"type": "hover", "effect": "hover"}, {"type": "click"}],
    ),
    "a context menu": (
        [ev("contextmenu", 1, LIST, button=2), ev("auxclick", 3, LIST, button=2)],
        [{"type": "contextmenu"}],
    ),
    "dialogs": (
        [
            click(1, BUTTON),
            ev("dialog", 2, kind="confirm", text="?", answer=True),
            ev("dialog", 3, kind="prompt", answer="x"),
        ],
        [{"type": "click"}, {"type": "dialog", "answer": True}, {"type": "dialog", "answer": "x"}],
    ),
    "loads that something else caused": (
        [
            load(0),
            click(1, BUTTON),
            load(90, doc="e", cause="link"),
            load(200, doc="f", cause="redirect"),
            ev("navigate", 210, doc="f", how="push", cause="script", origin="page"),
        ],
        [{"type": "click"}],
    ),
    "a reload by key": (
        [load(0), key(100, LIST, "F5"), load(1500, doc="e", how="reload", cause="typed", origin="user")],
        [{"type": "reload"}],
    ),
    "a reload by button": ([load(0), load(1500, doc="e", how="reload", origin="user")], [{"type": "reload"}]),
    "back": (
        [load(0), load(90, doc="e", cause="link"), load(900, doc="f", how="back", cause="traversal", origin="user")],
        [{"type": "back"}],
    ),
    "an address typed": (
        [load(0, origin="user"), load(900, doc="f", origin="user", url="/x")],
        [{"type": "goto", "url": "/x"}],
    ),
    "a tab that a click opened": (
        [load(0), click(100, BUTTON), load(300, tab=2, doc="e", cause="link"), click(900, BUTTON, tab=2, doc="e")],
        [{"type": "click"}, {"type": "click", "tab": 2}],
    ),
    "back to the first tab": (
        [
            load(0),
            click(100, BUTTON),
            load(300, tab=2, doc="e", cause="link"),
            click(900, BUTTON, tab=2, doc="e"),
            ev("visibility", 1500, state="visible"),
            click(1900, BUTTON),
        ],
        [{"type": "click"}, {"type": "click"}, {"type": "tab", "tab": 1, "t": 1500}, {"type": "click"}],
    ),
    "a tab closed": (
        [
            load(0),
            click(100, BUTTON),
            load(300, tab=2, doc="e", cause="link"),
            ev("tab", 900, tab=2, doc="e", action="close"),
            click(1900, BUTTON),
        ],
        [{"type": "click"}, {"type": "tab", "action": "close"}, {"type": "click"}],
    ),
    "what a script did": (
        [click(1, BUTTON), click(2, FIELD, origin="page"), ev("scroll", 3, LIST, dy=9, origin="page")],
        [{"type": "click", "target": BUTTON}],
    ),
    "text that only a change told": ([ev("change", 1, FIELD, value="x")], [{"type": "fill", "value": "x"}]),
    "a box changed by dictation": ([ev("change", 1, BOX, checked=True)], [{"type": "check", "checked": True}]),
}


@pytest.mark.parametrize("name", GESTURES)
def test_gesture(name: str) -> None:
    events, want = GESTURES[name]
    steps = clean_events(events).steps
    assert [step["type"] for step in steps] == [step["type"] for step in want]
    for step, wanted in zip(steps, want, strict=True):
        assert {field: step.get(field) for field in wanted} == wanted


def test_secret_text_is_one_fill_with_its_length() -> None:
    secret = FIELD | {"secret": True}
    events = [key(0, secret, ""), entered(1, secret, 1), key(50, secret, ""), entered(51, secret, 2)]
    (step,) = clean_events(events).steps
    assert (step["type"], step["value"], step["target"]["secret"]) == ("fill", 2, True)


def test_a_step_carries_its_time_target_and_range() -> None:
    (step,) = clean_events([click(100.5, BUTTON)]).steps
    assert step == {
        "type": "click",
        "t": 100.5,
        "t_end": 100.5,
        "doc": "d",
        "tab": 1,
        "frame": "",
        "target": BUTTON,
        "x": 9,
        "y": 9,
        "button": 0,
        "raw": [0, 0],
    }


@pytest.mark.parametrize("target", [{}, {"target": None}])
@pytest.mark.parametrize("cleaner", ["human140", "componentbench"])
def test_what_names_no_element_stops_no_cleaning(target: dict[str, Any], cleaner: str) -> None:
    twins = [click(5, LABEL) | target, click(700, BOX, by="keyboard") | target]
    events = [ev("change", 0) | target, ev("change", 1, value="a") | target, *twins]
    clean_events([event | {"n": n} for n, event in enumerate(events)], cleaner)
