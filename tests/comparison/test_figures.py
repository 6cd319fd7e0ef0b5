"""Rules that the vectors do not show: refusals, undefined values, units, intervals, Pareto fronts."""

from __future__ import annotations

import json
import math
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks_admin.comparison import bootstrap
from tasks_admin.comparison.agents import points as points_over
from tasks_admin.comparison.agreement import icc_a1, passes, ratios
from tasks_admin.comparison.curves import agreement, frontier
from tasks_admin.report.agent_sheets import breakdown, note
from tasks_admin.report.charts import frontier_words

TASK = {"environment": "shop", "task": "t1", "difficulty": "easy", "primitive": None, "in_panel": True}
ATTEMPT = {
    "attempt_id": "a1", "environment": "shop", "task": "t1", "difficulty": "easy", "primitive": None, "condition": "clean",
    "attempt": "warm", "role": "primary", "annotator": "P1", "round": 1, "status": "complete", "score": 1.0, "passed": True,
    "wall_ms": 1000.0, "raw_events": 9, "cleaned_events": 5, "steps": 2, "proof_complete": True,
}  # fmt: skip
RUN = {
    "run_id": "r1", "model": "m", "harness": "text", "task": "t1", "condition": "clean", "score": 1.0, "passed": True, "steps": 3,
    "step_unit": "action", "elapsed_ms": 5000.0,
}  # fmt: skip


def figures(folder: Path, attempts: list[Any], runs: list[Any], tasks: list[Any] | None = None) -> dict[str, Any]:
    rows = {"attempts": attempts, "tasks": [TASK] if tasks is None else tasks, "runs": runs}
    files = {name: folder / f"{name}.jsonl" for name in rows}
    for name, path in files.items():
        path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows[name]))
    out = StringIO()
    call_command("compute_metrics", **files, json=True, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


BAD: dict[str, tuple[list[Any], list[Any], str]] = {
    "negative time": ([ATTEMPT | {"wall_ms": -1}], [], "row 1: wall_ms is negative"),
    "a score over one": ([ATTEMPT], [RUN | {"score": 40}], "row 1: score is over 1"),
    "text for a number": ([ATTEMPT | {"steps": "=1+1"}], [], 'row 1: steps is "=1+1", not a number'),
    "a part of a step": (
        [ATTEMPT],
        [RUN, RUN | {"run_id": "r2", "steps": 3.7}],
        "row 2: steps is 3.7, not a whole number",
    ),
    "a part of a person's step": ([ATTEMPT | {"steps": 2.9}], [], "row 1: steps is 2.9, not a whole number"),
    "a flag for a number": ([ATTEMPT], [RUN | {"score": True}], "row 1: score is true, not a number"),
    "a flag among numbers": ([ATTEMPT], [RUN, RUN | {"score": True}], "row 2: score is true, not a number"),
    "a number for a flag": ([ATTEMPT], [RUN | {"passed": 2}], "row 1: passed is 2, neither true nor false"),
    "an object for a number": (
        [ATTEMPT],
        [RUN | {"elapsed_ms": {"a": 1}}],
        'row 1: elapsed_ms is {"a": 1}, not a number',
    ),
    "a list for a text": ([ATTEMPT], [RUN | {"model": ["m"]}], 'row 1: model is ["m"], not a text'),
    "a number without an end": (
        [ATTEMPT],
        [json.dumps(RUN).replace("5000.0", "1e400")],
        "elapsed_ms is Infinity, not a finite",
    ),
    "more steps than there are": (
        [ATTEMPT],
        [RUN | {"steps": 2**70}],
        "row 1: steps is 1180591620717411303424, too large",
    ),
    "a time without an end": (
        [ATTEMPT],
        [RUN | {"elapsed_ms": 1.7e308}, RUN | {"run_id": "r2", "model": "n", "elapsed_ms": 1.7e308}],
        "runs.jsonl, row 1, 2: elapsed_ms is over 1e+11",
    ),
    "an attempt without an end": ([ATTEMPT | {"wall_ms": 2e11}], [], "row 1: wall_ms is over 1e+11"),
    "steps that nobody counts": ([ATTEMPT], [RUN | {"steps": 2 * 10**9}], "row 1: steps is over 1e+09"),
    "a list for a row": ([ATTEMPT], [RUN, "[1]\n"], "row 2 is no object"),
    "another environment": ([ATTEMPT | {"environment": "bank"}], [], "row 1: environment is not that of its task"),
    "another difficulty": ([ATTEMPT | {"difficulty": "hard"}], [], "row 1: difficulty is not that of its task"),
    "a unit of steps that nobody knows": (
        [ATTEMPT],
        [RUN, RUN | {"run_id": "r2", "model": "n", "step_unit": "banana"}],
        "row 2: step_unit must be one of executed_actions, model_turns, not told",
    ),
    "steps without a unit": ([ATTEMPT], [RUN | {"step_unit": ""}], "row 1: steps is told without a step_unit"),
    "a blank person": ([ATTEMPT | {"annotator": ""}], [], "row 1: annotator is blank"),
    "a failed reference": (
        [ATTEMPT, ATTEMPT | {"attempt_id": "a2", "attempt": "cold", "passed": False, "score": 0, "reference": True}],
        [],
        "row 2: reference is true of an attempt that did not pass",
    ),
    "a reference that does not count": (
        [ATTEMPT | {"status": "excluded", "reference": True}],
        [],
        "row 1: reference is true of an attempt that does not count",
    ),
    "a reference without proof": (
        [ATTEMPT | {"proof_complete": False, "reference": True}],
        [],
        "row 1: reference is true of an attempt that has no complete proof",
    ),
    "a duplicate of one's own": (
        [ATTEMPT, ATTEMPT | {"attempt_id": "a2", "role": "duplicate"}],
        [],
        "row 2: annotator of this duplicate is the one of the primary",
    ),
    "a blank model": ([ATTEMPT], [RUN | {"model": " "}], "row 1: model is blank"),
    "a model that looks like another": (
        [ATTEMPT],
        [RUN, RUN | {"run_id": "r2", "model": "m\u200b"}],
        "row 2: model holds U+200B ZERO WIDTH SPACE, which nobody sees",
    ),
    "two references": (
        [ATTEMPT | {"reference": True}, ATTEMPT | {"attempt_id": "a2", "attempt": "cold", "reference": True}],
        [],
        "several references for task t1, condition clean",
    ),
    "an unknown condition": ([ATTEMPT | {"condition": "noisy"}], [], "condition must be one of clean, intervention"),
    "an unknown task": ([ATTEMPT], [RUN | {"task": "t9"}], "tasks that the task table does not: t9"),
    "an id twice": ([ATTEMPT], [RUN, RUN | {"condition": "intervention"}], "row 1, 2: run_id is there twice"),
    "two runs in one place": (
        [ATTEMPT],
        [RUN, RUN | {"run_id": "r2"}],
        "several runs; give each set of runs a model name",
    ),
    "two primaries": (
        [ATTEMPT, ATTEMPT | {"attempt_id": "a2", "annotator": "P2"}],
        [],
        "several complete primary attempts",
    ),
    "a run without an outcome": ([ATTEMPT], [RUN | {"passed": None}], "row 1: a run has no passed"),
    "a row cut off": ([ATTEMPT, '{"attempt_id": "a2", '], [], "is not whole JSON lines"),
    "no task": ([{name: value for name, value in ATTEMPT.items() if name != "task"}], [], "lacks the field task"),
    "not a number": (['{"attempt_id": "a2", "score": NaN}\n'], [], "row 1: score is NaN, not a finite number"),
}


@pytest.mark.parametrize(("attempts", "runs", "words"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_counted_is_named(tmp_path: Path, attempts: list[Any], runs: list[Any], words: str) -> None:
    with pytest.raises(CommandError) as raised:
        figures(tmp_path, attempts, runs)
    assert words in str(raised.value)


def test_a_byte_order_mark_before_a_table_is_no_part_of_it(tmp_path: Path) -> None:
    def marked(row: dict[str, Any]) -> str:
        return "\ufeff" + json.dumps(row) + "\n"

    told = figures(tmp_path, [marked(ATTEMPT)], [marked(RUN), RUN | {"run_id": "r2", "model": "n"}], [marked(TASK)])
    assert (told["tasks"]["with_attempts"], sorted(told["agents_by"])) == (1, ["m", "n"])
    for nothing in ("\ufeff", "\n \r\n", "\ufeff\n"):
        assert figures(tmp_path, [ATTEMPT], [nothing])["agents_by"] == {}
    with pytest.raises(CommandError, match=r"row 1: score is NaN, not a finite number"):
        figures(tmp_path, [marked(ATTEMPT | {"score": math.nan})], [])


def test_one_name_of_a_task_in_two_environments_is_two_tasks(tmp_path: Path) -> None:
    tasks = [TASK, TASK | {"environment": "bank"}]
    attempts = [ATTEMPT, ATTEMPT | {"attempt_id": "a2", "environment": "bank", "steps": 9}]
    runs = [RUN | {"environment": "shop"}, RUN | {"run_id": "r2", "environment": "bank", "passed": False}]
    told = figures(tmp_path, attempts, runs, tasks)
    assert told["tasks"] == {"all": 2, "panel": 2, "with_attempts": 2}
    assert told["efficiency"]["m"]["clean"]["n_with_both"] == 2
    assert told["agents_by"]["m"]["environment"]["bank"]["clean"]["pass_rate"] == 0
    with pytest.raises(
        CommandError, match=r"row 2: several environments have a task of this name; name the environment"
    ):
        figures(tmp_path, attempts, [runs[0], RUN | {"run_id": "r2"}], tasks)
    with pytest.raises(CommandError, match=r"row 1, 2: task is there twice"):
        figures(tmp_path, attempts, runs, [TASK, TASK])


def test_no_rows_give_nulls_and_no_number(tmp_path: Path) -> None:
    told = figures(tmp_path, [], [])
    assert told["human_panel"]["clean"]["cold"]["pass_rate"] is None
    assert told["duplicate_audit"]["cold"]["undefined"]["kappa"] == "there is no pair"
    assert told["human_drop"]["warm"] == {
        "n": 0, "points": None, "points_interval": None, "score": None, "score_interval": None,
    }  # fmt: skip


def test_only_complete_attempts_count_and_practice_never(tmp_path: Path) -> None:
    others = [
        ATTEMPT | {"attempt_id": "a2", "status": "rolled_back", "passed": None, "score": None},
        ATTEMPT | {"attempt_id": "a3", "role": "practice"},
    ]
    assert figures(tmp_path, [ATTEMPT, *others], [])["human_panel"]["clean"]["warm"]["n"] == 1


def test_what_lies_outside_the_panel_counts_neither_for_people_nor_for_agents(tmp_path: Path) -> None:
    tasks = [TASK, TASK | {"task": "t2", "in_panel": False}]
    attempts = [ATTEMPT, ATTEMPT | {"attempt_id": "a2", "task": "t2"}]
    told = figures(tmp_path, attempts, [RUN, RUN | {"run_id": "r2", "task": "t2"}], tasks)
    assert told["tasks"] == {"all": 2, "panel": 1, "with_attempts": 1}
    assert (told["human_panel"]["clean"]["warm"]["n"], told["agents"]["m"]["clean"]["n"]) == (1, 1)
    assert told["annotators"]["P1"]["clean"]["warm"]["n"] == 1


def test_times_of_different_kinds_are_not_put_together(tmp_path: Path) -> None:
    tasks, attempts = [TASK, TASK | {"task": "t2"}], [ATTEMPT, ATTEMPT | {"attempt_id": "a2", "task": "t2"}]
    wall, added = RUN | {"time_unit": "wall"}, RUN | {"run_id": "r2", "task": "t2", "time_unit": "sum_of_steps"}
    mixed = figures(tmp_path, attempts, [wall, added], tasks)["efficiency"]["m"]["clean"]
    assert (mixed["time_ratio"]["n"], mixed["time_ratio"]["median"], mixed["step_ratio"]["n"]) == (0, None, 2)
    assert "the runs' times are of different kinds (sum_of_steps, wall)" in (note(mixed) or "")
    for run, told in (
        (wall, None),
        (added, "the runs' time is that of their steps, added up; people's is from start to end"),
    ):
        one = figures(tmp_path, attempts, [run], tasks)["efficiency"]["m"]["clean"]
        assert (one["time_ratio"]["median"], note(one)) == (5.0, told)
    with pytest.raises(CommandError, match="row 1: time_unit must be one of wall, sum_of_steps"):
        figures(tmp_path, attempts, [RUN | {"time_unit": "s"}], tasks)


def test_steps_of_different_units_are_not_put_together(tmp_path: Path) -> None:
    tasks = [TASK, TASK | {"task": "t2"}]
    told = figures(tmp_path, [ATTEMPT], [RUN, RUN | {"run_id": "r2", "task": "t2", "step_unit": "turn"}], tasks)
    clean = told["efficiency"]["m"]["clean"]
    assert "different units (executed_actions, model_turns)" in clean["refused"]
    under = RUN | {"run_id": "r2", "condition": "intervention", "step_unit": "turn"}
    apart = figures(tmp_path, [ATTEMPT], [RUN, under], tasks)["efficiency"]["m"]
    assert all("different units (executed_actions, model_turns)" in one["refused"] for one in apart.values())
    assert "within_1H_of_panel" not in clean
    assert clean["time_ratio"]["median"] == 5.0


@pytest.mark.parametrize(
    ("attempt", "run", "said"),
    [
        ({"passed": False}, {}, "no task of the panel has a reference under this condition yet"),
        ({}, {"steps": None, "step_unit": ""}, "the runs do not tell their steps"),
    ],
)
def test_shares_within_the_references_steps_are_refused_where_nothing_tells_them(
    tmp_path: Path, attempt: dict[str, Any], run: dict[str, Any], said: str
) -> None:
    clean = figures(tmp_path, [ATTEMPT | attempt], [RUN | run])["efficiency"]["m"]["clean"]
    assert clean["refused"] == said
    assert "within_1H_of_panel" not in clean


def test_a_reference_without_steps_counts_as_one_and_stays_out_of_ratios(tmp_path: Path) -> None:
    clean = figures(tmp_path, [ATTEMPT | {"steps": 0}], [RUN | {"steps": 1}])["efficiency"]["m"]["clean"]
    assert clean["within_1H_of_panel"] == 1.0
    assert clean["step_ratio"] == {"n": 0, "mean_of_ratios": None, "median": None, "ratio_of_means": None}


def test_a_model_that_several_harnesses_ran_is_an_agent_per_harness(tmp_path: Path) -> None:
    under = RUN | {"condition": "intervention", "passed": False, "score": 0}
    runs = [RUN, under | {"run_id": "r2"}, RUN | {"run_id": "r3", "harness": None}, under | {"run_id": "r4", "harness": None},
            RUN | {"run_id": "r5", "model": "n"}]  # fmt: skip
    told = figures(tmp_path, [ATTEMPT], runs)
    assert set(told["agents"]) == {"m (text)", "m (no harness)", "n"}
    for name in ("m (text)", "m (no harness)"):
        assert told["agents"][name]["drop"]["n"] == 1
        assert told["efficiency"][name]["clean"]["within_2H_of_panel"] == 1.0


def test_no_two_agents_have_one_name(tmp_path: Path) -> None:
    agents = [("m", "text"), ("m", "pixels"), ("m (text)", None), ("m (text) (no harness)", "text"), ("n", "")]
    runs = [
        RUN | {"run_id": f"r{place}", "model": model, "harness": harness, "passed": place == 0}
        for place, (model, harness) in enumerate(agents)
    ]
    told = figures(tmp_path, [ATTEMPT], runs)["agents"]
    assert {name: one["clean"]["n"] for name, one in told.items()} == dict.fromkeys(
        ["m (text)", "m (pixels)", "m (text) (no harness)", "m (text) (no harness) (text)", "n"], 1
    )
    assert told["m (text)"]["clean"]["pass_rate"] == 1
    alike = RUN | {"run_id": "r9", "model": "n", "harness": "no harness"}
    with pytest.raises(CommandError, match=r"two agents that would be called n \(no harness\)"):
        figures(tmp_path, [ATTEMPT], [*runs, alike])
    with pytest.raises(CommandError, match=r"several runs.* for model n, harness None"):
        figures(tmp_path, [ATTEMPT], [*runs, runs[-1] | {"run_id": "r9", "harness": None}])


def test_tasks_easy_for_people_and_failed_by_agents(tmp_path: Path) -> None:
    told = figures(tmp_path, [ATTEMPT], [RUN | {"passed": False, "score": 0}])
    assert told["inversions"] == [{"task": "t1", "condition": "clean", "human_steps": 2, "runs": 1, "passed": 0}]


def test_undefined_agreement_says_why() -> None:
    always = passes(np.array([True, True]), np.array([True, True]))
    assert (always["kappa"], always["ac1"], always["mcnemar_p"]) == (None, 1.0, None)
    assert "chance alone" in always["undefined"]["kappa"]
    flat = ratios(np.array([5.0, 5.0]), np.array([7.0, 8.0]))
    assert flat["spearman"] is None
    assert flat["undefined"] == {"spearman": "ranks need two pairs and numbers that differ"}
    assert ratios(np.array([]), np.array([]))["undefined"]["icc_a1"] == "there is no pair with both numbers over 0"


def test_icc_of_equal_numbers_is_one_and_counts_a_constant_gap() -> None:
    one = np.array([1.0, 2.0, 3.0, 4.0])
    assert icc_a1(one, one) == pytest.approx(1.0)
    gap = icc_a1(one, one + 1)
    assert gap is not None
    assert gap == pytest.approx(10 / 13)  # MSR 10/3, MSC 2, MSE 0


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=60))
def test_intervals_hold_the_mean_and_are_the_same_every_time(values: list[float]) -> None:
    found = np.array(values)
    ends = bootstrap.mean_interval(found)
    assert ends is not None
    assert ends[0] <= found.mean() <= ends[1]
    assert bootstrap.mean_interval(found) == ends


def test_few_values_and_whole_resamples_give_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.array([0.0] * 30 + [1.0] * 70 + [0.5] * 40)
    quick = bootstrap.mean_interval(values)
    monkeypatch.setattr(bootstrap, "MANY", 0)
    slow = bootstrap.mean_interval(values)
    assert quick is not None
    assert slow is not None
    assert all(math.isclose(a, b, abs_tol=0.01) for a, b in zip(quick, slow, strict=True))


def test_the_frontier() -> None:
    points = [
        {"name": "slow and good", "pass_rate": 0.9, "mean_seconds": 90.0},
        {"name": "quick and poor", "pass_rate": 0.4, "mean_seconds": 10.0},
        {"name": "slow and poor", "pass_rate": 0.4, "mean_seconds": 90.0},
        {"name": "twin", "pass_rate": 0.9, "mean_seconds": 90.0},
        {"name": "without times", "pass_rate": 1.0, "mean_seconds": None},
    ]
    assert frontier(points) == ["slow and good", "quick and poor", "twin"]


def test_the_frontier_is_over_the_tasks_that_all_models_compared_have() -> None:
    def timed(model: str, tasks: range, passed: range, ms: float | None = 1000.0) -> list[dict[str, Any]]:
        return [
            {
                "model": model,
                "condition": "clean",
                "task": f"t{n}",
                "passed": n in passed,
                "elapsed_ms": ms,
                "time_unit": {"all": "wall", "most": "sum_of_steps"}.get(model),
            }
            for n in tasks
        ]

    runs = pl.DataFrame(
        [
            *timed("all", range(10), range(2, 10)),
            *timed("most", range(2, 10), range(2, 6), 500.0),
            *timed("easy ones", range(7, 10), range(7, 10), 100.0),
            *timed("untimed", range(10), range(10), None),
        ],
        schema_overrides={"elapsed_ms": pl.Float64},
    )
    over = points_over(runs, "clean")
    assert (over["tasks"], over["left_out"]) == (8, {"easy ones": 3})
    assert over["points"] == [
        {"name": "all", "n": 8, "pass_rate": 1.0, "mean_seconds": 1.0},
        {"name": "most", "n": 8, "pass_rate": 0.5, "mean_seconds": 0.5},
    ]
    assert frontier(over["points"]) == ["all", "most"]
    assert over["time_units"] == {"sum_of_steps": ["most"], "wall": ["all"]}
    words = frontier_words({"clean": over})
    assert (
        "Times are of different kinds (clean) and compare only roughly: the steps' own, added up: most; from start to end: all."
        in words
    )
    nothing = {"tasks": 0, "left_out": {}, "points": [], "time_units": {}}
    assert points_over(runs, "intervention") == nothing
    assert "different kinds" not in frontier_words({"clean": nothing})


def test_the_text_for_a_terminal(tmp_path: Path) -> None:
    out = StringIO()
    folder = Path(__file__).parents[1] / "vectors" / "statistics" / "small"
    files = {table: folder / f"{table}.jsonl" for table in ("attempts", "tasks", "runs")}
    call_command("compute_metrics", **files, stdout=out)
    assert "20 panel tasks of 166; 20 with attempts" in out.getvalue()
    assert "clean         cold  n =   20  passed  75.0%" in out.getvalue()


def test_peoples_drop_by_a_field_is_one_on_the_same_tasks(tmp_path: Path) -> None:
    tasks = [TASK | {"task": f"t{n}", "primitive": "menus"} for n in range(3)]
    done = [("t0", "clean", True), ("t0", "intervention", False), ("t1", "clean", False), ("t2", "intervention", True)]
    attempts = [
        ATTEMPT
        | {"attempt_id": f"a{place}", "task": task, "condition": condition, "passed": passed, "score": float(passed)}
        for place, (task, condition, passed) in enumerate(done)
    ]
    told = figures(tmp_path, attempts, [], tasks)
    assert told["human_drop_by"]["primitive"]["menus"]["warm"] == {"n": 1, "points": 100.0}
    (row, _), *others = breakdown(told, "primitive")
    assert (row["n"], row["tasks"], row["drop"], others) == (4, 1, 100.0, [])


def test_a_correlation_between_people_needs_ten_attempts() -> None:
    own = np.array([2.0, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    few, enough = agreement(own[:9], 2 * own[:9]), agreement(own, 2 * own)
    assert few["pearson"] is None
    assert "it needs 10 attempts that others made too" in few["undefined"]["pearson"]
    assert enough["pearson"] == pytest.approx(1)


def test_by_family_where_tasks_say_of_which_they_are(tmp_path: Path) -> None:
    tasks = [
        TASK | {"task": name, "family": family} for name, family in (("t1", "menus"), ("t2", "menus"), ("t3", None))
    ]
    attempts = [
        ATTEMPT | {"attempt_id": f"a-{name}", "task": name, "passed": name != "t2", "score": float(name != "t2")}
        for name in ("t1", "t2", "t3")
    ]
    told = figures(tmp_path, attempts, [RUN, RUN | {"run_id": "r3", "task": "t3"}], tasks)
    assert told["human_by"]["family"] == {"menus": {"clean": {"warm": {"n": 2, "pass_rate": 0.5, "mean_score": 0.5}}}}
    assert told["agents_by"]["m"]["family"]["menus"]["clean"] == {"n": 1, "pass_rate": 1.0, "mean_score": 1.0}
    without = figures(tmp_path, [ATTEMPT], [RUN])
    assert "family" not in without["human_by"] | without["agents_by"]["m"]
