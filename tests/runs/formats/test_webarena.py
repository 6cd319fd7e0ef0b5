"""WebArena's run logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks_admin.runs.shape import Rejected
from tests.runs.formats.reading import read


def test_webarena_logs(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(
        "2026-01-01 10:00:00,000 - INFO - [Config file]: config_files/1.json\n2026-01-01 10:00:20,000 - INFO - [Intent]: x\n"
        "2026-01-01 10:01:00,000 - INFO - [Result] (PASS) config_files/1.json\n"
        "2026-01-01 10:01:01,000 - INFO - [Config file]: config_files/2.json\n"
        "2026-01-01 10:01:09,000 - INFO - [Unhandled Error] TimeoutError('x')\n"
        "2026-01-01 10:02:00,000 - INFO - [Config file]: config_files/3.json\n"
        "2026-01-01 10:02:30,000 - INFO - [Result] (FAIL) config_files/3.json\n"
    )
    runs, (rejected,) = read(tmp_path, name="webarena")
    assert [(run.task, run.passed, run.elapsed_ms, run.steps) for run in runs] == [
        ("1", True, 60_000, None),
        ("3", False, 30_000, None),
    ]
    assert "task 2 has no result line: TimeoutError" in rejected.reason


def test_webarena_times_a_result_from_its_own_tasks_config_alone(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(
        "2026-01-01 10:00:00 [Config file]: x/a.json\n2026-01-01 10:00:50 [Config file]: x/b.json\n"
        "2026-01-01 10:01:00 [Result] (PASS) x/a.json\n2026-01-01 10:02:00 [Result] (PASS) x/other.json\n"
        "2026-01-01 10:00:49 [Result] (PASS) x/b.json\n2026-01-01 10:03:00 [Config file]: x/c.json\n"
        "2026-01-01 10:04:00 [Config file]: x/c.json\n2026-01-01 10:04:09 [Result] (FAIL) x/c.json\n"
    )
    runs, rejected = read(tmp_path, name="webarena")
    assert [(run.task, run.elapsed_ms, run.time_unit) for run in runs] == [
        ("a", 60_000, "wall"),
        ("other", None, None),
        ("c", 9000, "wall"),
    ]
    assert rejected == [
        Rejected("run.log, line 5", "the time of its result line is before that of its config line."),
        Rejected("run.log, line 6", "task c has no result line; the log ends or begins it anew before one."),
    ]


@pytest.mark.parametrize("odd", ["2026-13-45 99:99:99", "2026-01-01 24:00:00"])
def test_webarena_rejects_a_run_by_a_time_that_does_not_exist(tmp_path: Path, odd: str) -> None:
    (tmp_path / "run.log").write_text(
        f"{odd} [Config file]: x/1.json\n2026-01-01 10:01:00 [Result] (PASS) x/1.json\n"
        f"2026-01-01 10:02:00 [Config file]: x/2.json\n{odd} [Result] (PASS) x/2.json\n"
        "2026-01-01 10:03:00 [Config file]: x/3.json\n2026-01-01 10:03:09 [Result] (PASS) x/3.json\n"
    )
    runs, rejected = read(tmp_path, name="webarena")
    assert [(run.task, run.elapsed_ms) for run in runs] == [("3", 9000)]
    reason = f"its time is {odd!r}, which is no date."
    assert rejected == [Rejected("run.log, line 2", reason), Rejected("run.log, line 4", reason)]
