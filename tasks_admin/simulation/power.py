"""How wide an interval a study of some size would get: "how many people for ± 5 points?", answered by drawing such studies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.people import human_drop
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.truth import Truth


@dataclass(frozen=True)
class Width:
    """Of studies of a size: half the width of the 95 % interval for the drop of people's pass rate (points), median and 90 % point."""

    size: Size
    tasks: int
    median: float
    nine_in_ten: float


def widths(truth: Truth, sizes: list[Size], studies: int = 40, seed: int = 1) -> list[Width]:
    """For each size, over `studies` drawn ones."""
    alone = replace(truth, agents=())
    told = []
    for size in sizes:
        halves = [half_width(alone, size, seed * 100_003 + number) for number in range(studies)]
        told.append(Width(size, size.tasks, float(np.median(halves)), float(np.quantile(halves, 0.9))))
    return told


def half_width(truth: Truth, size: Size, seed: int) -> float:
    """Half of the interval for the warm drop in one drawn study, percentage points."""
    attempts = counting(draw(truth, size, seed).tables.attempts)
    primary = attempts.filter(attempts["role"] == "primary")
    low, high = human_drop(primary, "warm")["points_interval"]
    return float(high - low) / 2
