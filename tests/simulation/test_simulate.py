"""Simulated studies keep a real design's rules, and the estimates find what they were drawn from."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from django.core.management import CommandError, call_command

from tasks_admin.comparison import mixed
from tasks_admin.comparison.figures import compute
from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.mixed import mixed_models
from tasks_admin.comparison.tables import checked
from tasks_admin.simulation.coverage import SIZE, coverage
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.power import widths
from tasks_admin.simulation.truth import Truth, over_tasks


def test_a_drawn_study_keeps_the_rules_of_a_design() -> None:
    tables = draw(Truth(), Size(), 3).tables
    checked(tables.attempts, tables.tasks, tables.runs)
    primary = tables.attempts.filter((pl.col("role") == "primary") & (pl.col("attempt") == "cold"))
    assert (tables.tasks.height, primary.height) == (140, 280)
    assert primary.group_by("task").agg(pl.col("annotator").n_unique())["annotator"].to_list() == [2] * 140
    assert primary["annotator"].value_counts()["count"].to_list() == [70] * 4
    assert tables.attempts.filter(pl.col("role") == "duplicate").height == 70
    assert tables.attempts.equals(draw(Truth(), Size(), 3).tables.attempts)


def test_every_figure_can_be_computed_of_one() -> None:
    told = compute(draw(Truth(), Size(2, 2, 3, 2), 1).tables)
    assert set(told["agents"]) == {"agent-a", "agent-b"}
    json.dumps(told, allow_nan=False)


def test_expected_rates_are_those_over_tasks() -> None:
    assert over_tasks(0.0, 1.0) == pytest.approx(0.5)
    assert over_tasks(2.0, 0.0) == pytest.approx(0.8807970779778823)


def test_intervals_over_tasks_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of 8 × 24 intervals at 95 % four standard deviations are 12. `./run simulate --coverage 400` measures it."""
    found = coverage(Truth(), 24, mixed=False)
    held, of = (sum(pair[place] for pair in found.values()) for place in (0, 1))
    assert of == 192
    assert held >= 0.95 * 192 - 12


def test_the_mixed_models_find_condition_and_attempt() -> None:
    truth = Truth(intervention=-1.5, time_intervention=0.4)
    told = mixed_models(counting(draw(truth, SIZE, 5).tables))
    for model, effects in (("passed", {"intervention": -1.5}), ("log_time", {"intervention": 0.4, "warm": -0.45})):
        for name, value in effects.items():
            low, high = told[model][name]["interval"]
            assert low <= value <= high
            assert told[model][name]["effect"] * value > 0
    assert "Under intervention the odds of a pass are" in told["passed"]["reading"]


@pytest.mark.parametrize(
    ("size", "reason"),
    [(Size(3, 4, 2, 0), "2 people where 3 are needed"), (Size(1, 1, 4, 0), "5 tasks where 10 are needed")],
)
def test_where_data_is_too_thin_the_models_say_so(size: Size, reason: str) -> None:
    told = mixed_models(counting(draw(Truth(), size, 1).tables))
    assert reason in told["passed"]["refused"]
    assert reason in told["log_time"]["refused"]


def test_where_data_is_too_large_the_models_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed, "MOST", 100)
    told = mixed_models(counting(draw(Truth(), SIZE, 1).tables))
    assert "240 attempts, the model is fitted to 100 at most" in told["passed"]["refused"]


def test_where_condition_and_attempt_are_one_the_models_say_so() -> None:
    attempts = counting(draw(Truth(), SIZE, 1).tables)
    cold = pl.col("attempt") == "cold"
    told = mixed_models(attempts.filter(cold == (pl.col("condition") == "clean")))
    for model in ("passed", "log_time", "log_steps"):
        assert "under the other all warm" in told[model]["refused"]


def test_more_tasks_give_narrower_intervals() -> None:
    small, large = widths(Truth(), [Size(3, 1, 4, 0), Size(3, 8, 4, 0)], studies=5)
    assert (small.tasks, large.tasks) == (15, 120)
    assert large.median < 0.7 * small.median


def test_the_command_tells_widths_by_tasks_and_by_people() -> None:
    out = StringIO()
    call_command("simulate", "--power", "--environments", "1", "--per-cell", "2", "--people", "4", "--json", stdout=out)
    rows = json.loads(out.getvalue())
    assert [(row["tasks"], row["size"]["people"]) for row in rows] == [
        (5, 4),
        (10, 4),
        (20, 4),
        (40, 4),
        (10, 8),
        (10, 16),
    ]
    assert rows[0]["planned"] is None  # of five tasks nothing is told
    assert rows[3]["planned"] == pytest.approx(rows[3]["median"], rel=0.2)


def test_the_command_writes_tables_that_compute_metrics_reads(tmp_path: Path) -> None:
    call_command("simulate", "--out", str(tmp_path), "--environments", "2", "--per-cell", "1", stdout=StringIO())
    out = StringIO()
    files = {name: tmp_path / f"{name}.jsonl" for name in ("attempts", "tasks", "runs")}
    call_command("compute_metrics", **files, json=True, stdout=out)
    assert json.loads(out.getvalue())["tasks"]["panel"] == 10
    assert json.loads((tmp_path / "truth.json").read_text())["seed"] == 1
    again = ("simulate", "--out", str(tmp_path), "--environments", "1", "--per-cell", "1")
    call_command(*again, stdout=StringIO())  # a simulation's own tables are replaced
    files["runs"].write_text("an agent's real runs")
    with pytest.raises(CommandError, match=r"holds runs.jsonl, which no simulation wrote"):
        call_command(*again)
    assert files["runs"].read_text() == "an agent's real runs"
    with pytest.raises(CommandError, match="--out FOLDER"):
        call_command("simulate")
    with pytest.raises(CommandError, match="two people"):
        call_command("simulate", "--power", "--people", "1")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--power", "--drop", "nan"), "--drop is in log odds"),
        (("--power", "--drop", "1e9"), "--drop is in log odds"),
        (("--coverage", "-3"), "1 or more"),
        (("--power", "--seed", "-1"), "--seed is 0 or more"),
    ],
)
def test_the_command_refuses_what_nothing_can_be_drawn_from(options: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("simulate", *options, stdout=StringIO())


def test_the_command_says_where_it_could_not_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="could not be written"):
        call_command("simulate", "--out", str(tmp_path / "file" / "x"), "--environments", "1", "--per-cell", "1")
