"""Whether 95 % intervals hold the truth 95 times in 100: many drawn studies, each interval against the value it is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from tasks_admin.comparison.agents import agent
from tasks_admin.comparison.frames import counting, pick
from tasks_admin.comparison.mixed import mixed_models
from tasks_admin.comparison.people import human_cell
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.truth import Truth

SIZE = Size(environments=3, per_cell=4, people=6, duplicates=0)


def coverage(
    truth: Truth, studies: int, *, size: Size = SIZE, first: int = 0, mixed: bool = True
) -> dict[str, tuple[int, int]]:
    """Per interval: how many studies' held the truth, of how many that gave one."""
    held: dict[str, list[bool]] = defaultdict(list)
    for seed in range(first, first + studies):
        for name, interval, value in intervals(truth, size, seed, mixed=mixed):
            held[name].append(interval[0] <= value <= interval[1])
    return {name: (sum(found), len(found)) for name, found in held.items()}


def intervals(truth: Truth, size: Size, seed: int, *, mixed: bool) -> Iterator[tuple[str, list[float], float]]:
    """(name, interval, true value) of one drawn study.

    A rate of people is held against the expectation for these people over tasks like these: the bootstrap is over tasks.
    """
    drawn = draw(truth, size, seed)
    attempts, runs = counting(drawn.tables), drawn.tables.runs
    for condition in ("clean", "intervention"):
        found = human_cell(pick(attempts, condition, "warm"))["pass_rate_interval"]
        yield f"people, {condition}", found, truth.pass_rate(condition, "warm", drawn.people)
    for one in truth.agents:
        told = agent(runs.filter(pl.col("model") == one.name))
        rates = {condition: truth.agent_rate(one, condition) for condition in ("clean", "intervention")}
        for condition, rate in rates.items():
            yield f"{one.name}, {condition}", told[condition]["pass_rate_interval"], rate
        yield f"{one.name}, drop", told["drop"]["points_interval"], 100 * (rates["clean"] - rates["intervention"])
    if mixed:
        fitted = mixed_models(attempts)
        for model, name, value in (
            ("passed", "intervention", truth.intervention),
            ("passed", "warm", truth.warm),
            ("log_time", "intervention", truth.time_intervention),
            ("log_time", "warm", truth.time_warm),
        ):
            if name in fitted[model]:
                yield f"mixed model, {model}, {name}", fitted[model][name]["interval"], value
