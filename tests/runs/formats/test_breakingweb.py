"""BreakingWeb's rows and trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks_admin.runs.shape import BadRuns, Given, Rejected
from tests.runs import writing
from tests.runs.formats.reading import read

STEP = {"action": "click('a51')", "elapsed": 1.0, "thought": "again"}


def test_breakingweb_score_and_success_may_disagree(tmp_path: Path) -> None:
    row = {"model": "m", "task": "a", "env": "gmail", "condition": "clean", "score": 0.75, "success": False, "steps": 9,
           "elapsed": 12.5, "source_variant": "base"}  # fmt: skip
    writing.lines(tmp_path / "rows.jsonl", row, row | {"condition": "", "source_variant": "v1.yaml"})
    runs, _ = read(tmp_path, name="breakingweb")
    assert [(run.score, run.passed, run.condition) for run in runs] == [
        (0.75, False, "clean"),
        (0.75, False, "intervention"),
    ]
    assert (runs[0].elapsed_ms, runs[0].step_unit) == (12_500, "executed_actions")


@pytest.mark.parametrize(
    ("elapsed", "total", "given", "ms"),
    [
        ([1.0, 3.0, 2.0], None, None, 6000),  # they fall: each step's own
        ([1.0, 3.0, 6.0], 6.0, None, 6000),  # the last is the total: since the start
        ([1.0, 2.0, 3.0], 6.0, None, 6000),  # their sum is the total: each step's own
        ([1.0, 2.0, 3.0], None, "cumulative", 3000),
        ([1.0, 2.0, 3.0], None, "duration", 6000),
    ],
)
def test_breakingweb_elapsed_of_steps(tmp_path: Path, elapsed: list[float], total: Any, given: Any, ms: float) -> None:
    found = {
        "model": "m",
        "task_id": "a",
        "variant": "v",
        "score": 0,
        "success": False,
        "steps": [STEP | {"elapsed": one} for one in elapsed],
    }
    writing.document(tmp_path / "a.json", found | ({"elapsed": total} if total else {}))
    (run,), _ = read(tmp_path, Given(elapsed=given), "breakingweb")
    assert run.elapsed_ms == ms
    assert (run.steps, run.detail["longest_repeat"], run.completed) == (3, 3, False)


def test_breakingweb_asks_what_elapsed_means_where_nothing_tells(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "task_id": "a", "variant": "v", "score": 0, "success": False,
         "steps": [STEP | {"elapsed": one} for one in elapsed]}
        for elapsed in ((2.0, 1.0), (1.0, 2.0))
    ]  # fmt: skip
    path = writing.lines(tmp_path / "a.jsonl", *rows)
    with pytest.raises(
        BadRuns, match=r"line 2: the steps' elapsed may be .* Nothing was imported\. Say it \(--elapsed"
    ) as asked:
        read(path, name="breakingweb")
    assert asked.value.asks == ("elapsed",)
    (run,), rejected = read(path, Given(elapsed="cumulative"))
    assert (run.elapsed_ms, run.time_unit) == (2000, "wall")
    reason = "the steps' elapsed falls, so that it is no time since the start."
    assert rejected == [Rejected("a.jsonl, line 1", reason)]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"score": [1]}, "score is '[1]', not a number."),
        ({"steps": {}}, "steps is '{}', not a number."),
        ({"success": [True]}, "success is '[True]', neither true nor false."),
        ({"model": {"name": "m"}}, "model is no text."),
    ],
)
def test_breakingweb_rejects_a_list_or_object_by_its_field(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    row = {"model": "m", "task": "a", "variant": "base", "score": 1, "success": True, "steps": 3}
    writing.lines(tmp_path / "a.jsonl", row | changed, row | {"checks": [], "note": {}})
    (run,), rejected = read(tmp_path, name="breakingweb")
    assert (run.place, rejected) == ("a.jsonl, line 2", [Rejected("a.jsonl, line 1", said)])


@pytest.mark.parametrize(
    ("elapsed", "total", "ms"), [([3.0], None, 3000), ([0, 3.0], None, 3000), ([1.0, 2.0], 9.0, 9000)]
)
def test_breakingweb_asks_nothing_where_both_ways_come_to_the_same(
    tmp_path: Path, elapsed: list[float], total: float | None, ms: float
) -> None:
    found = {"model": "m", "task_id": "a", "variant": "v", "success": False, "elapsed": total}
    writing.document(tmp_path / "a.json", found | {"steps": [STEP | {"elapsed": one} for one in elapsed]})
    (run,), rejected = read(tmp_path, name="breakingweb")
    assert (run.elapsed_ms, run.time_unit, rejected) == (ms, "sum_of_steps" if total is None else "wall", [])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"checks": [{"passed": "false"}], "negative_checks": [{"passed": 1}]}, (True, False)),
        ({"checks": [], "negative_checks": None}, (False, None)),
        ({"checks": [{"passed": "perhaps"}]}, "passed in checks is 'perhaps', neither true nor false."),
        ({"checks": [{"name": "paid"}]}, "one of checks does not tell whether it passed."),
        ({"checks": [True]}, "checks holds at place 1 what is no JSON object."),
        ({"negative_checks": {"paid": True}}, "negative_checks is no list."),
    ],
)
def test_breakingweb_checks_are_flags(tmp_path: Path, changed: dict[str, Any], told: Any) -> None:
    found = {"task_id": "a", "variant": "v", "success": False, "steps": [STEP]}
    writing.document(tmp_path / "a.json", found | changed)
    runs, rejected = read(tmp_path, name="breakingweb")
    if isinstance(told, str):
        assert (runs, rejected) == ([], [Rejected("a.json", told)])
    else:
        assert (runs[0].detail.get("failed_positive"), runs[0].detail.get("failed_negative")) == told


def test_breakingweb_tells_no_time_where_a_step_has_none_and_no_steps_of_an_empty_list(tmp_path: Path) -> None:
    found = {"task_id": "a", "variant": "v", "success": True}
    writing.lines(
        tmp_path / "a.jsonl",
        *({**found, "steps": steps} for steps in ([STEP, {"action": "x"}, STEP], ["click('a')", "done()"], [])),
        {**found, "steps": [], "n_steps": 7},
    )
    runs, _ = read(tmp_path, name="breakingweb")
    assert [(run.steps, run.elapsed_ms, run.completed) for run in runs] == [
        (3, None, False),
        (2, None, True),
        (None, None, None),
        (7, None, None),
    ]
    assert [run.without for run in runs] == [
        ["its time: no more than 2 of its 3 steps tell it"],
        [],
        ["its steps: it lists none"],
        [],
    ]


def test_breakingweb_reads_its_own_flag_of_the_condition_in_any_spelling(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,success,degradation_active\na,true,false\nb,true,1\nc,true,perhaps\n")
    runs, rejected = read(tmp_path, name="breakingweb")
    assert [run.condition for run in runs] == ["clean", "intervention"]
    assert rejected == [Rejected("a.csv, line 4", "degradation_active is 'perhaps', neither true nor false.")]
