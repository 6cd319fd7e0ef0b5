"""Replans: what was begun stays, every constraint holds with it counted in, little else moves, and why there is none."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.design.model import Assignment, Design, Plan, read_design
from annotate.design.plan import make_plan
from annotate.design.replan import replan
from tests.design.check import broken_replan, place
from tests.design.test_plan import ENVIRONMENTS, LEVELS, design, human_140, people, tasks


def halves(plan: Plan, begun: int) -> tuple[list[Assignment], list[Assignment]]:
    """The first `begun` of everybody's list as begun, and the rest."""
    fixed = [one for one in plan.assignments if one.position <= begun]
    return fixed, [one for one in plan.assignments if one.position > begun]


def moved(rest: list[Assignment], plan: Plan) -> list[Assignment]:
    """What somebody else has now."""
    holders = {place(one): one.code for one in rest}
    return [one for one in plan.assignments if place(one) in holders and holders[place(one)] != one.code]


def with_people(made: Design, crowd: list[dict[str, Any]]) -> Design:
    return read_design(made.model_dump() | {"people": crowd})


def test_nothing_moves_where_nothing_changed() -> None:
    made = human_140()
    fixed, rest = halves(make_plan(made), 20)
    plan = replan(made, fixed, rest)
    assert broken_replan(made, fixed, rest, [], plan) == []
    assert moved(rest, plan) == []


def test_who_leaves_is_replaced_evenly_and_the_others_keep_theirs() -> None:
    made = human_140()
    fixed, rest = halves(make_plan(made), 20)
    three = with_people(made, [one for one in people(4, 4) if one["code"] != "P2"])
    plan = replan(three, fixed, rest)
    assert broken_replan(three, fixed, rest, [], plan) == []
    loads = [plan.balance["people"][code]["assignments"] for code in ("P1", "P3", "P4")]
    assert sum(loads) == 280 - 20
    assert max(loads) - min(loads) <= 1
    given_away = [one for one in rest if one.code == "P2"]
    others = [one for one in moved(rest, plan) if place(one) not in set(map(place, given_away))]
    assert len(others) <= len(given_away) / 2


def test_who_joins_gets_a_fair_share_of_the_rest() -> None:
    made = human_140()
    fixed, rest = halves(make_plan(made), 10)
    five = with_people(made, people(5, 4))
    plan = replan(five, fixed, rest)
    assert broken_replan(five, fixed, rest, [], plan) == []
    loads = {code: plan.balance["people"][code]["assignments"] for code in ("P1", "P2", "P3", "P4", "P5")}
    assert set(loads.values()) == {56}


def test_a_lower_capacity_below_what_was_begun_takes_everything_open() -> None:
    made = design(people=people(3), tasks=tasks(4, ENVIRONMENTS[:2], LEVELS[:1]))
    fixed, rest = halves(make_plan(made), 2)
    tired = with_people(made, people(3, P1={"capacity": 1}))
    plan = replan(tired, fixed, rest)
    assert broken_replan(tired, fixed, rest, [], plan) == []
    assert [one for one in plan.assignments if one.code == "P1"] == [one for one in fixed if one.code == "P1"]


def test_duplicates_go_to_others_of_their_tier() -> None:
    made = human_140()
    fixed, rest = halves(make_plan(made), 3)
    fewer = with_people(made, [one for one in people(4, 4) if one["code"] != "D3"])
    plan = replan(fewer, fixed, rest)
    assert broken_replan(fewer, fixed, rest, [], plan) == []
    loads = [plan.balance["people"][code]["assignments"] for code in ("D1", "D2", "D4")]
    assert max(loads) - min(loads) <= 1


def test_what_nobody_has_is_given_to_somebody() -> None:
    made = design(people=people(2), tasks=tasks(2, ENVIRONMENTS[:1], LEVELS[:1]))
    plan = make_plan(made)
    rest = [one.model_copy(update={"code": ""}) if one.position == 1 else one for one in plan.assignments]
    again = replan(made, [], rest)
    assert broken_replan(made, [], rest, [], again) == []


def test_the_same_input_gives_the_same_replan() -> None:
    made = design(people=people(3, 2), tasks=tasks(3, ENVIRONMENTS[:2]), duplicates={"rule": "per_cell", "n": 1})
    fixed, rest = halves(make_plan(made), 3)
    fewer = with_people(made, people(2, 2))
    assert replan(fewer, fixed, rest) == replan(fewer, fixed, rest)


def test_a_task_met_before_is_given_to_somebody_else() -> None:
    made = design(people=people(3), tasks=tasks(1, ENVIRONMENTS[:1], LEVELS[:1]), conditions=["clean"])
    rest = [one.model_copy(update={"code": "P1"}) for one in make_plan(made).assignments]
    assert {one.code for one in replan(made, [], rest).assignments} == {"P1"}
    name = rest[0].task
    assert {one.code for one in replan(made, [], rest, [("P1", name), ("P2", name)]).assignments} == {"P3"}


def impossible() -> list[tuple[Design, list[Assignment], list[Assignment], str]]:
    small = design(people=people(2), tasks=tasks(2, ENVIRONMENTS[:1], LEVELS[:1]))
    plan = make_plan(small)
    clean = [one for one in plan.assignments if one.condition == "clean"]
    under = [one for one in plan.assignments if one.condition == "intervention"]
    alone = with_people(small, people(1))
    two = design(people=people(3), tasks=tasks(3, ["gmail", "lms"], ["easy"]))
    both = make_plan(two)
    return [
        (alone, clean, under, "Nobody is left who may do"),
        (
            with_people(two, people(3, P1={"capacity": 1}, P2={"capacity": 1}, P3={"excludes": ["lms"]})),
            [],
            list(both.assignments),
            r"P1 and P2 may still do lms; they have 2 places left, 6 are needed\.",
        ),
        (
            with_people(two, []),
            [],
            list(both.assignments),
            r"12 assignments are open, and nobody is of the tier primary\.",
        ),
    ]


@pytest.mark.parametrize(("made", "fixed", "rest", "words"), impossible(), ids=["met", "capacity", "nobody"])
def test_a_rest_that_cannot_be_placed_says_why(
    made: Design, fixed: list[Assignment], rest: list[Assignment], words: str
) -> None:
    plan = replan(made, fixed, rest)
    assert (plan.status, plan.assignments) == ("infeasible", ())
    assert re.search(words, " ".join(plan.conflicts)), plan.conflicts


def test_a_conflict_counts_the_tasks_that_are_meant() -> None:
    made = design(people=people(3), tasks=tasks(4, ["gmail"], ["easy"]))
    plan = make_plan(made)
    clean = [one.model_copy(update={"code": "P1"}) for one in plan.assignments if one.condition == "clean"]
    under = [one for one in plan.assignments if one.condition == "intervention"]
    less = with_people(made, people(3, P2={"capacity": 1}, P3={"capacity": 2}))
    told = replan(less, clean, under).conflicts
    assert told == ("Only P2 and P3 may still do gmail; they have 3 places left, 4 are needed.",)
    name = under[0].task
    told = replan(with_people(made, people(2)), clean, under, [("P2", name)]).conflicts
    assert told == (
        "Nobody is left who may do 1 task of gmail: 1 assignments are open, and everybody excludes them or has met them.",
    )


@st.composite
def changes(draw: st.DrawFn) -> tuple[Design, list[Assignment], list[Assignment], list[tuple[str, str]]]:
    """A planned study of which some was begun, and its people after some left, joined, or changed."""
    environments = ENVIRONMENTS[: draw(st.integers(1, 3))]
    listed = tasks(draw(st.integers(1, 4)), environments, LEVELS[: draw(st.integers(1, 2))])
    for task in listed:
        if draw(st.integers(0, 5)) == 0:
            task["variant"] = None
    primary, duplicate = draw(st.integers(2, 4)), draw(st.integers(0, 2))
    rule = {"rule": "per_cell", "n": 1} if duplicate else None
    made = read_design(
        {"people": people(primary, duplicate), "tasks": listed, "duplicates": rule, "seed": draw(st.integers(0, 3))}
    )
    fixed, rest = [], []
    for one in make_plan(made, seconds=1).assignments:
        (fixed if draw(st.booleans()) else rest).append(one)
    met = [(one.code, one.task) for one in rest if draw(st.integers(0, 9)) == 0]
    crowd = []
    for person in people(primary + draw(st.integers(0, 2)), duplicate + draw(st.integers(0, 1))):
        if draw(st.integers(0, 3)) == 0:
            continue
        person["excludes"] = draw(st.lists(st.sampled_from(environments), max_size=1))
        person["capacity"] = draw(st.one_of(st.none(), st.none(), st.integers(0, 30)))
        crowd.append(person)
    return with_people(made, crowd), fixed, rest, met


def keeps_everything(case: tuple[Design, list[Assignment], list[Assignment], list[tuple[str, str]]]) -> None:
    made, fixed, rest, met = case
    plan = replan(made, fixed, rest, met, seconds=1)
    if plan.status == "infeasible":
        assert plan.conflicts
        assert not any("solver" in sentence for sentence in plan.conflicts)
    else:
        assert broken_replan(made, fixed, rest, met, plan) == []


@settings(max_examples=40, deadline=None)
@given(changes())
def test_every_replan_keeps_every_constraint(
    case: tuple[Design, list[Assignment], list[Assignment], list[tuple[str, str]]],
) -> None:
    keeps_everything(case)
