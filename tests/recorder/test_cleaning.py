"""The human140 cleaner: the binding vectors, and what must hold for any list of events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder.cleaning import componentbench
from recorder.cleaning.order import is_user, ordered
from recorder.cleaning.registry import clean_events, clean_stream, get_cleaner
from recorder.errors import FootpathError

VECTORS = sorted((Path(__file__).parents[1] / "vectors" / "cleaning").glob("*.json"))
FIELD = {"xpath": "/html/body/input[1]", "tag": "input", "editable": "line"}
OTHER = {"xpath": "/html/body/textarea", "tag": "textarea", "editable": "block"}
BOX = {"xpath": "/html/body/div", "tag": "div"}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vector(path: Path) -> None:
    vector = json.loads(path.read_text())
    untouched = json.dumps(vector["events"])
    assert clean_events(vector["events"]).cleaned == vector["cleaned"]
    assert json.dumps(vector["events"]) == untouched


def shapes() -> st.SearchStrategy[dict[str, Any]]:
    target = st.sampled_from([FIELD, OTHER, BOX])
    origin = st.sampled_from(["user", "user", "user", "page"])
    key = st.sampled_from(
        ["a", "b", "é", "Enter", "Tab", "Escape", "Backspace", "ArrowLeft", "Control", "Process", "F5", " "]
    )
    held = st.sampled_from([[], [], ["Control"], ["Shift"], ["Alt"], ["Control", "Alt"], ["AltGraph"]])
    kinds = st.sampled_from(["insertText", "insertLineBreak", "insertFromPaste", "deleteByCut"])
    effect = st.sampled_from([None, "hover", "selection"])
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("keydown"), "key": key, "modifiers": held, "target": target, "origin": origin}
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("input"),
                "value": st.text(max_size=3),
                "inputType": kinds,
                "target": target,
                "origin": origin,
            }
        ),
        st.fixed_dictionaries(
            {"type": st.just("scroll"), "dx": st.just(0), "dy": st.integers(-9, 9), "target": target, "origin": origin}
        ),
        st.fixed_dictionaries({"type": st.just("mousemove"), "effect": effect, "target": target, "origin": origin}),
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    ["click", "dblclick", "contextmenu", "auxclick", "copy", "cut", "paste", "change", "focus"]
                ),
                "detail": st.integers(0, 3),
                "value": st.text(max_size=2),
                "target": target,
                "origin": origin,
            }
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("navigate"),
                "how": st.sampled_from(["load", "reload", "back", "pop", "push"]),
                "cause": st.sampled_from(["typed", "link", "traversal", "script"]),
                "origin": origin,
            }
        ),
        st.fixed_dictionaries({"type": st.just("drag"), "from": target, "to": target, "origin": origin}),
        st.fixed_dictionaries(
            {"type": st.just("dialog"), "kind": st.just("confirm"), "answer": st.booleans(), "origin": origin}
        ),
    )


def timed(shapes: list[tuple[dict[str, Any], int, int]]) -> list[dict[str, Any]]:
    """The shapes as events with growing times, in the order that recordings have."""
    t, events = 0.0, []
    for n, (shape, gap, tab) in enumerate(shapes):
        t += gap
        events.append(shape | {"t": t, "n": n, "doc": f"d{tab}", "tab": tab, "frame": ""})
    return ordered(events)


EVENTS = st.lists(st.tuples(shapes(), st.integers(0, 500), st.sampled_from([1, 1, 1, 2])), max_size=40).map(timed)


CLEANERS = st.sampled_from(["human140", "componentbench"])


@given(EVENTS, CLEANERS)
def test_no_user_operation_vanishes(events: list[dict[str, Any]], cleaner: str) -> None:
    cleaned = clean_events(events, cleaner).cleaned
    covered = {i for event in cleaned for i in range(event["raw"][0], event["raw"][1] + 1)}
    begin = componentbench.last_reset(events) if cleaner == "componentbench" else 0
    gone = [e for i, e in enumerate(events) if is_user(e) and i not in covered and i >= begin]
    assert all(e["type"] == "mousemove" and not e.get("effect") for e in gone)


@given(EVENTS, CLEANERS)
def test_ranges_are_ordered_and_disjoint_and_time_is_monotonic(events: list[dict[str, Any]], cleaner: str) -> None:
    result = clean_events(events, cleaner)
    ends = -1
    for event in result.cleaned:
        first, last = event["raw"]
        assert ends < first <= last < len(events)
        ends = last
    for listed in (result.cleaned, result.steps):
        times = [event["t"] for event in listed]
        assert times == sorted(times)
        assert all(event["t"] <= event.get("t_end", event["t"]) for event in listed)


@given(EVENTS, CLEANERS)
def test_page_events_never_change_the_result(events: list[dict[str, Any]], cleaner: str) -> None:
    def without_indexes(listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{k: v for k, v in event.items() if k != "raw"} for event in listed]

    alone = [event for event in events if is_user(event)]
    with_page, without = clean_events(events, cleaner), clean_events(alone, cleaner)
    assert without_indexes(with_page.cleaned) == without_indexes(without.cleaned)


@given(EVENTS, st.integers(0, 40))
def test_a_prefix_cleans_to_a_prefix(events: list[dict[str, Any]], length: int) -> None:
    """All but the last open run: the last cleaned event, and the keystrokes of a run in which nothing was entered yet."""
    whole, part = clean_events(events).cleaned, clean_events(events[:length]).cleaned
    runs = {(event["raw"][0], event["raw"][1]): event for event in whole}
    settled = [event for event in part if event["raw"][1] < open_since(events[:length])]
    assert all(runs[(event["raw"][0], event["raw"][1])] == event for event in settled)


def open_since(events: list[dict[str, Any]]) -> int:
    """Index from which the end of the list may still be read otherwise: the last stretch of user events on one element."""
    index = len(events)
    element = None
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if not is_user(event):
            continue
        here = (event["tab"], (event.get("target") or {}).get("xpath"), event["type"] == "scroll")
        if element is not None and here != element:
            break
        element, index = here, place
    return index


@given(EVENTS, CLEANERS)
def test_steps_never_exceed_cleaned_events_and_lie_in_range(events: list[dict[str, Any]], cleaner: str) -> None:
    result = clean_events(events, cleaner)
    assert len([s for s in result.steps if s["type"] != "tab"]) <= len(result.cleaned) <= len(result.events)
    assert all(0 <= s["raw"][0] <= s["raw"][1] < len(events) for s in result.steps)


@given(EVENTS)
def test_a_stream_gives_the_same(events: list[dict[str, Any]]) -> None:
    result = clean_events(events)
    streamed = list(clean_stream(iter(events)))
    assert [event for kind, event in streamed if kind == "cleaned"] == result.cleaned
    assert [event for kind, event in streamed if kind == "step"] == result.steps


def test_a_stream_must_be_in_order_and_cleaned_in_one_pass() -> None:
    with pytest.raises(FootpathError, match="event 1 .* comes before event 0"):
        list(clean_stream([{"type": "click", "t": 2}, {"type": "click", "t": 1}]))
    with pytest.raises(FootpathError, match="has to see all events first"):
        list(clean_stream([], "componentbench"))


def test_steps_are_given_out_while_the_stream_goes_on() -> None:
    """And what a stream holds does not grow with it: far more gestures than any can look back on."""
    clicks = ({"type": "click", "t": n * 3000.0, "target": BOX, "detail": 1, "x": 1, "y": 1} for n in range(5000))
    kinds = [kind for kind, _ in clean_stream(clicks)]
    assert kinds.index("step") < 1000
    assert kinds.count("step") == kinds.count("cleaned") == 5000


def test_the_order_is_t_then_tab_then_document_then_number() -> None:
    events = [
        {"type": "click", "t": t, "tab": tab, "doc": doc, "n": n}
        for t, tab, doc, n in [(5, 2, "a", 0), (5, 1, "b", 1), (5, 1, "b", 0), (1, 9, "z", 9)]
    ]
    assert [(e["t"], e["tab"], e["doc"], e["n"]) for e in ordered(events)] == [
        (1, 9, "z", 9),
        (5, 1, "b", 0),
        (5, 1, "b", 1),
        (5, 2, "a", 0),
    ]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([{"type": "click"}], "event 0 (click) has no time"),
        ([{"t": 1}], "event 0 has no 'type'"),
        (["x"], "event 0 is not a JSON object"),
        ([{"type": "click", "t": 0, "target": "x"}], "'target' must be dict"),
    ],
)
def test_what_cannot_be_placed_is_named(events: list[Any], words: str) -> None:
    with pytest.raises(FootpathError, match="event 0") as raised:
        clean_events(events)
    assert words in raised.value.message


def test_an_unknown_cleaner_is_refused_with_the_known_names() -> None:
    with pytest.raises(FootpathError) as raised:
        get_cleaner("nobody")
    assert raised.value.status == 400
    assert "human140" in raised.value.message
