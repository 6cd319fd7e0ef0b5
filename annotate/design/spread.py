"""From counts to people's lists: which task to whom, so that nobody meets one twice, and in what order."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from annotate.design.balance import Cell, Key
from annotate.design.model import Assignment, Design, TaskRow, in_place

Place = tuple[TaskRow, str, str]  # task, condition, code


def cells_of(tasks: Iterable[TaskRow]) -> dict[Cell, list[TaskRow]]:
    """Tasks by environment, difficulty and whether they have a variant."""
    cells: dict[Cell, list[TaskRow]] = defaultdict(list)
    for task in tasks:
        cells[task.environment, task.difficulty, task.variant is not None].append(task)
    return dict(sorted(cells.items()))


def hand_out(cells: Mapping[Cell, Sequence[TaskRow]], counts: Mapping[Key, int], seed: int) -> list[Place]:
    """Every task-condition to somebody, as often as the counts say; a task's two conditions to different people."""
    places: list[Place] = []
    for cell, tasks in cells.items():
        chance = random.Random(f"{seed}/hand out/{cell}")  # noqa: S311
        mixed = chance.sample(list(tasks), len(tasks))
        slots = {condition: slots_of(cell, condition, counts, chance) for condition in ("clean", "intervention")}
        clean, under = slots["clean"], slots["intervention"]
        places += [(task, "clean", code) for task, code in zip(mixed, clean, strict=False)]
        if clean and under:
            under = apart(clean, under, chance)
        places += [(task, "intervention", code) for task, code in zip(mixed, under, strict=False)]
    return places


def slots_of(cell: Cell, condition: str, counts: Mapping[Key, int], chance: random.Random) -> list[str]:
    """A code for each task, in random order."""
    slots = [key[2] for key, number in counts.items() if key[:2] == (cell, condition) for _ in range(number)]
    return chance.sample(slots, len(slots))


def apart(clean: Sequence[str], under: Sequence[str], chance: random.Random) -> list[str]:
    """`under` in an order in which no place has the code that `clean` has there (it exists: the model saw to it)."""
    cost = np.array([[10**6 if one == other else chance.randrange(1000) for other in under] for one in clean])
    rows, columns = linear_sum_assignment(cost)
    assert cost[rows, columns].max() < 10**6
    return [under[column] for column in columns]


def duplicates(cells: Mapping[Cell, Sequence[TaskRow]], counts: Mapping[Key, int], seed: int) -> list[Place]:
    """Different tasks of each cell to the duplicate people."""
    places: list[Place] = []
    for cell, tasks in cells.items():
        chance = random.Random(f"{seed}/duplicates/{cell}")  # noqa: S311
        mixed = chance.sample(list(tasks), len(tasks))
        slots = [key[1:] for key, number in counts.items() if key[0] == cell for _ in range(number)]
        places += [(task, condition, code) for task, (condition, code) in zip(mixed, slots, strict=False)]
    return places


def in_order(design: Design, places: Iterable[tuple[Place, str]]) -> list[Assignment]:
    """Each person's places in blocks of one environment, the blocks turned from person to person, conditions taking turns."""
    own: dict[str, dict[str, list[tuple[Place, str]]]] = defaultdict(lambda: defaultdict(list))
    for place, role in places:
        own[place[2]][place[0].environment].append((place, role))
    names = sorted({task.environment for task in design.tasks})
    order = random.Random(f"{design.seed}/blocks").sample(names, len(names))  # noqa: S311
    made = []
    for index, person in enumerate(design.people):
        turn = index % len(order) if order else 0
        listed = [
            entry
            for name in order[turn:] + order[:turn]
            for entry in taking_turns(own[person.code][name], design.seed, person.code)
        ]
        for position, ((task, condition, code), role) in enumerate(listed, 1):
            made.append(in_place(task, condition, code, role, position))
    return made


def taking_turns(block: Sequence[tuple[Place, str]], seed: int, code: str) -> list[tuple[Place, str]]:
    """A block in random order, its conditions spread evenly over it."""
    chance = random.Random(f"{seed}/order/{code}")  # noqa: S311
    ranked = []
    for condition in ("clean", "intervention"):
        of_condition = [entry for entry in block if entry[0][1] == condition]
        mixed = chance.sample(of_condition, len(of_condition))
        shift = chance.random() / max(len(mixed), 1) / 2
        ranked += [((place + 0.25) / len(mixed) + shift, condition, entry) for place, entry in enumerate(mixed)]
    return [entry for _, _, entry in sorted(ranked, key=lambda one: one[:2])]
