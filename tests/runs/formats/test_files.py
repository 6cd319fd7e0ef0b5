"""What is met on the way to a format: no ordinary file, a link that leads out, nothing that is known."""

from __future__ import annotations

import os
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
