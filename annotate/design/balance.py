"""How many tasks of each cell and condition each person does: a CP-SAT model over counts.

Tasks of one cell are alike, so only counts matter: n[cell, condition, person]. Clean and intervention of a task can go to
different people exactly where nobody's counts of a cell add up to more than its tasks. Those, exclusions and capacities are
hard; the objective is balance, in this order: the people's loads, their conditions, their difficulties × conditions, and their
cells × conditions, each as the sum of the gaps between the most and the least that somebody who may do it gets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from annotate.design.model import Somebody

WEIGHTS = {"loads": 1000, "conditions": 100, "split": 100, "environments": 10, "difficulties": 10, "cells": 1}
QUICK = 0.1  # of the solver's deterministic time
Cell = tuple[str, str, bool]  # environment, difficulty, has a variant
Key = tuple[tuple[Any, ...], str, str]  # what is alike (it begins with environment and difficulty), condition, code


@dataclass(frozen=True)
class Solved:
    """Counts, whether balance is proven best, the objective and its bound; `counts` is None where there is none."""

    counts: dict[Key, int] | None
    optimal: bool
    objective: float
    bound: float


def solve(
    cells: Mapping[Cell, int], conditions: Sequence[str], people: Sequence[Somebody], seconds: float, seed: int
) -> Solved:
    """Counts for `cells` (tasks in each). `seconds` bounds the search in the solver's deterministic time, so that a plan repeats."""
    model = cp_model.CpModel()
    n: dict[Key, cp_model.IntVar] = {}
    for cell, tasks in cells.items():
        used = [condition for condition in conditions if condition == "clean" or cell[2]]
        able = [person for person in people if cell[0] not in person.excludes]
        for condition in used:
            for person in able:
                n[cell, condition, person.code] = model.new_int_var(0, tasks, f"{cell}/{condition}/{person.code}")
            model.add(sum(n[cell, condition, person.code] for person in able) == tasks)
        for person in able:
            model.add(sum(n[cell, condition, person.code] for condition in used) <= tasks)
    for person in people:
        if person.capacity is not None:
            model.add(sum(var for key, var in n.items() if key[2] == person.code) <= person.capacity)
    minimize(model, gaps(model, n, GROUPINGS, lambda parts: sum(cells[cell] for cell, _ in parts)))
    return run(model, n, seconds, seed)


def solve_duplicates(
    cells: Mapping[Cell, int],
    conditions: Sequence[str],
    people: Sequence[Somebody],
    wanted: Mapping[Cell, int],
    seconds: float,
    seed: int,
) -> Solved:
    """Counts for the duplicates: `wanted` different tasks of each cell, each under one condition, done once.

    Balanced are the people's loads, their conditions and both conditions altogether, their environments, their difficulties.
    """
    model = cp_model.CpModel()
    n: dict[Key, cp_model.IntVar] = {}
    for cell, number in wanted.items():
        for condition in conditions:
            for person in people:
                if cell[0] not in person.excludes and (condition == "clean" or cell[2]):
                    n[cell, condition, person.code] = model.new_int_var(0, number, f"{cell}/{condition}/{person.code}")
        model.add(sum(var for key, var in n.items() if key[0] == cell) == number)
    for person in people:
        if person.capacity is not None:
            model.add(sum(var for key, var in n.items() if key[2] == person.code) <= person.capacity)
    found = gaps(model, n, DUPLICATE_GROUPINGS, lambda parts: None)
    if len(conditions) > 1:
        sums = [sum(var for key, var in n.items() if key[1] == condition) for condition in conditions]
        found.append(("split", gap(model, sums, None, sum(wanted.values()), "split")))
    minimize(model, found)
    return run(model, n, seconds, seed)


def minimize(model: cp_model.CpModel, found: Sequence[tuple[str, cp_model.IntVar]]) -> None:
    model.minimize(sum(WEIGHTS[name] * one for name, one in found))


GROUPINGS: dict[str, Callable[[Key], object]] = {
    "loads": lambda key: "all",
    "conditions": lambda key: key[1],
    "difficulties": lambda key: (key[0][1], key[1]),
    "cells": lambda key: (key[0][:2], key[1]),
}
DUPLICATE_GROUPINGS: dict[str, Callable[[Key], object]] = {
    "loads": lambda key: "all",
    "conditions": lambda key: key[1],
    "environments": lambda key: key[0][0],
    "difficulties": lambda key: key[0][1],
}


def gaps(
    model: cp_model.CpModel,
    n: Mapping[Key, cp_model.IntVar],
    groupings: Mapping[str, Callable[[Key], object]],
    total_of: Callable[[set[tuple[Any, str]]], int | None],
) -> list[tuple[str, cp_model.IntVar]]:
    """Named gaps between the most and the least, over those who may do any of it; `total_of` what a group adds up to, if fixed."""
    found = []
    for name, group in groupings.items():
        parts: dict[object, dict[str, list[cp_model.IntVar]]] = defaultdict(lambda: defaultdict(list))
        members: dict[object, set[tuple[Any, str]]] = defaultdict(set)
        for key, var in n.items():
            parts[group(key)][key[2]].append(var)
            members[group(key)].add(key[:2])
        for label, by_person in parts.items():
            if len(by_person) > 1:
                sums = [sum(own) for own in by_person.values()]
                found.append((name, gap(model, sums, total_of(members[label]), 10**6, f"{name}/{label}")))
    return found


def gap(
    model: cp_model.CpModel,
    sums: Sequence[cp_model.LinearExprT],
    total: int | None,
    most: int,
    name: str,
    guess: Sequence[int] = (),
) -> cp_model.IntVar:
    """At least the difference between the largest and the smallest of `sums`, which add up to `total` where it is known.

    `guess` is what the sums are where the search begins.
    """
    fixed = total is not None
    most = total if total is not None else most
    low = model.new_int_var(0, most // len(sums) if fixed else most, f"{name}/low")
    high = model.new_int_var(-(-most // len(sums)) if fixed else 0, most, f"{name}/high")
    between = model.new_int_var(int(fixed and most % len(sums) > 0), most, f"{name}/gap")
    for one in sums:
        model.add(low <= one)
        model.add(one <= high)
    model.add(between == high - low)
    if guess:
        for var, value in ((low, min(guess)), (high, max(guess)), (between, max(guess) - min(guess))):
            model.add_hint(var, value)
    return between


def run(model: cp_model.CpModel, n: Mapping[Key, cp_model.IntVar], seconds: float, seed: int) -> Solved:
    """Solve: a short search by one strategy, which most designs need no more than, then by several in turn."""
    first = search(model, n, min(seconds, QUICK), seed, workers=1)
    if first.optimal or seconds <= QUICK:
        return first
    return search(model, n, seconds - QUICK, seed, workers=8)


def search(
    model: cp_model.CpModel, n: Mapping[Key, cp_model.IntVar], seconds: float, seed: int, *, workers: int
) -> Solved:
    """One search, limited in deterministic time; strategies take turns in one fixed order, so that it repeats exactly."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = workers
    solver.parameters.interleave_search = workers > 1
    solver.parameters.random_seed = seed % 2**31
    solver.parameters.max_deterministic_time = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Solved(None, status == cp_model.INFEASIBLE, 0, 0)
    counts = {key: solver.value(var) for key, var in n.items()}
    return Solved(counts, status == cp_model.OPTIMAL, solver.objective_value, solver.best_objective_bound)
