"""Whether rows are made of what they say, stand there once, and are of whole rounds and of the decisions on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tasks_admin.exports.rows import name_of
from tasks_admin.exports.verify.reading import Manifest, frames_of, lines_of

KEYS = {  # the columns by which a row is the only one of its kind; attempts and references are looked at by their own checks
    "task_conditions": ("environment", "task", "condition"),
    "participations": ("code",),
    "ratings": ("annotator", "environment", "task", "condition", "round", "revision", "item"),
    "replays": ("attempt_id", "replay"),
    "verdict_checks": ("attempt_id", "index"),
    "screenshots": ("attempt_id", "step", "moment"),
    "captures": ("attempt_id", "page"),
}
OF_WHOLE_ROUNDS = ("complete", "excluded", "task_faulty")


def rows_are_there_once(folder: Path, manifest: Manifest) -> Iterator[str]:
    """No table says something of the same thing twice."""
    for table, key in KEYS.items():
        frames = list(frames_of(folder / f"{table}.parquet", key))
        if not frames:
            continue
        rows = pl.concat(frames)
        for row in rows.filter(rows.is_duplicated()).unique(maintain_order=True).iter_rows():
            yield f"{table}: {' '.join(map(str, row))} is there several times"


def attempts_are_what_they_are_called(folder: Path, manifest: Manifest) -> Iterator[str]:
    """An attempt's name is made of its columns, and a round that was completed has both of its attempts."""
    rounds = defaultdict(set)
    for _, row in lines_of(folder, "attempts"):
        name = name_of(*(row[part] for part in ("annotator", "environment", "task", "condition", "round", "attempt")))
        if name != row["attempt_id"]:
            yield f"attempts: {row['attempt_id']} should be called {name} by its columns"
        if row["status"] in OF_WHOLE_ROUNDS:
            rounds[tuple(row[part] for part in ("annotator", "environment", "task", "condition", "round"))].add(
                row["attempt"]
            )
    for round_, kinds in rounds.items():
        if kinds != {"cold", "warm"}:
            yield f"attempts: of round {' '.join(map(str, round_))} only the {', '.join(sorted(kinds))} attempt is there"


def decisions_are_kept(folder: Path, manifest: Manifest) -> Iterator[str]:
    """An attempt is called excluded where a review that stands says so, and does not count there."""
    excluded = {
        row["attempt_id"] for _, row in lines_of(folder, "reviews") if row["stands"] and row["decision"] == "exclude"
    }
    for _, row in lines_of(folder, "attempts"):
        name = row["attempt_id"]
        if row["status"] == "excluded" and name not in excluded:
            yield f"attempts: {name} is called excluded, but no review that stands excludes it"
        elif row["status"] == "complete" and name in excluded:
            yield f"attempts: {name} is called complete, but a review that stands excludes it"


def seeds_are_the_studys(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every task-condition has the seed of the study."""
    seed: Any = manifest["study"]["seed"]
    for number, row in lines_of(folder, "task_conditions"):
        if row["seed"] != seed:
            yield f"task_conditions.jsonl line {number}: its seed is {row['seed']}, that of the study {seed}"
