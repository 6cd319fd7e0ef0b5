"""What is met on the way to a format: no ordinary file, a link that leads out, nothing that is known."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks_admin.runs.registry import find_format
from tasks_admin.runs.shape import BadRuns
from tests.runs import writing
from tests.runs.formats.reading import read


def test_what_is_no_ordinary_file_is_left(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "gone.jsonl")
    writing.lines(tmp_path / "c.jsonl", {"task": "b", "score": 1})
    assert [run.task for run in read(tmp_path)[0]] == ["b"]


def test_what_looks_like_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(BadRuns, match="looks like none of"):
        find_format(tmp_path)


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    outside = writing.lines(tmp_path / "out.jsonl", {"task": "a", "score": 1})
    folder = tmp_path / "in"
    writing.lines(folder / "a.jsonl", {"task": "b", "score": 1})
    (folder / "b.jsonl").symlink_to(outside)
    assert [run.task for run in read(folder)[0]] == ["b"]


def histories(folder: Path) -> str:
    writing.browser_use(folder / "b.json")
    return "a.json"


def mind2web(folder: Path) -> str:
    writing.document(folder / "b" / "result.json", {"task_id": "b", "action_history": ["CLICK"]})
    writing.lines(folder / "judge.jsonl", {"task_id": "b", "predicted_label": 1})
    return "a/result.json"


def rewarded(folder: Path) -> str:
    whole = {"benchmark": "shop", "agent": "m", "steps": [{"action": "x"}], "summary_info": {"cum_reward": 1}}
    writing.document(folder / "b.json", whole)
    return "a.json"


def trajectories(folder: Path) -> str:
    writing.document(
        folder / "b.json", {"task_id": "b", "variant": "base", "success": True, "steps": [{"action": "x"}]}
    )
    return "a.json"


def components(folder: Path) -> str:
    writing.lines(folder / "b" / "results.jsonl", writing.component_row("b"))
    return "a/results.jsonl"


def rows(folder: Path) -> str:
    writing.lines(folder / "b.jsonl", {"task": "b", "passed": True})
    return "a.jsonl"


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("browser-use", histories),
        ("online-mind2web", mind2web),
        ("agentrewardbench", rewarded),
        ("breakingweb", trajectories),
        ("componentbench", components),
        ("table", rows),
    ],
)
def test_a_broken_first_file_hides_no_format_and_is_rejected_by_name(
    tmp_path: Path, name: str, write: Callable[[Path], str]
) -> None:
    writing.lines(tmp_path / write(tmp_path), '{"history": [{"model_out')
    (run,), (broken,) = read(tmp_path, name=name)
    assert run.task == "b"
    assert broken.place.startswith(write(tmp_path))
    assert "it is not whole JSON" in broken.reason


def test_broken_files_are_named_where_no_file_tells_a_format(tmp_path: Path) -> None:
    writing.document(tmp_path / "a.json", {"colour": "red"})
    writing.lines(tmp_path / "b.json", '{"history": [{"model_out')
    with pytest.raises(BadRuns, match=r"a\.json begins with the columns 'colour'; b\.json: it is not whole JSON"):
        find_format(tmp_path)
