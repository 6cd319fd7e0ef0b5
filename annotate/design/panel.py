"""Which tasks are in the panel: seeded, a number per cell, primitives spread within each."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from annotate.design.model import Rule, TaskRow


def cell_of(task: TaskRow, by: Sequence[str]) -> tuple[str, ...]:
    """The values of a task's fields that make its cell."""
    return tuple(str(getattr(task, name) or "") for name in by)


def choose_panel(tasks: Sequence[TaskRow], rule: Rule, seed: int) -> tuple[list[TaskRow], list[str]]:
    """The panel in the catalogue's order, and a sentence for each cell that has too few tasks."""
    if rule.rule == "all":
        return list(tasks), []
    cells: dict[tuple[str, ...], list[TaskRow]] = defaultdict(list)
    for task in sorted(tasks, key=lambda one: one.task):
        cells[cell_of(task, rule.by)].append(task)
    chosen: set[str] = set()
    conflicts = []
    used: Counter[str | None] = Counter()
    for cell, found in sorted(cells.items()):
        if len(found) < rule.n:
            conflicts.append(
                f"The panel takes {rule.n} tasks of each {' × '.join(rule.by)}, but {'/'.join(cell)} has {len(found)}."
            )
            continue
        mixed = random.Random(f"{seed}/panel/{cell}").sample(found, len(found))  # noqa: S311
        for _ in range(rule.n):
            best = min(mixed, key=lambda one: used[one.primitive] if one.primitive else 0)
            mixed.remove(best)
            used[best.primitive] += 1
            chosen.add(best.task)
    return [task for task in tasks if task.task in chosen], conflicts
