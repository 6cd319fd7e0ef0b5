"""WebArena's run logs: a line `[Result] (PASS) …/ID.json` or `(FAIL)` per task. Steps are not in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, named
from tasks_admin.runs.shape import Given, Rejected, Row, RunIn

RESULT = re.compile(r"\[Result\] \((PASS|FAIL)\) (\S+)")
CONFIG = re.compile(r"\[Config file\]: (\S+)")
ERROR = re.compile(r"\[(?:OpenAI|Unhandled) Error\]\s*(.{0,300})")
STAMP = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
LONGEST = 100_000


def signature(path: Path) -> bool:
    """A log with a result line among its first."""
    for file in files_of(path):
        if file.suffix in {".log", ".txt"}:
            with file.open(encoding="utf-8", errors="replace") as lines:
                head = lines.read(200_000)
            if RESULT.search(head) or CONFIG.search(head):
                return True
    return False


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per task of each log; a task that ended without a result line is rejected."""
    for file in files_of(path):
        if file.suffix in {".log", ".txt"}:
            yield from of_log(file, named(file, path), given)


def of_log(file: Path, name: str, given: Given) -> Iterator[Row]:
    begun: tuple[str, str, str] | None = None
    error = ""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(LONGEST), ""), 1):
            at = f"{name}, line {number}"
            if found := CONFIG.search(line):
                if begun:
                    yield Rejected(begun[2], unfinished(begun[0], error))
                begun, error = (task_of(found[1]), line, at), ""
            elif found := ERROR.search(line):
                error = found[1].strip()
            elif found := RESULT.search(line):
                try:
                    ms = took(begun[1], line) if begun else None
                    yield run_of(at, task_of(found[2]), found[1] == "PASS", ms, given, file.stem)
                except values.Unusable as fault:
                    yield Rejected(at, f"{fault}.")
                begun = None
    if begun:
        yield Rejected(begun[2], unfinished(begun[0], error))


def unfinished(task: str, error: str) -> str:
    return (
        f"task {task} has no result line"
        + (f": {error[:200]}" if error else "; the log ends or goes on before it")
        + "."
    )


def run_of(at: str, task: str, passed: bool, ms: float | None, given: Given, log: str) -> RunIn:
    return RunIn(
        place=at,
        task=task,
        model=given.model,
        harness=given.harness or "webarena",
        run_id=f"{log}/{task}",
        score=float(passed),
        passed=passed,
        elapsed_ms=ms,
        time_unit=None if ms is None else "wall",
    )


def task_of(path: str) -> str:
    """`config_files/12.json` is task 12."""
    return Path(path.replace("\\", "/")).stem


def stamp_of(line: str) -> datetime | None:
    """When a line was written, None where it does not tell. Raises Unusable for a day or an hour that does not exist."""
    found = STAMP.match(line)
    if not found:
        return None
    try:
        return datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007  (only differences are used)
    except ValueError as error:
        raise values.Unusable(f"its time is {found[1]!r}, which is no date") from error


def took(begun: str, ended: str) -> float | None:
    """Milliseconds from the task's config line to its result line."""
    begin, end = stamp_of(begun), stamp_of(ended)
    if begin is None or end is None or end < begin:
        return None
    return (end - begin).total_seconds() * 1000
