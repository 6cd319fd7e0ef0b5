"""The event schema: the fast check and the JSON Schema made of the same table agree."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder import fast
from recorder.schema import COMMON, MAX_N, TARGET, TYPES, json_schema, problem

VALIDATOR = jsonschema.Draft202012Validator(json_schema())
GOOD: dict[str, Any] = {
    "doc": "abc_-1",
    "n": 0,
    "p": 1.5,
    "type": "click",
    "origin": "user",
    "x": 1,
    "target": {"tag": "a"},
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=4),
    st.sampled_from(["user", "page", "line", "load", "typed", "hover", "open"]),
    st.lists(st.one_of(st.text(max_size=2), st.integers()), max_size=5),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
NAMES = sorted({name.removesuffix("!") for fields in (COMMON, TARGET, *TYPES.values()) for name in fields} - {"type"})


@given(
    st.sampled_from([*TYPES, "unheard-of"]),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4),
    st.one_of(st.just({}), st.dictionaries(st.sampled_from(sorted(TARGET)), VALUES, max_size=3), VALUES),
    st.sets(st.sampled_from(["doc", "n", "p", "origin", "url", "how"]), max_size=1),
)
def test_check_and_json_schema_agree(kind: str, extra: dict[str, Any], target: Any, missing: set[str]) -> None:
    needed = {"key": "a", "url": "/", "how": "load", "action": "open", "kind": "alert", "reason": "fault"}
    event = GOOD | needed | {"type": kind, "target": target} | extra
    if kind == "drag":
        event.pop("how")
    for name in missing:
        event.pop(name, None)
    assert (problem(event) is None) == VALIDATOR.is_valid(event)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"type": "teleport"}, "no event type 'teleport'"),
        ({"n": -1}, "n must be a whole number from 0"),
        ({"n": True}, "n must be"),
        ({"p": "soon"}, "p must be a number"),
        ({"origin": "ghost"}, "origin must be one of user, page"),
        ({"doc": "a b"}, "doc must be an id"),
        ({"target": {"box": [1, 2]}}, "target.box must be four numbers"),
        ({"target": 5}, "target must be an object"),
    ],
)
def test_the_reason_names_the_field(change: dict[str, Any], words: str) -> None:
    assert words in str(problem(GOOD | change))


def test_unknown_fields_are_kept() -> None:
    assert problem(GOOD | {"later": [1]}) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from(sorted(TYPES)),
    st.data(),
)
def test_what_the_fast_check_takes_the_slow_one_takes_too(odd: Any, kind: str, data: st.DataObject) -> None:
    names = [label.removesuffix("!") for label in [*COMMON, *TYPES[kind], "target", "more"]]
    event = {
        "doc": "d",
        "n": 3,
        "p": 1.5,
        "type": kind,
        "origin": "user",
        "target": {"css": "#a", "box": [1, 2, 3, 4.5]},
    }
    event |= dict.fromkeys(data.draw(st.lists(st.sampled_from(names), max_size=2)), odd)
    text = json.dumps(event)
    taken = fast.check(text)
    if taken is not None:
        assert problem(json.loads(text)) is None
        assert taken == (event["doc"], event["n"])


def test_the_fast_check_leaves_what_is_no_json() -> None:
    good = '{"doc":"d","n":0,"p":1,"type":"click","origin":"user","x":null%s}'
    assert fast.check(good % "") == ("d", 0)
    for odd in (
        ',"more":NaN',
        ',"n":1.5',
        ',"doc":"d\\n"',
        ',"more":"\\ud800"',
        ',"p":true',
        ',"n":1e400',
        ',"more":' + "[" * 300,
    ):
        assert fast.check(good % odd) is None


def test_a_number_that_no_float_holds_is_refused() -> None:
    event = {"doc": "d", "n": 10**400, "p": 1, "type": "click", "origin": "user"}
    assert problem(event) == f"n must be a whole number from 0 to {MAX_N}"
    assert (problem(event | {"n": 1, "p": 10**400}) or "").startswith("p must be a number")
