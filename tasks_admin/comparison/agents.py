"""Figures of agents' runs by model."""

from __future__ import annotations

from typing import Any

import polars as pl

from tasks_admin.comparison.frames import CONDITIONS, drop_of, interval, mean, paired


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


def points_of(both: pl.DataFrame) -> float | None:
    """Percentage points of pass rate from clean to intervention, over paired tasks."""
    found = mean(both["passed"].cast(pl.Int8) - both["passed_under"].cast(pl.Int8))
    return None if found is None else 100 * found


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
    return told


def points(runs: pl.DataFrame, models: list[str], condition: str) -> list[dict[str, Any]]:
    """Pass rate and mean seconds of each model's runs under a condition."""
    told = []
    for model in models:
        frame = runs.filter((pl.col("model") == model) & (pl.col("condition") == condition))
        ms = mean(frame["elapsed_ms"])
        told.append(
            {"name": model, "pass_rate": mean(frame["passed"]), "mean_seconds": None if ms is None else ms / 1000}
        )
    return told
