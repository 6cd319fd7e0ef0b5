"""OSWorld's result folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tasks_admin.runs.registry import FORMATS
from tasks_admin.runs.shape import Given, Rejected, RunIn
from tests.runs import writing
from tests.runs.formats.reading import read


def test_osworld_lines_are_actions_and_step_numbers_turns(tmp_path: Path) -> None:
    writing.osworld(tmp_path / "click" / "obs" / "gpt-x" / "chrome" / "0a1b")
    folder = writing.osworld(tmp_path / "click" / "obs" / "gpt-x" / "chrome" / "ffff")
    (folder / "result.txt").unlink()
    (run,), (rejected,) = read(tmp_path, name="osworld")
    assert (run.task, run.model, run.steps, run.detail["model_turns"], run.elapsed_ms) == ("0a1b", "gpt-x", 4, 3, 3000)
    assert "not scored" in rejected.reason


def test_osworld_reads_no_score_out_of_the_folder_and_repeats_no_text(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    results = tmp_path / "results"
    linked = writing.osworld(results / "m" / "chrome" / "linked")
    (linked / "result.txt").unlink()
    (linked / "result.txt").symlink_to(secret)
    writing.osworld(results / "m" / "chrome" / "odd", score="hunter2")
    runs, rejected = read(results, name="osworld")
    assert runs == []
    assert [(one.place, one.reason) for one in rejected] == [
        ("m/chrome/linked", "there is no result.txt in it: the example was not scored."),
        ("m/chrome/odd", "result.txt holds no number from 0 to 1."),
    ]
    (run,) = FORMATS["osworld"].read(writing.osworld(results / "m" / "chrome" / "one") / "traj.jsonl", Given())
    assert isinstance(run, RunIn)
    assert (run.task, run.score) == ("one", 1.0)


def test_osworlds_line_of_an_error_is_no_action_and_no_turn(tmp_path: Path) -> None:
    folder = writing.osworld(tmp_path / "m" / "chrome" / "late", score="0.0")
    with (folder / "traj.jsonl").open("a") as lines:
        lines.write('{"Error": "Time limit exceeded in chrome/late"}\n')
    (run,), _ = read(tmp_path, name="osworld")
    assert (run.steps, run.detail["model_turns"], run.detail["actions"]) == (4, 3, 4)
    assert run.detail["error"] == "Time limit exceeded in chrome/late"
    (by_turns,), _ = read(tmp_path, Given(step_unit="model_turns"))
    assert by_turns.steps == 3


def test_an_osworld_trajectory_without_an_action_measures_no_steps(tmp_path: Path) -> None:
    writing.osworld(tmp_path / "m" / "os" / "empty", steps=())
    broken = writing.osworld(tmp_path / "m" / "os" / "late", score="0.0", steps=())
    writing.lines(broken / "traj.jsonl", {"Error": "no start"})
    for unit in (None, "model_turns"):
        runs, rejected = read(tmp_path, Given(step_unit=unit), "osworld")
        assert [(run.passed, run.steps, run.completed) for run in runs] == [(True, None, None), (False, None, None)]
        assert [run.without for run in runs] == [["its steps: it lists none"]] * 2
        assert [run.detail for run in runs] == [{}, {"error": "no start"}]
        assert rejected == []


def test_osworld_counts_no_turns_where_a_line_does_not_tell_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "m" / "os" / "a"
    writing.osworld(folder)
    writing.lines(folder / "traj.jsonl", {"step_num": 1, "action": "x"}, {"action": "y"})
    (run,), _ = read(tmp_path, name="osworld")
    assert (run.steps, run.detail.get("model_turns")) == (2, None)
    runs, (rejected,) = read(tmp_path, Given(step_unit="model_turns"))
    assert (runs, rejected.place) == ([], "m/os/a/traj.jsonl, line 2")
    assert rejected.reason.startswith("it has no step_num, by which the model's turns are counted")
    writing.lines(folder / "traj.jsonl", {"step_num": 1, "action": "x"}, {"step_num": 2})
    assert read(tmp_path) == ([], [Rejected("m/os/a/traj.jsonl, line 2", "it has no action.")])


@pytest.mark.parametrize(("last", "done"), [("DONE", True), ({"action_type": "DONE"}, True), ("FAIL", False)])
def test_osworld_is_done_by_its_last_action_and_untimed_where_one_has_no_stamp(
    tmp_path: Path, last: Any, done: bool
) -> None:
    folder = writing.osworld(tmp_path / "m" / "os" / "a")
    with (folder / "traj.jsonl").open("a") as lines:
        lines.write(json.dumps({"step_num": 4, "action": last}) + "\n")
    (run,), _ = read(tmp_path, name="osworld")
    assert (run.completed, run.elapsed_ms, run.time_unit) == (done, None, None)
    assert run.without == ["its time: no more than 4 of its 5 actions tell it"]
