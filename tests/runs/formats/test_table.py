"""Plain tables, and the formats that are tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks_admin.runs.registry import FORMATS
from tasks_admin.runs.shape import BadRuns, Given, Rejected, RunIn
from tests.runs import writing
from tests.runs.formats.reading import read


def test_a_named_column_that_no_row_has_is_told(tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", {"task": "a", "passed": True}, {"task": "b", "passed": True, "took": 3})
    assert [run.elapsed_ms for run in read(path, Given(columns={"elapsed_ms": "took"}))[0]] == [None, 3]
    with pytest.raises(BadRuns, match="No row has a column 'nothere', which was named for elapsed_ms. Nothing was"):
        read(path, Given(columns={"elapsed_ms": "nothere"}))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("componentbench", writing.component_row("a", n_steps=5)),
        ("breakingweb", {"task": "a", "variant": "base", "success": True, "steps": 3, "n_steps": 5}),
    ],
)
def test_formats_that_are_tables_tell_a_named_column_that_no_row_has(
    tmp_path: Path, name: str, row: dict[str, Any]
) -> None:
    writing.lines(tmp_path / "results.jsonl", row)
    (run,), _ = read(tmp_path, Given(columns={"steps": "n_steps"}), name)
    assert run.steps == 5
    with pytest.raises(BadRuns, match="No row has a column 'nope', which was named for steps. Nothing was imported"):
        read(tmp_path, Given(columns={"steps": "nope"}), name)


def test_a_table_asks_for_the_unit_of_a_time_without_one(tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", {"task": "a", "success": True, "elapsed": 5000})
    with pytest.raises(BadRuns, match=r"line 1: the column elapsed does not tell its unit") as asked:
        read(path, name="table")
    assert asked.value.asks == ("columns",)
    for named, ms in (("elapsed_ms", 5000), ("elapsed_s", 5_000_000)):
        (run,), _ = read(path, Given(columns={named: "elapsed"}))
        assert run.elapsed_ms == ms


def test_a_table_with_two_times_of_one_run(tmp_path: Path) -> None:
    row = {"task": "a", "success": True, "elapsed_ms": 5000}
    path = writing.lines(
        tmp_path / "a.jsonl", row | {"elapsed_s": 77}, row | {"elapsed_s": 5}, row | {"duration_seconds": 5.4}
    )
    runs, rejected = read(path, name="table")
    assert [run.elapsed_ms for run in runs] == [5000, 5000]
    assert rejected == [Rejected("a.jsonl, line 1", "its times in two units differ: 5000 ms and 77 s.")]
    assert [run.elapsed_ms for run in read(path, Given(columns={"elapsed_s": "elapsed_s"}))[0]] == [77_000, 5000, None]


def test_a_table_with_two_verdicts_of_one_run(tmp_path: Path) -> None:
    row = {"task": "a", "passed": True}
    path = writing.lines(tmp_path / "a.jsonl", row | {"success": False}, row | {"success": 1}, row | {"success": None})
    runs, rejected = read(path, name="table")
    assert [run.passed for run in runs] == [True, True]
    reason = "its verdicts contradict each other: passed is true and success is false."
    assert rejected == [Rejected("a.jsonl, line 1", reason)]
    assert [run.passed for run in read(path, Given(columns={"passed": "success"}))[0]] == [False, True, None]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("score", "NaN", "not a finite number"),
        ("score", "inf", "not a finite number"),
        ("score", "1.5", "over 1"),
        ("elapsed_ms", "-4", "negative"),
        ("steps", "2.5", "not a whole number"),
        ("steps", "=1+1", "not a number"),
        ("passed", "perhaps", "neither true nor false"),
        ("step_unit", "clicks", "not one of model_turns"),
        ("task", "", "names no task"),
    ],
)
def test_a_table_refuses_values_by_field(tmp_path: Path, field: str, value: str, said: str) -> None:
    row = {"task": "a", "model": "m", "condition": "clean", "score": "1", "passed": "true", "steps": "3",
           "step_unit": "model_turns", "elapsed_ms": "10"} | {field: value}  # fmt: skip
    path = tmp_path / "runs.csv"
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
    runs, (rejected,) = read(path, name="table")
    assert runs == []
    assert rejected.place == "runs.csv, line 2"
    assert said in rejected.reason


def test_a_table_by_a_column_map_and_with_json_nan(tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "x.jsonl", {"qid": 7, "ok": 1}, '{"qid": 8, "ok": 1, "reward": NaN}', "[1]")
    rows = list(FORMATS["table"].read(path, Given(columns={"task": "qid", "passed": "ok"})))
    assert isinstance(rows[0], RunIn)
    assert (rows[0].task, rows[0].passed) == ("7", True)
    assert [type(row) for row in rows[1:]] == [Rejected, Rejected]


def test_a_row_with_too_many_cells_is_told_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('task,score\n"a",1\nb,1,2\n')
    runs, rejected = read(tmp_path / "r.csv")
    assert [run.task for run in runs] == ["a"]
    assert rejected == [Rejected("r.csv, line 3", "it has more or fewer cells than the header")]
