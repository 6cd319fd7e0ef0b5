"""Alignment of steps: where two attempts part, and that the distance is one."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_admin.viewer.align import GAP, MOST, align, cost, identity


def step(kind: str, name: str = "", **more: Any) -> dict[str, Any]:
    return {"type": kind, "target": {"role": "button", "name": name}} | more


ADD, PAY, BACK = step("click", "Add"), step("click", "Pay"), step("back", "")
NOTE = step("fill", "Note")


def shape(left: list[dict[str, Any]], right: list[dict[str, Any]]) -> list[tuple[int | None, int | None, str]]:
    found = align(left, right)
    assert found is not None
    return [(pair.left, pair.right, pair.kind) for pair in found.pairs]


def test_the_same_steps_are_the_same() -> None:
    found = align([ADD, PAY], [ADD, PAY])
    assert found is not None
    assert (found.distance, found.parts_at, found.count("same")) == (0, None, 2)


def test_where_they_part() -> None:
    assert shape([ADD, NOTE, PAY], [ADD, PAY]) == [(0, 0, "same"), (1, None, "left"), (2, 1, "same")]
    assert shape([ADD, PAY], [ADD, BACK, PAY]) == [(0, 0, "same"), (None, 1, "right"), (1, 2, "same")]
    assert shape([ADD], [PAY]) == [(0, 0, "changed")]
    assert shape([], [PAY]) == [(None, 0, "right")]
    found = align([ADD, NOTE, PAY], [ADD, PAY])
    assert found is not None
    assert (found.distance, found.parts_at) == (1, 1)


def test_what_an_element_is_known_by() -> None:
    assert identity({"type": "click", "target": {"testid": "x", "css": "#a"}}) == ("click", "x")
    assert identity({"type": "click", "target": {"css": "#a"}}) == ("click", "#a")
    assert identity({"type": "press", "key": "Enter"}) == ("press", "Enter")
    one = {"type": "goto", "url": "http://abc.env.localhost/cart?session=1"}
    assert identity(one) == identity(one | {"url": "http://xyz.env.localhost/cart?session=2"}) == ("goto", "cart")
    assert identity({"type": "drag", "from": {"css": "#a"}, "to": {"css": "#b"}}) == ("drag", "#a")


def test_too_many_steps_are_said() -> None:
    assert align([ADD] * (MOST + 1), [ADD]) is None


few = st.lists(st.sampled_from([ADD, PAY, NOTE, BACK]), max_size=5)


def cheapest(left: list[dict[str, Any]], right: list[dict[str, Any]]) -> int:
    """By trying everything."""
    if not left or not right:
        return GAP * (len(left) + len(right))
    return min(
        cheapest(left[1:], right[1:]) + cost(identity(left[0]), identity(right[0])),
        cheapest(left[1:], right) + GAP,
        cheapest(left, right[1:]) + GAP,
    )


@settings(max_examples=40, deadline=None)
@given(few, few)
def test_it_is_the_cheapest_and_holds_every_step_once(left: list[dict[str, Any]], right: list[dict[str, Any]]) -> None:
    found = align(left, right)
    assert found is not None
    assert [pair.left for pair in found.pairs if pair.left is not None] == list(range(len(left)))
    assert [pair.right for pair in found.pairs if pair.right is not None] == list(range(len(right)))
    paid = sum(
        GAP if pair.left is None or pair.right is None else cost(identity(left[pair.left]), identity(right[pair.right]))
        for pair in found.pairs
    )
    assert paid == cheapest(left, right)


def test_costs_are_symmetric_and_a_change_is_cheaper_than_two_gaps() -> None:
    keys = [identity(one) for one in (ADD, PAY, NOTE, BACK)]
    for one, other in product(keys, keys):
        assert cost(one, other) == cost(other, one) < 2 * GAP
