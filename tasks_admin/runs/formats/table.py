"""A plain table, CSV or JSON lines, with our column names, the usual other ones, or a column map."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import LOOKED_FILES, files_of, first_row, named, table_rows
from tasks_admin.runs.seen import seen
from tasks_admin.runs.shape import STEP_UNITS, BadRuns, Given, Heeds, Rejected, Row, RunIn

HEEDS: Heeds = ("columns", "step_unit")
NAMES: dict[str, tuple[str, ...]] = {
    "task": ("task", "task_id", "task_name"),
    "environment": ("environment", "env", "env_id", "site"),
    "condition": ("condition",),
    "model": ("model", "model_name", "agent"),
    "harness": ("harness", "agent_name", "scaffold"),
    "run_id": ("run_id", "id", "run"),
    "score": ("score", "reward", "final_score"),
    "passed": ("passed", "success", "is_success"),
    "completed": ("completed", "self_reported", "self_report_completed"),
    "steps": ("steps", "n_steps", "num_steps"),
    "step_unit": ("step_unit",),
    "elapsed_ms": ("elapsed_ms", "duration_ms"),
    "elapsed_s": ("elapsed_s", "elapsed_seconds", "duration_seconds", "wall_s"),
    "answer": ("answer", "final_answer", "final_result_response"),
}
BARE = "elapsed"  # a time whose unit the name does not tell
NEAR_MS = 500  # two times of one run that differ by no more are one, rounded
TABLES = (".csv", ".jsonl", ".ndjson", ".json")


def signature(path: Path) -> bool:
    """A table whose rows name a task and a verdict."""
    return is_table(first_of(path, first_row))


def first_of(path: Path, beginning: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """How the first file at `path` begins of which anything can be read, {} where there is none: what a signature looks at."""
    files = (file for file in files_of(path) if file.suffix.lower() in TABLES)
    return next((row for row in map(beginning, islice(files, LOOKED_FILES)) if row), {})


def is_table(row: dict[str, Any]) -> bool:
    return any(name in row for name in NAMES["task"]) and any(
        name in row for name in (*NAMES["score"], *NAMES["passed"])
    )


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per row of every table at `path`. Raises BadRuns where a column that was named is in no row."""
    for at, row in with_columns(rows_of(path), given):
        yield row if isinstance(row, Rejected) else run_of(at, row, given)


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """Every row of every table at `path`, with its place."""
    for file in files_of(path):
        if file.suffix.lower() in TABLES:
            yield from table_rows(file, named(file, path))


def with_columns(
    rows: Iterable[tuple[str, dict[str, Any] | Rejected]], given: Given
) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """The rows as they are. Raises BadRuns at their end where a column that was named was in none of them."""
    missing = dict(given.columns)
    for at, row in rows:
        if missing and not isinstance(row, Rejected):
            missing = {ours: column for ours, column in missing.items() if column not in row}
        yield at, row
    for ours, column in missing.items():
        raise BadRuns(f"No row has a column {column!r}, which was named for {ours}. Nothing was imported.", "columns")


def run_of(at: str, row: dict[str, Any], given: Given) -> Row:
    """The run of a row, or why there is none."""
    try:
        return parsed(at, row, given)
    except values.Unusable as error:
        return Rejected(at, f"{error}.")


def parsed(at: str, row: dict[str, Any], given: Given, names: Mapping[str, tuple[str, ...]] = NAMES) -> RunIn:
    """The run of a row. Raises Unusable, and BadRuns for a time without a unit."""

    def get(name: str) -> Any:
        chosen = (given.columns[name],) if name in given.columns else names[name]
        return next((row[column] for column in chosen if column in row and row[column] not in (None, "")), None)

    task = values.text(get("task"), "task")
    if task is None:
        raise values.Unusable("the row names no task")
    ms = one_time(
        values.milliseconds(get("elapsed_ms"), "elapsed_ms"), values.ms_of_seconds(get("elapsed_s"), "elapsed_s"), given
    )
    untold = BARE not in names["elapsed_s"] and not {"elapsed_ms", "elapsed_s"} & set(given.columns)
    if ms is None and untold and row.get(BARE) not in (None, ""):
        raise BadRuns(
            f"{at}: the column {BARE} does not tell its unit: elapsed_s or elapsed_ms? Nothing was imported.",
            "columns",
            options=f"--column elapsed_s={BARE} or --column elapsed_ms={BARE}",
        )
    unit = values.text(get("step_unit"), "step_unit")
    if unit is not None and unit not in STEP_UNITS:
        raise values.Unusable(f"step_unit is {unit!r}, not one of {', '.join(STEP_UNITS)}")
    return RunIn(
        place=at,
        task=task,
        environment=values.text(get("environment"), "environment"),
        condition=values.text(get("condition"), "condition"),
        model=values.text(get("model"), "model"),
        harness=values.text(get("harness"), "harness"),
        run_id=values.text(get("run_id"), "run_id"),
        score=values.number(get("score"), "score", 1),
        passed=values.flag(get("passed"), "passed") if "passed" in given.columns else one_verdict(row, names["passed"]),
        completed=values.flag(get("completed"), "completed"),
        steps=values.whole(get("steps"), "steps"),
        step_unit=unit,
        elapsed_ms=ms,
        time_unit=None if ms is None else "wall",
        seen=seen([], get("answer")),
    )


def one_verdict(row: dict[str, Any], columns: Iterable[str]) -> bool | None:
    """Whether the row says that it passed, None where it does not say. Raises Unusable where two of its columns contradict."""
    told = {column: values.flag(row.get(column), column) for column in columns}
    said = {column: verdict for column, verdict in told.items() if verdict is not None}
    if len(set(said.values())) > 1:
        each = " and ".join(f"{column} is {str(verdict).lower()}" for column, verdict in said.items())
        raise values.Unusable(f"its verdicts contradict each other: {each}")
    return next(iter(said.values()), None)


def one_time(ms: float | None, of_seconds: float | None, given: Given) -> float | None:
    """The row's time in ms: of the column that was named, else of whichever has it. Raises Unusable where both do and differ."""
    if ("elapsed_ms" in given.columns) != ("elapsed_s" in given.columns):
        return ms if "elapsed_ms" in given.columns else of_seconds
    if ms is not None and of_seconds is not None and abs(ms - of_seconds) > NEAR_MS:
        raise values.Unusable(f"its times in two units differ: {ms:g} ms and {of_seconds / 1000:g} s")
    return of_seconds if ms is None else ms
