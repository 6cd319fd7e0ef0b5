"""What each format gives of files as its harness writes them, and how each is told by its signature."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tasks_admin.runs.registry import FORMATS, find_format
from tasks_admin.runs.shape import BadRuns, Given, Rejected, RunIn
from tests.runs import writing

STEP = {"action": "click('a51')", "elapsed": 1.0, "thought": "again"}


def read(path: Path, given: Given | None = None, name: str | None = None) -> tuple[list[RunIn], list[Rejected]]:
    found = find_format(path)
    assert name is None or found.name == name
    rows = list(found.read(path, given or Given()))
    return [row for row in rows if isinstance(row, RunIn)], [row for row in rows if isinstance(row, Rejected)]


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


def test_agentlab_has_no_success_flag_and_its_pickles_stay_closed(tmp_path: Path) -> None:
    writing.agentlab(tmp_path, "2026-01-02_03-04-05_GenericAgent-gpt-4o_on_miniwob.click-button_12")
    writing.agentlab(tmp_path, "2026-01-02_03-04-06_GenericAgent-gpt-4o_on_miniwob.enter-text_3", cum_reward=0.5)
    writing.agentlab(tmp_path, "odd")
    bad = tmp_path / "2026-01-02_03-04-05_GenericAgent-gpt-4o_on_miniwob.click-button_12" / "exp_args.pkl"
    bad.write_bytes(b"cos\nsystem\n(S'touch pwned'\ntR.")
    runs, rejected = read(tmp_path, name="agentlab")
    assert [(run.task, run.model, run.score, run.passed) for run in runs] == [
        ("miniwob.click-button", "GenericAgent-gpt-4o", 1.0, True),
        ("miniwob.enter-text", "GenericAgent-gpt-4o", 0.5, False),
    ]
    assert (runs[0].elapsed_ms, runs[0].time_unit, runs[0].steps) == (10_000, "sum_of_steps", 7)
    assert "say the task" in rejected[0].reason
    assert not (tmp_path / "pwned").exists()


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
    path = writing.browser_use(tmp_path / "x.json", success=None)
    assert read(path)[0][0].passed is False


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


def test_what_is_no_ordinary_file_is_left(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "gone.jsonl")
    writing.lines(tmp_path / "c.jsonl", {"task": "b", "score": 1})
    assert [run.task for run in read(tmp_path)[0]] == ["b"]


def test_webarena_logs(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(
        "2026-01-01 10:00:00,000 - INFO - [Config file]: config_files/1.json\n2026-01-01 10:00:20,000 - INFO - [Intent]: x\n"
        "2026-01-01 10:01:00,000 - INFO - [Result] (PASS) config_files/1.json\n"
        "2026-01-01 10:01:01,000 - INFO - [Config file]: config_files/2.json\n"
        "2026-01-01 10:01:09,000 - INFO - [Unhandled Error] TimeoutError('x')\n"
        "2026-01-01 10:02:00,000 - INFO - [Config file]: config_files/3.json\n"
        "2026-01-01 10:02:30,000 - INFO - [Result] (FAIL) config_files/3.json\n"
    )
    runs, (rejected,) = read(tmp_path, name="webarena")
    assert [(run.task, run.passed, run.elapsed_ms, run.steps) for run in runs] == [
        ("1", True, 60_000, None),
        ("3", False, 30_000, None),
    ]
    assert "task 2 has no result line: TimeoutError" in rejected.reason


def test_webarena_times_a_result_from_its_own_tasks_config_alone(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(
        "2026-01-01 10:00:00 [Config file]: x/a.json\n2026-01-01 10:00:50 [Config file]: x/b.json\n"
        "2026-01-01 10:01:00 [Result] (PASS) x/a.json\n2026-01-01 10:02:00 [Result] (PASS) x/other.json\n"
        "2026-01-01 10:00:49 [Result] (PASS) x/b.json\n2026-01-01 10:03:00 [Config file]: x/c.json\n"
        "2026-01-01 10:04:00 [Config file]: x/c.json\n2026-01-01 10:04:09 [Result] (FAIL) x/c.json\n"
    )
    runs, rejected = read(tmp_path, name="webarena")
    assert [(run.task, run.elapsed_ms, run.time_unit) for run in runs] == [
        ("a", 60_000, "wall"),
        ("other", None, None),
        ("c", 9000, "wall"),
    ]
    assert rejected == [
        Rejected("run.log, line 5", "the time of its result line is before that of its config line."),
        Rejected("run.log, line 6", "task c has no result line; the log ends or begins it anew before one."),
    ]


@pytest.mark.parametrize("odd", ["2026-13-45 99:99:99", "2026-01-01 24:00:00"])
def test_webarena_rejects_a_run_by_a_time_that_does_not_exist(tmp_path: Path, odd: str) -> None:
    (tmp_path / "run.log").write_text(
        f"{odd} [Config file]: x/1.json\n2026-01-01 10:01:00 [Result] (PASS) x/1.json\n"
        f"2026-01-01 10:02:00 [Config file]: x/2.json\n{odd} [Result] (PASS) x/2.json\n"
        "2026-01-01 10:03:00 [Config file]: x/3.json\n2026-01-01 10:03:09 [Result] (PASS) x/3.json\n"
    )
    runs, rejected = read(tmp_path, name="webarena")
    assert [(run.task, run.elapsed_ms) for run in runs] == [("3", 9000)]
    reason = f"its time is {odd!r}, which is no date."
    assert rejected == [Rejected("run.log, line 2", reason), Rejected("run.log, line 4", reason)]


def test_online_mind2web_needs_somebody_who_judged(tmp_path: Path) -> None:
    writing.document(
        tmp_path / "t1" / "result.json", {"task_id": "t1", "task": "x", "action_history": ["CLICK", "TYPE"]}
    )
    steps = [{"action": "click", "target": "a"}] * 3
    writing.document(tmp_path / "t2" / "result.json", {"task_id": "t2", "steps": steps, "self_report_success": True})
    writing.document(tmp_path / "t3" / "result.json", {"task_id": "t3", "action_history": []})
    writing.lines(
        tmp_path / "judge.jsonl", {"task_id": "t1", "predicted_label": 1}, {"task_id": "t2", "predicted_label": 0}
    )
    runs, (rejected,) = read(tmp_path, name="online-mind2web")
    assert [(run.task, run.passed, run.steps, run.verdict_source) for run in runs] == [
        ("t1", True, 2, "judge"),
        ("t2", False, 3, "judge"),
    ]
    assert runs[1].completed is True
    assert "nobody judged task t3" in rejected.reason


@pytest.mark.parametrize(("thoughts", "kept"), [(["first", "second"], ["first", "second"]), (["first"], [None, None])])
def test_online_mind2web_version_1_thoughts_count_where_there_are_as_many(
    tmp_path: Path, thoughts: list[str], kept: list[str | None]
) -> None:
    found = {"task_id": "t1", "task": "x", "action_history": ["Click at (600, 475)", "Press ENTER"], "thoughts": thoughts,
             "result_status": "success", "final_result_response": "It is there."}  # fmt: skip
    writing.document(tmp_path / "t1" / "result.json", found)
    writing.lines(tmp_path / "judge.jsonl", {"task_id": "t1", "predicted_label": 0})
    (run,), _ = read(tmp_path, name="online-mind2web")
    assert run.seen is not None
    assert [step.get("thought") for step in run.seen.steps] == kept
    assert (run.seen.answer, run.completed) == ("It is there.", True)


STEPS_V2 = [
    {"action": "page -> NAVIGATE -> open the shop | SUCCESS", "url": "http://x/", "thought": "First the shop."},
    {"action": "CLICK coords(902, 204) -> open the tea | FAILED", "action_status": "FAILED", "thought": None},
    {"action": "CLICK coords(902, 204) -> open the tea | SUCCESS", "thought": "Again."},
    {"action": "TASK_COMPLETE -> ANSWER: it costs 3", "thought": None},
]


def mind2web_v2(folder: Path, task: str, steps: list[dict[str, Any]], **changed: Any) -> None:
    rows = [{"step": place, "screenshot": f"{place:04}.png"} | one for place, one in enumerate(steps)]
    found = {"schema_version": "online-mind2web-v2", "task_id": task, "task": "Buy tea.", "action_history": rows,
             "agent_final_answer": "it costs 3", "reference_length": 3}  # fmt: skip
    writing.document(folder / task / "result.json", found | changed)


def test_online_mind2web_with_two_verdicts_of_one_task(tmp_path: Path) -> None:
    for task in ("t1", "t2", "t3"):
        writing.document(tmp_path / task / "result.json", {"task_id": task, "action_history": ["CLICK"]})
    writing.lines(tmp_path / "a.jsonl", *[{"task_id": task, "predicted_label": 1} for task in ("t1", "t2", "t3")])
    writing.lines(
        tmp_path / "b.jsonl", *[{"task_id": f"t{n}", "predicted_label": one} for n, one in ((1, 0), (2, 1), (3, 0))]
    )
    writing.lines(tmp_path / "people.jsonl", {"task_id": "t3", "human_label": 0})
    (same, settled), (rejected,) = read(tmp_path, name="online-mind2web")
    assert rejected.place == "t1/result.json"
    assert "the label 1 (a.jsonl, line 1) and the label 0 (b.jsonl, line 1)" in rejected.reason
    assert (same.task, same.passed, [one.judge for one in same.labels]) == ("t2", True, ["a", "b"])
    assert (settled.task, settled.passed, settled.verdict_source) == ("t3", False, "human")
    assert [(one.judge, one.word) for one in settled.labels] == [
        ("people", "failure"),
        ("a", "success"),
        ("b", "failure"),
    ]


def test_online_mind2web_version_2_holds_each_step_together(tmp_path: Path) -> None:
    mind2web_v2(tmp_path, "whole", STEPS_V2)
    mind2web_v2(tmp_path, "open", STEPS_V2[:3], agent_final_answer=None)
    mind2web_v2(tmp_path, "lost", [{"step": 1} | STEPS_V2[0]])
    mind2web_v2(tmp_path, "later", STEPS_V2, schema_version="online-mind2web-v3")
    tasks = ("whole", "open", "lost", "later")
    writing.lines(tmp_path / "WebJudge.jsonl", *[{"task_id": task, "predicted_label": 1} for task in tasks])
    writing.lines(tmp_path / "human.jsonl", {"task_id": "whole", "human_label": 0})
    runs, rejected = read(tmp_path, name="online-mind2web")
    open_, whole = runs
    assert (whole.passed, whole.verdict_source, whole.completed, whole.steps) == (False, "human", True, 4)
    assert (open_.passed, open_.verdict_source, open_.completed, open_.steps) == (True, "judge", False, 3)
    assert [(one.judge, one.by, one.word) for one in whole.labels] == [
        ("human", "person", "failure"),
        ("WebJudge", "judge", "success"),
    ]
    assert (whole.detail["done_verb"], whole.detail["longest_repeat"], whole.detail["action_errors"]) == (True, 2, 1)
    assert whole.seen is not None
    assert (whole.seen.answer, whole.seen.task) == ("it costs 3", "Buy tea.")
    assert whole.seen.steps[:2] == [
        {"action": "page -> NAVIGATE -> open the shop | SUCCESS", "thought": "First the shop.", "url": "http://x/"},
        {"action": "CLICK coords(902, 204) -> open the tea | FAILED", "result": "failed"},
    ]
    assert [one.place for one in rejected] == ["later/result.json", "lost/result.json"]
    assert "'online-mind2web-v3'; known are" in rejected[0].reason
    assert "place 0 of its action_history is not step 0" in rejected[1].reason


def test_what_may_be_looked_at_tells_no_verdict(tmp_path: Path) -> None:
    (run,), _ = read(writing.browser_use(tmp_path / "a.json"), Given(model="m"))
    assert run.seen is not None
    assert run.seen.steps[-1]["action"] == 'done(text="All done")'
    assert "success" not in str(run.seen)
    (bare,), _ = read(writing.lines(tmp_path / "b.jsonl", {"task": "a", "score": 1, "model": "m"}))
    assert bare.seen is None


def test_agentrewardbench_keeps_peoples_labels_beside_the_reward(tmp_path: Path) -> None:
    found = {"benchmark": "webarena", "agent": "GenericAgent-x", "model": "x", "summary_info": {"cum_reward": 1.0, "n_steps": 2},
             "steps": [{"action": "click('3')"}, {"action": "send_msg_to_user('ok')"}]}  # fmt: skip
    writing.document(tmp_path / "webarena.1.json", found)
    (tmp_path / "annotations.csv").write_text(
        "benchmark,model_name,task_id,trajectory_success\nwebarena,GenericAgent-x,webarena.1,Unsuccessful\n"
    )
    (run,), _ = read(tmp_path, name="agentrewardbench")
    assert (run.task, run.passed, run.detail["human_label"], run.detail["done_verb"]) == (
        "webarena.1",
        True,
        False,
        True,
    )


def test_agentrewardbench_takes_neither_of_two_labels_that_differ(tmp_path: Path) -> None:
    for task in ("a", "b"):
        found = {
            "benchmark": "w",
            "agent": "x",
            "summary_info": {"cum_reward": 1.0},
            "steps": [{"action": "click('3')"}],
        }
        writing.document(tmp_path / f"{task}.json", found)
    (tmp_path / "annotations.csv").write_text(
        "model_name,task_id,trajectory_success\nx,a,Successful\nx,b,Successful\nx,a,Unsuccessful\nx,b,successful\nx,a,Successful\n"
    )
    runs, (rejected,) = read(tmp_path, name="agentrewardbench")
    assert [[one.word for one in run.labels] for run in runs] == [[], ["success"]]
    assert rejected.place == "annotations.csv, line 4"
    assert "a of x is 'unsuccessful' here and 'successful' in annotations.csv, line 2" in rejected.reason


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
