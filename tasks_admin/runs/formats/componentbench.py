"""The component benchmark's `results.jsonl`: a row per (mode, task); the first of two rows for one wins, as in its own tools."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tasks_admin.runs import values
from tasks_admin.runs.files import LOOKED_FILES, files_of, first_row, json_lines, named
from tasks_admin.runs.formats import table
from tasks_admin.runs.shape import Given, Heeds, Rejected, Row

HEEDS: Heeds = ("columns", "step_unit")
LIBRARY = ("library", "implementation_source")
DIFFICULTY = ("difficulty_bucket", "difficulty_level", "difficulty")


def signature(path: Path) -> bool:
    """A `results.jsonl` whose rows have a mode and a canonical type."""
    files = (file for file in files_of(path) if file.suffix == ".jsonl")
    return any({"mode", "canonical_type", "task_id"} <= set(first_row(file)) for file in islice(files, LOOKED_FILES))


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per row; each mode is a harness of its own. Raises BadRuns where a column that was named is in no row."""
    seen: set[tuple[str | None, str | None, str]] = set()
    files = (file for file in files_of(path) if file.suffix == ".jsonl")
    rows = (one for file in files for one in json_lines(file, named(file, path)))
    for at, row in table.with_columns(rows, given):
        if isinstance(row, Rejected):
            yield row
            continue
        run = run_of(at, row, given)
        if isinstance(run, Rejected):  # what cannot be read is no run yet: the next one is the first
            yield run
            continue
        key = (run.model, run.harness, run.task)
        if key in seen:
            yield Rejected(at, f"task {run.task} in mode {row.get('mode')} is there already; the first row counts.")
            continue
        seen.add(key)
        yield run


def run_of(at: str, row: dict[str, object], given: Given) -> Row:
    try:
        run = table.parsed(at, row, given)
        mode = values.text(row.get("mode"), "mode")
        if "harness" not in given.columns:
            run.harness = {"webarena": "ax_tree"}.get(mode or "", mode)
        if "run_id" not in given.columns:
            run.run_id = None  # the file's run_id names the whole sweep
        run.condition = run.condition or given.condition or "clean"  # the benchmark has no other
        run.step_unit = run.step_unit or given.step_unit or "model_turns"
        for name, columns in (("library", LIBRARY), ("difficulty", DIFFICULTY), ("family", ("family_id",))):
            if found := next((row[column] for column in columns if row.get(column)), None):
                run.detail[name] = str(found)
        if row.get("termination_reason"):
            run.detail["termination"] = str(row["termination_reason"])
    except values.Unusable as error:
        return Rejected(at, f"{error}.")
    return run
