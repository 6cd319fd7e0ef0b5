"""The figures that stand in a manifest: of people, out of the bundle's own tables, so that anybody can make them again."""

from __future__ import annotations

import json
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
    stored = pl.read_parquet(folder / "attempts.parquet")
    told = [pl.col(name) if name in stored.columns else pl.lit(None).alias(name) for name in ATTEMPTS]
    attempts = stored.select(told).cast(pl.Schema(ATTEMPTS))
    conditions = lines(folder / "task_conditions.jsonl")
    tasks = {
        (row["environment"], row["task"]): {name: row.get(name) for name in TASKS} | {"in_panel": True}
        for row in conditions
    }
    try:
        tables = checked(attempts, pl.DataFrame(list(tasks.values()), schema=TASKS), pl.DataFrame(schema=RUNS))
    except BadTable as error:
        return {"refused": error.message}
    figures = compute(tables)
    return {name: figures[name] for name in NAMES}


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
