from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_admin.benchmark.engine.changes import differences
from tasks_admin.benchmark.engine.matching import maximum_matching
from tasks_admin.benchmark.engine.predicates import holds, one_of, pairs_off, same_set, same_text, satisfies
from tasks_admin.benchmark.engine.scoring import Create, Delete, Free, Protect, Spec, Update, score

EDGES = st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=5)
ROWS = st.dictionaries(st.integers(1, 6), st.fixed_dictionaries({"a": st.integers(0, 2), "b": st.integers(0, 2)}))
WHERE = st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 2))


def table(rows: dict) -> dict:
    return {"things": [{"id": key, **row} for key, row in rows.items()]}


def best_by_hand(edges: list) -> int:
    rights = list(range(5)) + [None] * len(edges)
    return max(sum(r in e for e, r in zip(edges, p, strict=False)) for p in permutations(rights, len(edges)))


@given(EDGES.filter(lambda edges: len(edges) < 4))
def test_matching_is_a_matching_and_maximum(edges: list) -> None:
    found = maximum_matching(edges)
    assert len(set(found.values())) == len(found)
    assert all(right in edges[left] for left, right in found.items())
    assert len(found) == best_by_hand(edges)


def test_matching_gives_way_where_a_greedy_one_would_not() -> None:
    assert maximum_matching([[0, 1], [0]]) == {0: 1, 1: 0}


@given(ROWS, ROWS, st.lists(WHERE, min_size=1, max_size=3))
def test_score_is_within_bounds_and_full_only_if_passed(before: dict, after: dict, wanted: list) -> None:
    spec = Spec((Create("new", "things", tuple(wanted)), Delete("gone", "things", tuple(wanted))))
    result = score(spec, table(before), table(after))
    assert 0.0 <= result.score <= 1.0
    assert (result.score == 1.0) == result.passed == all(line.passed for line in result.lines)


@given(ROWS, ROWS)
def test_every_change_is_a_violation_unless_free(before: dict, after: dict) -> None:
    spec = Spec((Update("nothing", "things", ()),))
    assert score(spec, table(before), table(after)).passed == (before == after)
    free = Spec(spec.obligations, free=(Free("things", rows=True),))
    assert score(free, table(before), table(after)).passed


@given(ROWS)
def test_nothing_differs_from_itself(rows: dict) -> None:
    assert differences(table(rows), table(rows)) == set()


@given(ROWS.filter(bool), st.data())
def test_update_covers_only_the_fields_it_names(before: dict, data) -> None:
    chosen = data.draw(st.sampled_from(sorted(before)))
    after = {key: dict(row) for key, row in before.items()}
    after[chosen]["a"] = 9
    spec = Spec((Update("a is nine", "things", (({"id": chosen}, {"a": 9}),)),))
    assert score(spec, table(before), table(after)).passed
    after[chosen]["b"] = 9
    result = score(spec, table(before), table(after))
    assert not result.passed
    assert result.score == 0.5


def test_partial_credit_counts_what_was_done() -> None:
    spec = Spec((Create("two", "things", ({"a": 1}, {"a": 2})),))
    result = score(spec, {"things": []}, {"things": [{"id": 1, "a": 2}]})
    assert result.score == 0.5
    assert result.lines[0].detail == "1 of 2 new rows as asked"


def test_one_row_does_not_serve_two_obligations_of_a_set() -> None:
    spec = Spec((Create("two alike", "things", ({"a": 1}, {"a": 1})),))
    assert not score(spec, {"things": []}, {"things": [{"id": 1, "a": 1}]}).passed


def test_weights_and_protection() -> None:
    before = {"things": [{"id": 1, "a": 0}, {"id": 2, "a": 0}], "safe": [{"id": 1, "x": 0}]}
    after = {"things": [{"id": 1, "a": 1}], "safe": [{"id": 1, "x": 1}]}
    spec = Spec(
        (Update("u", "things", (({"id": 1}, {"a": 1}),), weight=3), Create("c", "things", ({"a": 7},))),
        protect=(Protect("safe is safe", "safe", fields=("x",)),),
        free=(Free("things", where={"id": 2}, rows=True),),
    )
    result = score(spec, before, after)
    assert [line.passed for line in result.lines] == [True, False, False, True]
    assert result.score == pytest.approx(0.75 * 0.75)
    assert result.lines[2].detail == "safe 1: x changed"


def test_free_fields_do_not_free_the_row() -> None:
    spec = Spec((Update("nothing", "things", ()),), free=(Free("things", ("a",)),))
    assert score(spec, {"things": [{"id": 1, "a": 1}]}, {"things": [{"id": 1, "a": 2}]}).passed
    assert not score(spec, {"things": [{"id": 1, "a": 1}]}, {"things": []}).passed


def test_predicates() -> None:
    assert holds({"a": same_text("5  Juniper court")}, {"a": " 5 juniper Court "})
    assert holds({"a": one_of([1, 2])}, {"a": 2})
    assert holds({"a": satisfies("even", lambda value: value % 2 == 0)}, {"a": 4})
    assert not holds({"a": 1}, {"a": True})
    assert not holds({"a": 1}, {})
    assert pairs_off([{"a": 1}, {"a": 2}], [{"a": one_of([1, 2])}, {"a": 1}])
    assert not pairs_off([{"a": 1}, {"a": 2}, {"a": 3}], [{"a": 1}, {"a": 2}])
    assert not holds({"items": same_set({"a": 1})}, {"items": [{"a": 1}, {"a": 1}]})
