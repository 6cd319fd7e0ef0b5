"""Planning the open rest of a running study anew: what was begun stays, and as little else as balance allows moves."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from ortools.sat.python import cp_model
from scipy.optimize import linear_sum_assignment

from annotate.design.balance import DUPLICATE_GROUPINGS, GROUPINGS, WEIGHTS, Key, Solved, gap, run
from annotate.design.first_guess import first_guess
from annotate.design.model import Assignment, Design, Plan, Somebody, in_place
from annotate.design.plan import balance_of
from annotate.design.rest import Group, collision, groups_of
from annotate.design.spread import taking_turns

MOVE = 2  # weighs more than the evenness of a cell, less than that of difficulties, conditions and loads
APART = 10**6
SECONDS = 10.0  # of the solver's deterministic time, for each of its two models


def replan(
    design: Design,
    fixed: Sequence[Assignment],
    rest: Sequence[Assignment],
    met: Collection[tuple[str, str]] = (),
    seconds: float = SECONDS,
    told: Callable[[str], None] = lambda stage: None,
) -> Plan:
    """Place `rest` (open assignments as they are held now; the code is empty where nobody has it) among the design's people.

    `fixed` are begun or complete and stay, with their positions, whoever has them. `met` are further (code, task) that must not
    come together. Loads are balanced with what is fixed counted in; of equally balanced plans the one that moves least is best.
    The plan's assignments are the fixed ones and the placed ones, each person's after what they have begun.
    """
    met = {*met, *((one.code, one.task) for one in fixed)}
    load = Counter(one.code for one in fixed)
    left = {one.code: None if one.capacity is None else max(one.capacity - load[one.code], 0) for one in design.people}
    parts, conflicts = {}, []
    for role, what in (("primary", "assignments"), ("duplicate", "duplicates")):
        people = design.tier(role)
        parts[role] = groups_of(design, [one for one in rest if one.role == role], people, met)
        if parts[role] and not people:
            conflicts.append(
                f"{sum(group.needed for group in parts[role])} {what} are open, and nobody is of the tier {role}."
            )
        elif sentence := collision(parts[role], people, left, what):
            conflicts.append(sentence)
    if conflicts:
        return Plan(status="infeasible", conflicts=tuple(conflicts))
    searches: dict[str, Solved] = {}
    placed: list[Assignment] = []
    for role, groups in parts.items():
        told(f"balancing the {role} assignments")
        own = [one for one in fixed if one.role == role]
        searches[role] = solve_rest(groups, design.tier(role), own, left, role, seconds, design.seed)
        counts = searches[role].counts
        if counts is None:
            sentence = "The solver found no plan in its time, though none of the known conflicts is there."
            return Plan(status="infeasible", conflicts=(sentence,))
        for group in groups:
            placed += hand_out(group, counts, role, design.seed)
    assignments = [*fixed, *in_order(design, fixed, rest, placed)]
    first, second = searches["primary"], searches["duplicate"] if parts["duplicate"] else None
    return Plan(
        status="optimal" if first.optimal and (second is None or second.optimal) else "feasible",
        panel=tuple(dict.fromkeys(one.task for one in assignments)),
        assignments=tuple(assignments),
        balance=balance_of(design, assignments, first, second),
    )


def solve_rest(
    groups: Sequence[Group],
    people: Sequence[Somebody],
    fixed: Sequence[Assignment],
    left: Mapping[str, int | None],
    role: str,
    seconds: float,
    seed: int,
) -> Solved:
    """How many of each group and condition each person gets."""
    if not groups:
        return Solved({}, True, 0, 0)
    model = cp_model.CpModel()
    n: dict[Key, cp_model.IntVar] = {}
    stays = []
    guess = first_guess(groups, people, fixed, left)
    for number, group in enumerate(groups):
        able = [one for one in people if one.code not in group.barred]
        for condition in group.conditions:
            for one in able:
                key = (group.key, condition, one.code)
                held = group.held(condition, one.code)
                n[key] = model.new_int_var(0, len(group.tasks), f"{number}/{condition}/{one.code}")
                model.add_hint(n[key], guess.get(key, 0))
                if held:
                    stays.append(model.new_int_var(0, held, f"{number}/{condition}/{one.code}/stays"))
                    model.add(stays[-1] <= n[key])
                    model.add_hint(stays[-1], min(held, guess.get(key, 0)))
            model.add(sum(n[group.key, condition, one.code] for one in able) == len(group.tasks))
        for one in able if len(group.conditions) > 1 else ():
            model.add(sum(n[group.key, condition, one.code] for condition in group.conditions) <= len(group.tasks))
    for one in people:
        most = left[one.code]
        if most is not None:
            model.add(sum(var for key, var in n.items() if key[2] == one.code) <= most)
    found = gaps(model, n, guess, {group.key: len(group.tasks) for group in groups}, fixed, role)
    model.minimize(sum(WEIGHTS[name] * one for name, one in found) - MOVE * sum(stays))
    return run(model, n, seconds, seed)


def gaps(
    model: cp_model.CpModel,
    n: Mapping[Key, cp_model.IntVar],
    guess: Mapping[Key, int],
    sizes: Mapping[Any, int],
    fixed: Sequence[Assignment],
    role: str,
) -> list[tuple[str, cp_model.IntVar]]:
    """Named gaps between the most and the least of those who may get any of a part, with what they have begun counted in."""
    groupings = GROUPINGS if role == "primary" else DUPLICATE_GROUPINGS
    begun: dict[str, Counter[tuple[object, str]]] = {name: Counter() for name in groupings}
    for one in fixed:
        key: Key = ((one.environment, one.difficulty), one.condition, one.code)
        for name, group in groupings.items():
            begun[name][group(key), one.code] += 1
    found = []
    for name, group in groupings.items():
        parts: dict[object, dict[str, list[Key]]] = defaultdict(lambda: defaultdict(list))
        totals: dict[object, dict[tuple[Any, str], int]] = defaultdict(dict)
        for key in n:
            label = group(key)
            parts[label][key[2]].append(key)
            totals[label][key[:2]] = sizes[key[0]]
        for label, by_person in parts.items():
            if len(by_person) > 1:
                base = {code: begun[name][label, code] for code in by_person}
                sums = [sum(n[key] for key in own) + base[code] for code, own in by_person.items()]
                guessed = [sum(guess.get(key, 0) for key in own) + base[code] for code, own in by_person.items()]
                total = sum(totals[label].values()) + sum(base.values())
                found.append((name, gap(model, sums, total, total, f"{name}/{label}", guessed)))
    return found


def hand_out(group: Group, counts: Mapping[Key, int], role: str, seed: int) -> list[Assignment]:
    """The group's tasks to people as often as the counts say: who has one keeps it where they can; a task's two conditions
    go to different people (they can: nobody's counts add up to more than the group's tasks)."""
    chance = random.Random(f"{seed}/replan/{group.key[:3]}/{sorted(group.barred)}")  # noqa: S311
    made: list[Assignment] = []
    before: dict[str, str] = {}
    for condition in group.conditions:
        slots = [
            code
            for (key, of, code), number in counts.items()
            if key == group.key and of == condition
            for _ in range(number)
        ]
        cost = np.array(
            [
                [
                    APART
                    if before.get(task.task) == code
                    else (0 if group.holders.get((task.task, condition)) == code else 1000) + chance.randrange(100)
                    for code in slots
                ]
                for task in group.tasks
            ]
        )
        rows, columns = linear_sum_assignment(cost)
        assert cost[rows, columns].max() < APART
        for row, column in zip(rows, columns, strict=True):
            task = group.tasks[row]
            before[task.task] = slots[column]
            made.append(in_place(task, condition, slots[column], role, 1))
    return made


def in_order(
    design: Design, fixed: Sequence[Assignment], rest: Sequence[Assignment], placed: Sequence[Assignment]
) -> list[Assignment]:
    """The placed ones with positions: after what was begun, in blocks of one environment. The block that was begun last comes
    first, then blocks in the order the person had them, then new ones; within a block what they had, then what came."""
    before = {(one.task, one.condition, one.role, one.code): one.position for one in rest}
    tasks = {task.task: task for task in design.tasks}
    made = []
    for person in design.people:
        begun = sorted((one.position, one.environment) for one in fixed if one.code == person.code)
        own = [one for one in placed if one.code == person.code]
        had = {id(one): before.get((one.task, one.condition, one.role, one.code)) for one in own}
        first: dict[str, tuple[int, int]] = {}
        for one in own:
            place = had[id(one)]
            rank = (2, 0) if place is None else (1, place)
            first[one.environment] = min(first.get(one.environment, rank), rank)
        if begun and begun[-1][1] in first:
            first[begun[-1][1]] = (0, 0)
        listed: list[Assignment] = []
        for name in sorted(first, key=lambda name: (first[name], name)):
            block = [one for one in own if one.environment == name]
            kept = sorted((one for one in block if had[id(one)] is not None), key=lambda one: had[id(one)] or 0)
            came = [((tasks[one.task], one.condition, one.code), one.role) for one in block if had[id(one)] is None]
            turns = [
                next(one for one in block if (one.task, one.condition) == (place[0].task, place[1]))
                for place, _ in taking_turns(came, design.seed, person.code)
            ]
            listed += [*kept, *turns]
        start = begun[-1][0] if begun else 0
        made += [one.model_copy(update={"position": start + index}) for index, one in enumerate(listed, 1)]
    return made
