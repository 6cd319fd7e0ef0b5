"""Figures of agents' runs by model."""

from __future__ import annotations

from typing import Any

import polars as pl

from tasks_admin.comparison.frames import CONDITIONS, drop_of, interval, mean, paired, points_of

FRONTIER_SHARE = 0.8  # of the tasks of the model with the most, for a model to be compared on the frontier


def under(runs: pl.DataFrame, model: str) -> pl.DataFrame:
    """A model's intervention runs, which the paper classes the failures of."""
    return runs.filter((pl.col("model") == model) & (pl.col("condition") == "intervention"))


def agent_by(runs: pl.DataFrame, name: str) -> dict[str, Any]:
    """Per value of a field: each condition's pass rate and score, and the drop over tasks with both."""
    told: dict[str, Any] = {}
    for value in sorted(runs[name].drop_nulls().unique().to_list()):
        frame = runs.filter(pl.col(name) == value)
        sides = [frame.filter(pl.col("condition") == condition) for condition in CONDITIONS]
        both = paired(*sides)
        told[value] = {
            condition: {"n": side.height, "pass_rate": mean(side["passed"]), "mean_score": mean(side["score"])}
            for condition, side in zip(CONDITIONS, sides, strict=True)
        } | {"drop": {"n": both.height, "points": points_of(both)}}
    return told


def agent(runs: pl.DataFrame) -> dict[str, Any]:
    """One model over the panel: each condition, and the drop over tasks with both runs."""
    told: dict[str, Any] = {}
    for condition in CONDITIONS:
        frame = runs.filter(pl.col("condition") == condition).sort("task")
        told[condition] = {
            "n": frame.height,
            "pass_rate": mean(frame["passed"]),
            "pass_rate_interval": interval(frame["passed"]),
            "mean_score": mean(frame["score"]),
            "mean_score_interval": interval(frame["score"]),
        }
    both = paired(*(runs.filter(pl.col("condition") == condition) for condition in CONDITIONS))
    solved = both.filter("passed")
    told["drop"] = drop_of(both) | {"newly_failed": mean(~solved["passed_under"]), "solved_clean": solved.height}
    told["step_units"] = sorted(runs["step_unit"].unique().to_list())
    told["verdict_sources"] = sorted(runs["verdict_source"].drop_nulls().unique().to_list())
    return told


def points(runs: pl.DataFrame, condition: str) -> dict[str, Any]:
    """Pass rate and mean seconds of models' timed runs under a condition, over the `tasks` that all models compared have timed.

    A model with fewer than FRONTIER_SHARE of the tasks that the one with the most has is not compared: {name: its tasks} in
    `left_out`. `points` is [{name, n, pass_rate, mean_seconds}], `n` runs; [] where the models have no task in common. `time_units`:
    {kind of time: the models compared that have it}, of what the runs tell.
    """
    timed = runs.filter((pl.col("condition") == condition) & pl.col("elapsed_ms").is_not_null())
    has = dict(timed.group_by("model").agg(pl.col("task").n_unique()).sort("model").iter_rows())
    most = max(has.values(), default=0)
    left_out = {model: number for model, number in has.items() if number < FRONTIER_SHARE * most}
    compared = timed.filter(~pl.col("model").is_in(list(left_out)))
    shared = (
        compared.group_by("task").agg(pl.col("model").n_unique()).filter(pl.col("model") == len(has) - len(left_out))
    )
    over = compared.join(shared.select("task"), on="task", how="semi")
    found = (
        over.group_by(pl.col("model").alias("name"))
        .agg(
            pl.len().alias("n"),
            pl.col("passed").mean().alias("pass_rate"),
            (pl.col("elapsed_ms").mean() / 1000).alias("mean_seconds"),
        )
        .sort("name")
    )
    units = over.filter(pl.col("time_unit").is_not_null()).group_by("time_unit").agg(pl.col("model").unique().sort())
    return {
        "tasks": shared.height,
        "left_out": left_out,
        "points": found.to_dicts(),
        "time_units": dict(units.sort("time_unit").iter_rows()),
    }
