"""WebArena's run logs: a line `[Result] (PASS) …/ID.json` or `(FAIL)` per task. Steps are not in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

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
    begun: tuple[str, datetime | None, str] | None = None
    error = ""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(LONGEST), ""), 1):
            at = f"{name}, line {number}"
            if found := CONFIG.search(line):
                if begun:
                    yield Rejected(begun[2], unfinished(begun[0], error))
                begun, error = (task_of(found[1]), stamp_of(line), at), ""
            elif found := ERROR.search(line):
                error = found[1].strip()
            elif found := RESULT.search(line):
                task = task_of(found[2])
                yield run_of(at, task, found[1] == "PASS", took(begun, stamp_of(line)), given, file.stem)
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
    found = STAMP.match(line)
    return datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S") if found else None  # noqa: DTZ007  (only differences are used)


def took(begun: tuple[str, datetime | None, str] | None, end: datetime | None) -> float | None:
    """Milliseconds from the task's config line to its result line."""
    if begun is None or begun[1] is None or end is None or end < begun[1]:
        return None
    return (end - begun[1]).total_seconds() * 1000
