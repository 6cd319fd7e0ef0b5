"""browser-use's histories."""

from __future__ import annotations

import json
from pathlib import Path

from tasks_admin.runs.shape import Given, Rejected
from tests.runs import writing
from tests.runs.formats.reading import read


def test_browser_use_success_is_its_own_word_and_turns_are_not_actions(tmp_path: Path) -> None:
    writing.browser_use(tmp_path / "buy-tea.json")
    (run,), rejected = read(tmp_path / "buy-tea.json", Given(model="m"), "browser-use")
    assert rejected == []
    assert (run.task, run.verdict_source, run.passed, run.completed) == ("buy-tea", "self", True, True)
    assert (run.steps, run.step_unit, run.elapsed_ms) == (3, "executed_actions", 1000)
    assert (run.detail["model_turns"], run.detail["action_errors"], run.detail["done_verb"]) == (2, 1, True)
    (by_turns,), _ = read(tmp_path, Given(model="m", step_unit="model_turns"))
    assert (by_turns.steps, by_turns.step_unit) == (2, "model_turns")


def test_browser_use_files_of_one_name_in_two_folders_are_two_runs(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        writing.browser_use(tmp_path / folder / "buy-tea.json")
    assert [(run.task, run.run_id) for run in read(tmp_path)[0]] == [("buy-tea", "a/buy-tea"), ("buy-tea", "b/buy-tea")]


def test_browser_use_that_never_said_done_has_not_passed(tmp_path: Path) -> None:
    path = writing.browser_use(tmp_path / "x.json")
    found = json.loads(path.read_text())
    found["history"].pop()
    (run,), _ = read(writing.document(path, found))
    assert (run.completed, run.passed) == (False, False)


def test_browser_use_that_is_done_and_does_not_say_with_what_success_is_rejected(tmp_path: Path) -> None:
    assert read(writing.browser_use(tmp_path / "x.json", success=None)) == (
        [],
        [Rejected("x.json", "the agent is done and does not say with what success.")],
    )


def test_what_may_be_looked_at_tells_no_verdict(tmp_path: Path) -> None:
    (run,), _ = read(writing.browser_use(tmp_path / "a.json"), Given(model="m"))
    assert run.seen is not None
    assert run.seen.steps[-1]["action"] == 'done(text="All done")'
    assert "success" not in str(run.seen)
    (bare,), _ = read(writing.lines(tmp_path / "b.jsonl", {"task": "a", "score": 1, "model": "m"}))
    assert bare.seen is None


def test_browser_use_tells_no_time_where_a_turn_has_none(tmp_path: Path) -> None:
    path = writing.browser_use(tmp_path / "x.json")
    found = json.loads(path.read_text())
    del found["history"][0]["metadata"]
    (run,), _ = read(writing.document(path, found))
    assert (run.elapsed_ms, run.time_unit) == (None, None)
    assert run.without == ["its time: no more than 1 of its 2 turns tell it"]
