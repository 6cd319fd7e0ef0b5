"""How wide the report's intervals get in drawn studies of some size; `planned` says it without drawing any."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tasks_admin.comparison.frames import counting, pick
from tasks_admin.comparison.people import human_cell, human_drop
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.truth import Truth


@dataclass(frozen=True)
class Width:
    """Of studies of a size: half the width of 95 % intervals of people's warm attempts, in points.

    `median` and `nine_in_ten` (the 90 % point) are of the drop's, over tasks; `clean` and `clean_people` are medians of the clean pass
    rate's, over tasks and over people (None where there are too few).
    """

    size: Size
    tasks: int
    median: float
    nine_in_ten: float
    clean: float
    clean_people: float | None


def widths(truth: Truth, sizes: list[Size], studies: int = 40, seed: int = 1) -> list[Width]:
    """For each size, over `studies` drawn ones."""
    alone = replace(truth, agents=())
    told = []
    for size in sizes:
        found = [half_widths(alone, size, seed * 100_003 + number) for number in range(studies)]
        drops, clean, people = zip(*found, strict=True)
        over_people = None if None in people else float(np.median(people))
        told.append(
            Width(
                size,
                size.tasks,
                float(np.median(drops)),
                float(np.quantile(drops, 0.9)),
                float(np.median(clean)),
                over_people,
            )
        )
    return told


def half_widths(truth: Truth, size: Size, seed: int) -> tuple[float, float, float | None]:
    """Half of each interval in one drawn study: the drop's, the clean rate's over tasks, and over people."""
    attempts = counting(draw(truth, size, seed).tables)
    primary = attempts.filter(attempts["role"] == "primary")
    clean = human_cell(pick(primary, "clean", "warm"))
    people = clean["pass_rate_interval_people"]
    return (
        half(human_drop(primary, "warm")["points_interval"]),
        100 * half(clean["pass_rate_interval"]),
        None if people is None else 100 * half(people),
    )


def half(interval: list[float]) -> float:
    return (interval[1] - interval[0]) / 2
