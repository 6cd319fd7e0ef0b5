"""WebArena's run logs: a line `[Result] (PASS) …/ID.json` or `(FAIL)` per task. Steps are not in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, named
from tasks_admin.runs.shape import Given, Heeds, Rejected, Row, RunIn

HEEDS: Heeds = ()
RESULT = re.compile(r"\[Result\] \((PASS|FAIL)\) (\S+)")
CONFIG = re.compile(r"\[Config file\]: (\S+)")
ERROR = re.compile(r"\[(?:OpenAI|Unhandled) Error\]\s*(.{0,300})")
STAMP = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
STAMPED = 19  # characters of a line that its time takes
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


class Begun(NamedTuple):
    """A task's config line: where it stands, its beginning with the time, and an error that came after it."""

    place: str
    line: str
    error: str = ""


def of_log(file: Path, name: str, given: Given) -> Iterator[Row]:
    """A run per result line, timed from its own task's config line: two tasks may run at once and write into one log."""
    begun: dict[str, Begun] = {}
    last = ""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(LONGEST), ""), 1):
            at = f"{name}, line {number}"
            if found := CONFIG.search(line):
                last = task_of(found[1])
                if last in begun:
                    yield unfinished(last, begun.pop(last))
                begun[last] = Begun(at, line[:STAMPED])
            elif found := ERROR.search(line):
                if last in begun:
                    begun[last] = begun[last]._replace(error=found[1].strip())
            elif found := RESULT.search(line):
                task = task_of(found[2])
                yield of_result(at, task, found[1] == "PASS", begun.pop(task, None), line, given, file.stem)
    for task, one in begun.items():
        yield unfinished(task, one)


def of_result(at: str, task: str, passed: bool, begun: Begun | None, line: str, given: Given, log: str) -> Row:
    """The run of a result line; without its task's config line it has no time."""
    try:
        return run_of(at, task, passed, took(begun.line, line) if begun else None, given, log)
    except values.Unusable as fault:
        return Rejected(at, f"{fault}.")


def unfinished(task: str, begun: Begun) -> Rejected:
    why = f": {begun.error[:200]}" if begun.error else "; the log ends or begins it anew before one"
    return Rejected(begun.place, f"task {task} has no result line{why}.")


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
    """Milliseconds from the task's config line to its result line. Raises Unusable where the result is the earlier one."""
    begin, end = stamp_of(begun), stamp_of(ended)
    if begin is None or end is None:
        return None
    if end < begin:
        raise values.Unusable("the time of its result line is before that of its config line")
    return (end - begin).total_seconds() * 1000
