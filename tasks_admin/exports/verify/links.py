"""Whether the tables fit together: what one names, another has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from tasks_admin.exports.tables import SPLIT
from tasks_admin.exports.verify.reading import Manifest, condition_of, frames_of, lines_of, parts_of, traces_of


def faulty_tasks_are_left_out(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The attempts called task_faulty are those of the manifest's faulty tasks."""
    faulty = {(one["environment"], one["task"]) for one in manifest.get("faulty_tasks", [])}
    for _, row in lines_of(folder, "attempts"):
        is_faulty = (row["environment"], row["task"]) in faulty
        if row["status"] == "task_faulty" and not is_faulty:
            yield f"attempts: {row['attempt_id']} is called task_faulty, but its task is not among the faulty ones"
        elif row["status"] in ("complete", "excluded") and is_faulty:
            yield f"attempts: {row['attempt_id']} is of a faulty task, but is called {row['status']}"


def tables_refer_to_what_is_there(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Ids are unique, and every attempt, person and task-condition that is named exists."""
    codes = {row["code"] for _, row in lines_of(folder, "participations")}
    conditions = {condition_of(row): kind_of(row) for _, row in lines_of(folder, "task_conditions")}
    ids: Counter[str] = Counter()
    rounds = set()
    for _, row in lines_of(folder, "attempts"):
        ids[row["attempt_id"]] += 1
        rounds.add(round_of(row))
        if row["annotator"] not in codes:
            yield f"attempts: {row['attempt_id']} is of {row['annotator']}, who is not in participations"
        if condition_of(row) not in conditions:
            yield f"attempts: {row['attempt_id']} is of a task-condition that is not in task_conditions"
        elif kind_of(row) != conditions[condition_of(row)]:
            yield f"attempts: {row['attempt_id']} says another difficulty or primitive than task_conditions"
    for name, count in ids.items():
        if count > 1:
            yield f"attempts: {name} is there {count} times"
    for table in ("ratings", "comments"):
        for number, row in lines_of(folder, table):
            if round_of(row) not in rounds:
                yield f"{table}.jsonl line {number}: no attempt is of that person's round"
    yield from _strangers(folder, ids)


def kind_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["difficulty"], row["primitive"]


def round_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["annotator"], *condition_of(row), row["round"])


def amendments_are_whole(folder: Path, manifest: Manifest) -> Iterator[str]:
    """They are numbered from 1 without a gap: none was left out."""
    for number, (line, row) in enumerate(lines_of(folder, "amendments"), 1):
        if row["number"] != number:
            yield f"amendments.jsonl line {line}: number {row['number']} stands where {number} should"
            return


def _strangers(folder: Path, known: Container[str]) -> Iterator[str]:
    for table in ("verdict_checks", "references", "replays", "screenshots", "captures", "reviews"):
        for number, row in lines_of(folder, table):
            if row["attempt_id"] not in known:
                yield f"{table}.jsonl line {number}: there is no attempt {row['attempt_id']}"
    for table in SPLIT:
        for name in sorted({name for name in _named(folder, table) if name not in known}):
            yield f"{table}: there is no attempt {name}"
    for name in traces_of(folder):
        if name not in known:
            yield f"traces/{name}.json: there is no such attempt"


def _named(folder: Path, table: str) -> Iterator[str]:
    """Every attempt that a split table names, some several times."""
    for path in parts_of(folder, table):
        for frame in frames_of(path, ["attempt_id"]):
            yield from frame["attempt_id"].unique()
