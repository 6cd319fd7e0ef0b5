"""Folders of BrowserGym and AgentLab."""

from __future__ import annotations

from pathlib import Path

from tests.runs import writing
from tests.runs.formats.reading import read


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


def test_agentlab_has_no_time_of_one_part_alone_and_reads_flags_strictly(tmp_path: Path) -> None:
    writing.agentlab(tmp_path, "A_on_miniwob.a_1", terminated="true", **{"stats.cum_agent_elapsed": None})
    writing.agentlab(tmp_path, "A_on_miniwob.b_1", truncated="perhaps")
    (run,), (rejected,) = read(tmp_path, name="agentlab")
    assert (run.completed, run.elapsed_ms, run.time_unit) == (True, None, None)
    assert run.without == ["its time: no more than 1 of its 2 parts (step, agent) tell it"]
    assert rejected.reason == "truncated is 'perhaps', neither true nor false."
