"""Whether the tables keep to what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tasks_admin.exports.verify.reading import Manifest, lines_of

OF_CONDITIONS = ("attempts", "task_conditions", "ratings", "comments", "references")
OF_PEOPLE = {"attempts": "annotator", "participations": "code", "ratings": "annotator", "comments": "annotator"}


def choice_is_kept(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each row is of a condition and a person that were chosen, and all of these are there; where only what counts was chosen,
    each attempt counts."""
    choice = manifest["choice"]
    yield from _kept(folder, "condition", choice["conditions"], dict.fromkeys(OF_CONDITIONS, "condition"))
    yield from _kept(folder, "person", choice["people"], OF_PEOPLE)
    for _, row in lines_of(folder, "attempts"):
        if choice["only_complete"] and (row["status"] != "complete" or row["role"] == "practice"):
            yield f"attempts: {row['attempt_id']} does not count, but the manifest's choice is of what counts only"


def _kept(folder: Path, what: str, chosen: list[str], columns: dict[str, str]) -> Iterator[str]:
    """An empty list chooses all."""
    if not chosen:
        return
    there = set()
    for table, column in columns.items():
        for number, row in lines_of(folder, table):
            there.add(row[column])
            if row[column] not in chosen:
                yield f"{table}.jsonl line {number}: the {what} {row[column]} is not in the manifest's choice"
    for name in sorted(set(chosen) - there):
        yield f"manifest.json: its choice has the {what} {name}, of whom or which no table tells"
