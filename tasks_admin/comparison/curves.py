"""Shapes over steps and time: share within k·H, the frontier, tasks easy for people and hard for agents, step agreement."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from scipy import stats

CURVE = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5, 10.0)
EASY_STEPS = 2
LEAST_SHARED = 10  # for Pearson's r: of fewer it comes out near 1 or −1 too often to say anything


def within_curve(runs: pl.DataFrame, references: pl.DataFrame, panel: pl.DataFrame) -> list[dict[str, float]]:
    """Share of all panel tasks solved within k·H steps, for each k; one model, one condition, one step unit."""
    both = runs.join(references.select("task", "h_steps"), on="task")
    limit = both["h_steps"].clip(lower_bound=1)
    told = []
    for k in CURVE:
        solved = (both["passed"] & (both["steps"] <= k * limit).fill_null(value=False)).sum()
        told.append({"k": k, "share": int(solved) / panel.height if panel.height else 0.0})
    return told


def frontier(points: list[dict[str, Any]]) -> list[str]:
    """Names of the Pareto-best of {name, pass_rate, mean_seconds}: nobody else is at least as good in both and better in one."""
    known = [point for point in points if point["pass_rate"] is not None and point["mean_seconds"] is not None]
    return [point["name"] for point in known if not any(beats(other, point) for other in known)]


def beats(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """True where `one` is no worse in both and better in one."""
    no_worse = one["pass_rate"] >= other["pass_rate"] and one["mean_seconds"] <= other["mean_seconds"]
    return no_worse and (one["pass_rate"], one["mean_seconds"]) != (other["pass_rate"], other["mean_seconds"])


def inversions(runs: pl.DataFrame, references: pl.DataFrame) -> list[dict[str, Any]]:
    """Tasks that people do in at most two steps and most runs fail: {task, condition, human_steps, runs, passed}, hardest first."""
    easy = references.filter(pl.col("h_steps") <= EASY_STEPS)
    hard = (
        runs.join(easy, on=["task", "condition"])
        .group_by("task", "condition", "h_steps")
        .agg(pl.len().alias("runs"), pl.col("passed").sum().alias("passed"))
        .filter(pl.col("passed") * 2 < pl.col("runs"))
        .sort(pl.col("passed") / pl.col("runs"), "task", "condition")
    )
    return hard.rename({"h_steps": "human_steps"}).to_dicts()


def between_people(attempts: pl.DataFrame) -> dict[str, Any]:
    """Each person's steps against the median of the others on the same task, condition and kind, where others did it.

    `n`, Pearson's r, share equal, mean absolute difference, mean ratio; null with too few pairs or constant steps.
    """
    keys = ["task", "condition", "attempt"]
    passed = attempts.filter(pl.col("passed") & (pl.col("steps") > 0)).select(*keys, "annotator", "steps")
    others = passed.join(passed, on=keys, suffix="_other").filter(pl.col("annotator") != pl.col("annotator_other"))
    medians = others.group_by(*keys, "annotator", "steps").agg(pl.col("steps_other").median().alias("median"))
    told = {}
    for name in sorted(medians["annotator"].unique().to_list()):
        own = medians.filter(pl.col("annotator") == name).sort(keys)
        told[name] = agreement(own["steps"].to_numpy().astype(np.float64), own["median"].to_numpy().astype(np.float64))
    return told


def agreement(own: Any, others: Any) -> dict[str, Any]:
    varied = len(own) >= LEAST_SHARED and len(set(own)) > 1 and len(set(others)) > 1
    told: dict[str, Any] = {
        "n": len(own),
        "pearson": float(stats.pearsonr(own, others).statistic) if varied else None,
        "exact": float((own == others).mean()),
        "mean_absolute_difference": float(np.abs(own - others).mean()),
        "mean_ratio": float((own / others).mean()),
    }
    return (
        told
        if varied
        else told
        | {"undefined": {"pearson": f"it needs {LEAST_SHARED} attempts that others made too, and steps that differ"}}
    )
