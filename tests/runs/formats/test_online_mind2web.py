"""Online-Mind2Web's folders, of both versions, and the verdicts beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks_admin.runs.shape import Rejected
from tests.runs import writing
from tests.runs.formats.reading import read


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
    told = "its thoughts: which belongs to which of its actions is not told"
    assert run.without == ([] if kept[0] else [told])
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


@pytest.mark.parametrize(
    ("said", "completed"),
    [
        ({"self_report_completed": 1}, True),
        ({"self_report_completed": "true"}, True),
        ({"self_report_completed": 0, "result_status": "success"}, False),
        ({"self_report_completed": None, "result_status": "success"}, True),
        ({"result_status": "failed"}, False),
        ({"self_report_completed": "nearly"}, "self_report_completed is 'nearly', neither true nor false."),
    ],
)
def test_online_mind2web_reads_the_agents_own_word_as_a_flag(tmp_path: Path, said: Any, completed: Any) -> None:
    writing.document(tmp_path / "t1" / "result.json", {"task_id": "t1", "action_history": ["CLICK"]} | said)
    writing.lines(tmp_path / "judge.jsonl", {"task_id": "t1", "predicted_label": 1})
    runs, rejected = read(tmp_path, name="online-mind2web")
    if isinstance(completed, str):
        assert (runs, rejected) == ([], [Rejected("t1/result.json", completed)])
    else:
        assert [run.completed for run in runs] == [completed]


def test_online_mind2web_names_what_is_broken_in_a_judges_file_from_its_first_line(tmp_path: Path) -> None:
    writing.document(tmp_path / "t1" / "result.json", {"task_id": "t1", "action_history": []})
    (tmp_path / "t1" / "note.json").write_text('{\n"of": "another kind"\n}')
    writing.lines(tmp_path / "a.jsonl", '{"task_id": "t1", "pred', {"task_id": "t1", "predicted_label": 1})
    writing.lines(tmp_path / "b.jsonl", '{"task_id": "t1", "pred')
    writing.lines(tmp_path / "c.json", '[{"task_id": "t1", "predicted_label": 1}, {"predicted_label": 0}]')
    (run,), rejected = read(tmp_path, name="online-mind2web")
    assert [one.judge for one in run.labels] == ["a", "c"]
    assert (run.steps, run.without) == (None, ["its steps: it lists none"])
    assert [one.place for one in rejected] == ["a.jsonl, line 1", "b.jsonl, line 1", "c.json, item 2"]
    assert rejected[2].reason == "it has a label and no task_id."
