"""Paired tests over tasks, clean against intervention and model against model, with Holm's correction for several of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special, stats

Counts = NDArray[np.float64]


def mcnemar(first: pl.Series, second: pl.Series) -> float | None:
    """Two-sided exact p of the discordant pairs; None where there is none."""
    only_first = int((first & ~second).sum())
    only_second = int((~first & second).sum())
    return float(exact_p(only_first, only_second)) if only_first + only_second else None


def exact_p(only_first: Any, only_second: Any) -> Any:
    """The same of counts, or of arrays of them: twice the lower tail of a fair coin's binomial; 1 where there is no pair."""
    fewer = np.minimum(only_first, only_second)
    pairs = np.asarray(only_first + only_second, dtype=np.int64)
    return np.minimum(1.0, 2 * special.bdtr(fewer, pairs, 0.5))


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
    """Every two models under a condition, over tasks both have: points of difference, McNemar's p and Holm's adjustment of it.

    Where a model has several runs of a task (by several harnesses), each is paired with each of the other's.
    """
    passed, failed = outcomes(runs.filter(pl.col("condition") == condition), models)
    only, number = passed @ failed.T, (passed + failed) @ (passed + failed).T
    first, other = np.triu_indices(len(models), 1)
    p = exact_p(only[first, other], only[other, first])
    told: list[dict[str, Any]] = []
    for one, two, value in zip(first, other, p, strict=True):
        n, only_one, only_two = (float(found) for found in (number[one, two], only[one, two], only[two, one]))
        told.append(
            {
                "models": [models[one], models[two]],
                "n": int(n),
                "points": 100 * (only_one - only_two) / n if n else None,
                "mcnemar": float(value) if only_one + only_two else None,
            }
        )
    for row, adjusted in zip(told, holm([row["mcnemar"] for row in told]), strict=True):
        row["mcnemar_holm"] = adjusted
    return told


def outcomes(frame: pl.DataFrame, models: list[str]) -> tuple[Counts, Counts]:
    """How many runs of each model (rows) on each task (columns) passed, and how many failed."""
    tasks = {task: place for place, task in enumerate(frame["task"].unique().sort())}
    rows = {model: place for place, model in enumerate(models)}
    told = np.zeros((2, len(models), len(tasks)))
    counted = frame.group_by("model", "task", "passed").len()
    for model, task, passed, number in counted.iter_rows():
        if model in rows:
            told[0 if passed else 1, rows[model], tasks[task]] = number
    return told[0], told[1]
