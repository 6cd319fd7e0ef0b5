"""Plans keep every constraint, are the same every time, and say in words why there is none."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.design.model import BadDesign, Design, read_design
from annotate.design.plan import make_plan
from tests.design.check import broken

ENVIRONMENTS = ["gmail", "amazon", "lms", "booking", "reddit", "robinhood", "patient_portal"]
LEVELS = ["easy", "medium", "hard", "expert", "frontier"]
PRIMITIVES = ["verification", "patience", "grounding", "planning"]


def tasks(per_cell: int, environments: list[str] = ENVIRONMENTS, levels: list[str] = LEVELS) -> list[dict[str, Any]]:
    return [
        {
            "task": f"{environment}_{level}_{number:02}",
            "environment": environment,
            "difficulty": level,
            "variant": f"{environment}_{level}_{number:02}--v",
            "primitive": PRIMITIVES[number % 4],
        }
        for environment in environments
        for level in levels
        for number in range(per_cell)
    ]


def people(primary: int, duplicate: int = 0, **changes: dict[str, Any]) -> list[dict[str, Any]]:
    listed = [{"code": f"P{i}", "tier": "primary"} for i in range(1, primary + 1)]
    listed += [{"code": f"D{i}", "tier": "duplicate"} for i in range(1, duplicate + 1)]
    return [one | changes.get(one["code"], {}) for one in listed]


def design(**parts: Any) -> Design:
    return read_design({"seed": 7, "people": people(4, 4), "tasks": tasks(6)} | parts)


def human_140(**parts: Any) -> Design:
    return design(panel={"rule": "per_cell", "n": 4}, duplicates={"rule": "per_cell", "n": 1}, **parts)


def test_human_140_is_planned_to_proven_balance() -> None:
    made = human_140()
    plan = make_plan(made)
    assert broken(made, plan) == []
    assert plan.status == "optimal"
    assert (len(plan.panel), len(plan.assignments)) == (140, 280 + 35)
    told = plan.balance["people"]
    for code in ("P1", "P2", "P3", "P4"):
        assert told[code]["assignments"] == 70
        assert told[code]["attempts"] == 140
        assert told[code]["conditions"] == {"clean": 35, "intervention": 35}
        assert set(told[code]["difficulties"].values()) == {14}
        assert set(told[code]["environments"].values()) == {10}
    for code in ("D1", "D2", "D3", "D4"):
        assert told[code]["assignments"] in (8, 9)
        assert set(told[code]["environments"]) == set(ENVIRONMENTS)
    again = [one.condition for one in plan.assignments if one.role == "duplicate"]
    assert {again.count("clean"), again.count("intervention")} == {17, 18}


def test_designers_do_not_get_their_own_website() -> None:
    made = human_140(
        people=people(4, 4, P1={"excludes": ["gmail"]}, P2={"excludes": ["gmail"]}, D1={"excludes": ["lms"]})
    )
    plan = make_plan(made)
    assert broken(made, plan) == []
    assert plan.status == "optimal"
    assert {own["assignments"] for code, own in plan.balance["people"].items() if code.startswith("P")} == {70}


def test_the_same_design_gives_the_same_plan_and_another_seed_another() -> None:
    parts = {
        "people": people(3, 2),
        "tasks": tasks(3, ENVIRONMENTS[:2], LEVELS[:2]),
        "duplicates": {"rule": "per_cell", "n": 1},
    }
    one, again, other = (make_plan(design(**parts, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_environments_come_in_other_turns_and_conditions_take_turns() -> None:
    plan = make_plan(human_140())
    first = {one.code: one.environment for one in plan.assignments if one.position == 1 and one.role == "primary"}
    assert len(set(first.values())) == 4
    block = [one.condition for one in sorted(plan.assignments, key=lambda one: one.position) if one.code == "P1"][:10]
    assert all(1 <= block[start : start + 4].count("clean") <= 3 for start in range(7))


def test_a_task_without_a_variant_has_no_intervention() -> None:
    listed = tasks(2, ENVIRONMENTS[:1], LEVELS[:1])
    listed[0]["variant"] = None
    made = design(people=people(2), tasks=listed)
    plan = make_plan(made)
    assert broken(made, plan) == []
    assert len(plan.assignments) == 3


INFEASIBLE: dict[str, tuple[dict[str, Any], str]] = {
    "too few who may": (
        {
            "people": people(3, P1={"capacity": 10}, P2={"excludes": ["gmail"]}, P3={"capacity": 20}),
            "tasks": tasks(20, ["gmail", "lms"], ["easy"]),
        },
        "Only P1 and P3 may do gmail; they have 30 places left, 40 are needed.",
    ),
    "one who may, two conditions": (
        {"people": people(2, P2={"excludes": ["gmail"]}), "tasks": tasks(5, ["gmail"], ["easy"])},
        "Only P1 may do gmail; they have 5 places left, 10 are needed (nobody does one of the 5 tasks twice: clean and intervention "
        "go to different people).",
    ),
    "capacity altogether": (
        {"people": people(2, P1={"capacity": 3}, P2={"capacity": 4}), "tasks": tasks(2, ["gmail", "lms"], ["easy"])},
        "P1 and P2 may do gmail and lms; they have 7 places left, 8 are needed.",
    ),
    "nobody may": (
        {
            "people": people(2, P1={"excludes": ["lms"]}, P2={"excludes": ["lms"]}),
            "tasks": tasks(1, ["gmail", "lms"], ["easy"]),
        },
        "Nobody may do lms: everybody of the tier excludes it, and 2 assignments are needed.",
    ),
    "no primary": ({"people": people(0, 2), "tasks": tasks(1, ["gmail"], ["easy"])}, "Nobody is of the tier primary"),
    "no duplicate people": (
        {"people": people(2), "tasks": tasks(1, ["gmail"], ["easy"]), "duplicates": {"rule": "per_cell", "n": 1}},
        "1 duplicates are wanted, but nobody is of the tier duplicate.",
    ),
    "small cells": (
        {"people": people(2), "tasks": tasks(2, ["gmail"], ["easy"]), "panel": {"rule": "per_cell", "n": 3}},
        "The panel takes 3 tasks of each environment × difficulty, but gmail/easy has 2.",
    ),
}


@pytest.mark.parametrize(("parts", "words"), INFEASIBLE.values(), ids=INFEASIBLE.keys())
def test_a_design_that_cannot_be_says_why(parts: dict[str, Any], words: str) -> None:
    plan = make_plan(design(**parts))
    assert (plan.status, plan.assignments) == ("infeasible", ())
    assert any(sentence.startswith(words) for sentence in plan.conflicts), plan.conflicts


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a person twice": ({"people": [*people(1), *people(1)]}, "people: P1 is there more than once"),
    "a task twice": ({"tasks": [*tasks(1, ["gmail"]), *tasks(1, ["gmail"])]}, "tasks: gmail_easy_00"),
    "an unknown environment": (
        {"people": people(1, P1={"excludes": ["gmial"]})},
        "P1 excludes gmial, which no task has",
    ),
    "an unknown field": ({"poeple": []}, "poeple: Extra inputs are not permitted"),
    "a negative capacity": ({"people": people(1, P1={"capacity": -1})}, "people.0.capacity"),
    "an unknown condition": ({"conditions": ["noisy"]}, "conditions.0"),
    "no condition": ({"conditions": []}, "name each condition once"),
}


@pytest.mark.parametrize(("parts", "words"), BAD.values(), ids=BAD.keys())
def test_what_is_no_design_is_refused(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(BadDesign) as raised:
        design(**parts)
    assert words in raised.value.message


@st.composite
def designs(draw: st.DrawFn) -> Design:
    environments = ENVIRONMENTS[: draw(st.integers(1, 3))]
    levels = LEVELS[: draw(st.integers(1, 2))]
    listed = tasks(draw(st.integers(1, 4)), environments, levels)
    for task in listed:
        if draw(st.integers(0, 5)) == 0:
            task["variant"] = None
    crowd = people(draw(st.integers(1, 4)), draw(st.integers(0, 2)))
    for person in crowd:
        person["excludes"] = draw(st.lists(st.sampled_from(environments), max_size=1))
        person["capacity"] = draw(st.one_of(st.none(), st.integers(0, 30)))
    parts: dict[str, Any] = {"people": crowd, "tasks": listed, "seed": draw(st.integers(0, 9))}
    parts["panel"] = draw(st.sampled_from([{"rule": "all"}, {"rule": "per_cell", "n": 1}]))
    parts["duplicates"] = draw(st.sampled_from([None, {"rule": "per_cell", "n": 1}]))
    parts["conditions"] = draw(st.sampled_from([["clean"], ["clean", "intervention"]]))
    return read_design(parts)


@settings(max_examples=40, deadline=None)
@given(designs())
def test_every_plan_keeps_every_constraint(made: Design) -> None:
    """And where there is none, the conflict is a known one, never the solver's."""
    plan = make_plan(made, seconds=2)
    if plan.status == "infeasible":
        assert plan.conflicts
        assert not any("solver" in sentence for sentence in plan.conflicts)
    else:
        assert broken(made, plan) == []


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "design.json"
    path.write_text(json.dumps({"people": people(2), "tasks": tasks(1, ["gmail"], ["easy"])}))
    out = StringIO()
    call_command("plan_study", path, json=True, stdout=out)
    plan = json.loads(out.getvalue())
    assert (plan["status"], plan["panel"], len(plan["assignments"])) == ("optimal", ["gmail_easy_00"], 2)
    path.write_text(json.dumps({"people": people(1), "tasks": tasks(1, ["gmail"], ["easy"])}))
    out = StringIO()
    with pytest.raises(CommandError, match="No plan exists:\n  P1 may do gmail; they have 1 place left, 2 are needed"):
        call_command("plan_study", path, json=True, stdout=out)
    assert json.loads(out.getvalue())["status"] == "infeasible"


def test_a_panel_that_cells_are_too_small_for_is_not_called_empty_too() -> None:
    tasks = [{"task": "t1", "environment": "shop", "difficulty": "easy", "variant": "v"}]
    people = [{"code": "P1", "tier": "primary"}, {"code": "P2", "tier": "primary"}]
    found = make_plan(read_design({"panel": {"rule": "per_cell", "n": 4}, "people": people, "tasks": tasks}))
    assert len(found.conflicts) == 1
    assert "shop/easy has 1" in found.conflicts[0]
