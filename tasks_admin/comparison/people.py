"""Figures of people: the panel by condition and attempt, gains, drops, marginals."""

from __future__ import annotations

from typing import Any

import polars as pl

from tasks_admin.comparison.bootstrap import groups_interval
from tasks_admin.comparison.frames import KINDS, drop_of, interval, mean, middle, paired, pick, points_of


def human_cell(frame: pl.DataFrame) -> dict[str, Any]:
    """One condition and kind: pass rate and score with intervals over tasks, median seconds and raw events."""
    seconds = middle(frame["wall_ms"])
    return {
        "n": frame.height,
        "pass_rate": mean(frame["passed"]),
        "pass_rate_interval": interval(frame["passed"]),
        "pass_rate_interval_people": groups_interval(
            frame["passed"].cast(pl.Float64).to_numpy(), frame["annotator"].to_list()
        ),
        "mean_score": mean(frame["score"]),
        "mean_score_interval": interval(frame["score"]),
        "median_seconds": None if seconds is None else seconds / 1000,
        "median_raw_events": middle(frame["raw_events"]),
        "median_steps": middle(frame["steps"]),
    }


def gain(primary: pl.DataFrame, condition: str) -> dict[str, Any]:
    """Cold to warm on the same tasks: points of pass rate, median ratios warm / cold of time and raw events."""
    cold, warm = (pick(primary, condition, kind) for kind in KINDS)
    both = cold.join(warm, on="task", suffix="_warm")
    timed = both.filter((pl.col("wall_ms") > 0) & (pl.col("wall_ms_warm") > 0))
    counted = both.filter((pl.col("raw_events") > 0) & (pl.col("raw_events_warm") > 0))
    points = mean(both["passed_warm"].cast(pl.Int8) - both["passed"].cast(pl.Int8))
    return {
        "n": both.height,
        "points": None if points is None else 100 * points,
        "time_ratio_median": middle(timed["wall_ms_warm"] / timed["wall_ms"]),
        "raw_events_ratio_median": middle(counted["raw_events_warm"] / counted["raw_events"]),
    }


def human_drop(primary: pl.DataFrame, kind: str) -> dict[str, Any]:
    """Clean minus intervention over the tasks that have both."""
    both = paired(pick(primary, "clean", kind), pick(primary, "intervention", kind))
    return drop_of(both)


def drop_by(primary: pl.DataFrame, name: str) -> dict[str, Any]:
    """Per value of a field and kind the drop over the tasks that have both conditions, as agents' is: {"n", "points"}."""
    told: dict[str, Any] = {}
    for value in sorted(primary[name].drop_nulls().unique().to_list()):
        own = primary.filter(pl.col(name) == value)
        for kind in KINDS:
            both = paired(pick(own, "clean", kind), pick(own, "intervention", kind))
            told.setdefault(value, {})[kind] = {"n": both.height, "points": points_of(both)}
    return told


def by(primary: pl.DataFrame, name: str) -> dict[str, Any]:
    """Pass rate and score per value of a field, condition and kind."""
    cells = (
        primary.filter(pl.col(name).is_not_null())
        .group_by(name, "condition", "attempt")
        .agg(
            pl.len().alias("n"), pl.col("passed").mean().alias("pass_rate"), pl.col("score").mean().alias("mean_score")
        )
    )
    told: dict[str, Any] = {}
    for row in cells.sort(name, "condition", "attempt").iter_rows(named=True):
        cell = {"n": row["n"], "pass_rate": row["pass_rate"], "mean_score": row["mean_score"]}
        told.setdefault(row[name], {}).setdefault(row["condition"], {})[row["attempt"]] = cell
    return told


def annotators(attempts: pl.DataFrame) -> dict[str, Any]:
    """Marginals per person, condition and kind. They hold the tasks' difficulty too; only a mixed model tells it apart."""
    cells = attempts.group_by("annotator", "condition", "attempt").agg(
        pl.len().alias("n"),
        pl.col("passed").mean().alias("pass_rate"),
        (pl.col("wall_ms").median() / 1000).alias("median_seconds"),
        pl.col("steps").median().alias("median_steps"),
    )
    told: dict[str, Any] = {}
    for row in cells.sort("annotator", "condition", "attempt").iter_rows(named=True):
        cell = {name: row[name] for name in ("n", "pass_rate", "median_seconds", "median_steps")}
        told.setdefault(row["annotator"], {}).setdefault(row["condition"], {})[row["attempt"]] = cell
    return told
