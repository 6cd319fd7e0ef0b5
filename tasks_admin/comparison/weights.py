"""Weights that make a panel speak for the whole benchmark."""

from __future__ import annotations

import numpy as np
import polars as pl


def cell_weights(tasks: pl.DataFrame) -> pl.DataFrame:
    """w = N of the whole table / n of the panel, per environment and difficulty."""
    cells = tasks.group_by("environment", "difficulty").agg(
        pl.len().alias("whole"), pl.col("in_panel").sum().alias("chosen")
    )
    used = cells.filter(pl.col("chosen") > 0)
    return used.with_columns((pl.col("whole") / pl.col("chosen")).alias("weight")).sort("environment", "difficulty")


def first_weights(weights: pl.DataFrame) -> dict[str, float]:
    return {f"{row['environment']}/{row['difficulty']}": row["weight"] for row in weights.iter_rows(named=True)}


def weights_over(panel: pl.DataFrame, weights: pl.DataFrame) -> pl.DataFrame:
    """Task and weight of each panel task."""
    return panel.join(weights, on=["environment", "difficulty"]).select("task", "weight")


def weighted_rate(frame: pl.DataFrame, panel: pl.DataFrame, weights: pl.DataFrame) -> float | None:
    """Pass rate as the whole benchmark would have it, by the cells' weights."""
    joined = frame.join(weights_over(panel, weights), on="task")
    weight, passed = joined["weight"].to_numpy(), joined["passed"].to_numpy().astype(np.float64)
    return float((passed * weight).sum() / weight.sum()) if joined.height else None
