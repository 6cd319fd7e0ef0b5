"""Paired tests over tasks, clean against intervention and model against model, with Holm's correction for several of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy import stats


def mcnemar(first: pl.Series, second: pl.Series) -> float | None:
    """Two-sided exact p of the discordant pairs; None where there is none."""
    only_first = int((first & ~second).sum())
    only_second = int((~first & second).sum())
    discordant = only_first + only_second
    return float(stats.binomtest(only_first, discordant, 0.5).pvalue) if discordant else None


def holm(values: list[float | None]) -> list[float | None]:
    """Adjusted p values in the same order (Holm 1979); None stays None and is not counted."""
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, place) in enumerate(known):
        largest = max(largest, min(1.0, value * (len(known) - rank)))
        adjusted[place] = largest
    return adjusted


def signed_rank(differences: np.ndarray[Any, np.dtype[np.float64]]) -> float | None:
    """Two-sided p of Wilcoxon's signed ranks; None where all differences are 0."""
    moved = differences[differences != 0]
    return float(stats.wilcoxon(moved).pvalue) if len(moved) else None


def conditions(runs: pl.DataFrame, models: list[str]) -> dict[str, Any]:
    """Per model over tasks with both conditions: McNemar on passes and Wilcoxon on scores, each with Holm's adjustment over models."""
    told: dict[str, dict[str, Any]] = {}
    for model in models:
        own = runs.filter(pl.col("model") == model)
        clean, under = (own.filter(pl.col("condition") == name) for name in ("clean", "intervention"))
        both = clean.join(under, on=["task", "harness"], suffix="_under", nulls_equal=True)
        told[model] = {
            "n": both.height,
            "mcnemar": mcnemar(both["passed"], both["passed_under"]),
            "wilcoxon": signed_rank((both["score"] - both["score_under"]).to_numpy()),
        }
    for test in ("mcnemar", "wilcoxon"):
        for model, value in zip(told, holm([one[test] for one in told.values()]), strict=True):
            told[model][f"{test}_holm"] = value
    return told


def between_models(runs: pl.DataFrame, models: list[str], condition: str) -> list[dict[str, Any]]:
    """Every two models under a condition, over tasks both have: points of difference, McNemar's p and Holm's adjustment of it."""
    frame = runs.filter(pl.col("condition") == condition)
    told: list[dict[str, Any]] = []
    for one, other in combinations(models, 2):
        both = frame.filter(pl.col("model") == one).join(
            frame.filter(pl.col("model") == other), on="task", suffix="_other"
        )
        points = (both["passed"].cast(pl.Float64) - both["passed_other"].cast(pl.Float64)).mean()
        told.append(
            {
                "models": [one, other],
                "n": both.height,
                "points": None if points is None else 100 * float(points),  # type: ignore[arg-type]
                "mcnemar": mcnemar(both["passed"], both["passed_other"]),
            }
        )
    for row, value in zip(told, holm([row["mcnemar"] for row in told]), strict=True):
        row["mcnemar_holm"] = value
    return told
