"""The event schema: the fast check and the JSON Schema made of the same table agree."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder.schema import COMMON, TARGET, TYPES, json_schema, problem

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
