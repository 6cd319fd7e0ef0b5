"""AgentRewardBench's trajectories and the labels beside them."""

from __future__ import annotations

from pathlib import Path

from tasks_admin.runs.shape import Rejected
from tests.runs import writing
from tests.runs.formats.reading import read


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
        "x,b,\n,b,Unsuccessful\n"
    )
    runs, (rejected, unlabelled, unnamed) = read(tmp_path, name="agentrewardbench")
    assert [[one.word for one in run.labels] for run in runs] == [[], ["success"]]
    assert rejected.place == "annotations.csv, line 4"
    assert "a of x is 'unsuccessful' here and 'successful' in annotations.csv, line 2" in rejected.reason
    assert unlabelled == Rejected("annotations.csv, line 7", "it names no trajectory_success.")
    assert unnamed == Rejected("annotations.csv, line 8", "it names no model_name.")


def test_agentrewardbench_drops_no_step_and_counts_none_out_of_nothing(tmp_path: Path) -> None:
    whole = {"benchmark": "w", "agent": "x", "summary_info": {"cum_reward": 1.0}, "steps": [{"action": "click('3')"}]}
    writing.document(tmp_path / "a.json", whole)
    writing.document(tmp_path / "b.json", whole | {"steps": []})
    writing.document(tmp_path / "c.json", whole | {"steps": [*whole["steps"], "click('4')"]})
    writing.document(tmp_path / "d.json", whole | {"summary_info": {"cum_reward": 1, "terminated": "perhaps"}})
    runs, rejected = read(tmp_path, name="agentrewardbench")
    assert [(run.steps, run.without) for run in runs] == [(1, []), (None, ["its steps: it lists none"])]
    assert rejected == [
        Rejected("c.json", "steps holds at place 2 what is no JSON object."),
        Rejected("d.json", "terminated is 'perhaps', neither true nor false."),
    ]
