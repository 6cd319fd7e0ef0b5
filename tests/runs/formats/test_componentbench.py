"""ComponentBench's results."""

from __future__ import annotations

from pathlib import Path

from tests.runs import writing
from tests.runs.formats.reading import read


def test_components_first_row_of_a_mode_and_task_wins_and_columns_have_several_names(tmp_path: Path) -> None:
    other = writing.component_row("b", implementation_source="mui", difficulty_level="hard", success=False, reward=0.0)
    del other["library"], other["difficulty_bucket"]
    writing.lines(
        tmp_path / "results.jsonl",
        writing.component_row("a"),
        writing.component_row("a", success=False, reward=0.0),
        writing.component_row("a", mode="pixel", success=False, reward=0.0),
        other,
        '{"task_id": "partial"',
    )
    runs, rejected = read(tmp_path, name="componentbench")
    assert [(run.task, run.harness, run.passed) for run in runs] == [
        ("a", "ax_tree", True),
        ("a", "pixel", False),
        ("b", "ax_tree", False),
    ]
    assert (runs[2].detail["library"], runs[2].detail["difficulty"]) == ("mui", "hard")
    assert (runs[0].elapsed_ms, runs[0].step_unit, runs[0].condition) == (10_500, "model_turns", "clean")
    assert [one.place for one in rejected] == ["results.jsonl, line 2", "results.jsonl, line 5"]
    assert "first row counts" in rejected[0].reason


def test_a_component_row_that_cannot_be_read_is_not_the_first(tmp_path: Path) -> None:
    broken, good = writing.component_row("a", reward="much"), writing.component_row("a")
    writing.lines(tmp_path / "results.jsonl", broken, good, good)
    runs, rejected = read(tmp_path, name="componentbench")
    assert [run.place for run in runs] == ["results.jsonl, line 2"]
    assert [one.place for one in rejected] == ["results.jsonl, line 1", "results.jsonl, line 3"]
