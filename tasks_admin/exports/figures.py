"""The figures that stand in a manifest: of people, out of the bundle's own tables, so that anybody can make them again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tasks_admin.comparison.figures import compute
from tasks_admin.comparison.tables import ATTEMPTS, RUNS, TASKS, BadTable, checked

NAMES = (
    "tasks",
    "human_panel",
    "human_gain",
    "human_drop",
    "human_by",
    "annotators",
    "between_people",
    "duplicate_audit",
)


def figures_of(folder: Path) -> dict[str, Any]:
    """The people's figures of a bundle's tables, or `refused` with the reason. They are those of `compute_metrics`."""
    attempts = columns_of(folder, "attempts", ATTEMPTS)
    conditions = columns_of(folder, "task_conditions", TASKS).with_columns(in_panel=pl.lit(value=True))
    tasks = conditions.unique(["environment", "task"], keep="last", maintain_order=True)
    try:
        tables = checked(attempts, tasks, pl.DataFrame(schema=RUNS))
    except BadTable as error:
        return {"refused": error.message}
    figures = compute(tables)
    return {name: figures[name] for name in NAMES}


def columns_of(folder: Path, table: str, wanted: Mapping[str, Any]) -> pl.DataFrame:
    """The wanted columns of a table, each null where the bundle does not have it."""
    path = folder / f"{table}.parquet"
    there = pl.read_parquet_schema(path)
    found = pl.read_parquet(path, columns=[name for name in wanted if name in there])
    told = [pl.col(name) if name in there else pl.lit(None).alias(name) for name in wanted]
    return found.select(told).cast(pl.Schema(wanted))
