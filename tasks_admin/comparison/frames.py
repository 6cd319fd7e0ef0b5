"""What the figures share: which rows count, means that may be of nothing, pairs of conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks_admin.comparison.bootstrap import mean_interval
from tasks_admin.comparison.tables import Tables

CONDITIONS = ("clean", "intervention")
KINDS = ("cold", "warm")
BREAKDOWNS = ("environment", "difficulty", "primitive")
FAMILY = "family"  # a fourth one, where tasks say of which family they are


def breakdowns(tasks: pl.DataFrame) -> tuple[str, ...]:
    """The fields of a task by which figures are told."""
    return (*BREAKDOWNS, FAMILY) if tasks[FAMILY].is_not_null().any() else BREAKDOWNS


def counting(tables: Tables) -> pl.DataFrame:
    """The attempts that count: complete, on the panel, no practice; ordered, so that the same data gives the same figures."""
    counts = (pl.col("status") == "complete") & pl.col("role").is_in(["primary", "duplicate"])
    panel = tables.tasks.filter("in_panel").select("task")
    return tables.attempts.filter(counts).join(panel, on="task", how="semi").sort("attempt_id")


def pick(frame: pl.DataFrame, condition: str, kind: str) -> pl.DataFrame:
    return frame.filter((pl.col("condition") == condition) & (pl.col("attempt") == kind))


def mean(values: pl.Series) -> float | None:
    """The mean, or None of nothing."""
    found = values.cast(pl.Float64).mean()
    return float(found) if isinstance(found, int | float) else None


def middle(values: pl.Series) -> float | None:
    found = values.cast(pl.Float64).median()
    return float(found) if isinstance(found, int | float) else None


def numbers(values: pl.Series) -> NDArray[np.float64]:
    return values.cast(pl.Float64).to_numpy()


def interval(values: pl.Series) -> list[float] | None:
    return mean_interval(numbers(values))


def paired(clean: pl.DataFrame, intervention: pl.DataFrame) -> pl.DataFrame:
    keep = ["task", "passed", "score"]
    return clean.select(keep).join(intervention.select(keep), on="task", suffix="_under").sort("task")


def points_of(both: pl.DataFrame) -> float | None:
    """Percentage points of pass rate from clean to intervention, over paired tasks."""
    found = mean(both["passed"].cast(pl.Int8) - both["passed_under"].cast(pl.Int8))
    return None if found is None else 100 * found


def drop_of(both: pl.DataFrame) -> dict[str, Any]:
    """`points` (percentage points) and `score`, with intervals over tasks."""
    passed = both["passed"].cast(pl.Float64) - both["passed_under"].cast(pl.Float64)
    score = both["score"] - both["score_under"]
    points, ends = mean(passed), interval(passed)
    return {
        "n": both.height,
        "points": None if points is None else 100 * points,
        "points_interval": None if ends is None else [100 * end for end in ends],
        "score": mean(score),
        "score_interval": interval(score),
    }
