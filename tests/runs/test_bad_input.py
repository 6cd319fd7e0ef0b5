"""What files should not hold: each named by place, refused or rejected, nothing half imported, and memory that stays flat."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from django.core.management import CommandError

from tasks_admin.models import Run, RunImport
from tasks_admin.runs import files
from tasks_admin.runs.shape import KEPT
from tests.cast import Cast
from tests.runs import writing
from tests.runs.test_take_in import command, row

MB = 1024**2


def test_a_large_file_of_mostly_bad_rows_is_read_in_little_memory(cast: Cast, tmp_path: Path) -> None:
    good, bad = json.dumps(row(cast)), json.dumps(row(cast, task="no-such", run_id="x" * 300))
    path = tmp_path / "large.jsonl"
    with path.open("w") as lines:
        for _ in range(50_000):
            lines.write(bad + "\n")
        lines.write(good + "\n")
    assert path.stat().st_size > 20 * MB
    tracemalloc.start()
    told = command(path, cast)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (told["taken"], told["rejected_count"], len(told["rejected"])) == (1, 50_000, KEPT)
    assert len(RunImport.objects.get().reasons) == KEPT
    assert peak < 8 * MB


def test_what_no_database_keeps_is_rejected_by_field(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(
        tmp_path / "a.jsonl",
        row(cast),
        row(cast, model="a\x00b"),
        json.dumps(row(cast)).replace('"m"', '"\\ud83d"'),
        row(cast, model="n", steps=10**400),
        row(cast, model="n", elapsed_ms=1e300),
        row(cast, model="n", elapsed_ms="1_000"),
        "[" * 100_000,
        '{"task": "buy-tea", "score": 1',
    )
    told = command(path, cast)
    assert told["taken"] == 1
    reasons = {one["place"].rsplit(" ", 1)[1]: one["reason"] for one in told["rejected"]}
    assert list(reasons) == ["2", "3", "4", "5", "6", "7", "8"]
    for place, said in (
        ("2", "model is longer than 400 characters or holds what no database keeps"),
        ("3", "model is longer than 400 characters or holds what no database keeps"),
        ("4", "steps is"),
        ("5", "elapsed_ms is 1e+300, over 1e+11"),
        ("6", "elapsed_ms is '1_000', not a number"),
        ("7", "it is not whole JSON"),
        ("8", "it is not whole JSON"),
    ):
        assert said in reasons[place], reasons[place]


def test_a_fault_of_another_kind_in_a_trajectory_is_kept_as_text(cast: Cast, tmp_path: Path) -> None:
    steps = [{"action": {"click": {"index": 3, "success": True}}, "thought": "a\x00\ud83d", "elapsed": 1.0}, "odd", 7]
    found = {"model": "m", "task_id": "buy-tea", "variant": "base", "score": 0, "success": False, "steps": steps}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(found))
    command(path, cast, "--elapsed", "duration")
    shown = Run.objects.get().trajectory.steps
    assert shown == [
        {"action": "click(index=3)", "thought": "a\ufffd\ufffd"},
        {"action": "odd"},
        {"action": "7"},
    ]


def test_a_json_document_that_is_too_large_for_one_is_told(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_JSON_MB", 0)
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([row(cast)]))
    with pytest.raises(CommandError, match="too large for one JSON document; give JSON lines"):
        command(path, cast, format_="table")


def test_nothing_is_half_imported_where_a_later_row_asks_something(cast: Cast, tmp_path: Path) -> None:
    unnamed = row(cast)
    del unnamed["model"]
    path = writing.lines(tmp_path / "a.jsonl", row(cast), row(cast, model="n"), unnamed)
    with pytest.raises(CommandError, match=r"line 3 does not tell the model: say it \(--model NAME\). Nothing"):
        command(path, cast)
    assert (Run.objects.count(), RunImport.objects.count()) == (0, 0)


def test_a_formula_in_a_name_is_kept_as_text(cast: Cast, tmp_path: Path) -> None:
    """It is refused where a number belongs (test_formats); files for spreadsheets put an apostrophe before it."""
    command(writing.lines(tmp_path / "a.jsonl", row(cast, model="=HYPERLINK(1)")), cast)
    assert Run.objects.get().model == "=HYPERLINK(1)"
