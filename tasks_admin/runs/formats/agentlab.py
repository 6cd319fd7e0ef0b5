"""Folders of BrowserGym and AgentLab: one per run, with `summary_info.json`.

There is no success flag: a run passed where the cumulative reward is 1. The arguments of a run are in pickles, which are never
loaded (a pickle runs code): task and model are read from the folder's name as AgentLab writes it, `…_AGENT_on_TASK_SEED`, or
given. `agentlab_export.py.txt` beside this file is a script that writes them as JSON lines on the user's own machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, named, read_json
from tasks_admin.runs.shape import Given, Heeds, Rejected, Row, RunIn
from tasks_admin.runs.trajectory import untimed

HEEDS: Heeds = ("task",)
SUMMARY = "summary_info.json"
FOLDER = re.compile(
    r"^(?:\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_)?(?P<agent>.+)_on_(?P<task>.+?)(?:_(?P<seed>\d+))?(?:_[0-9a-f]{6})?$"
)


def signature(path: Path) -> bool:
    """A folder with summaries, or a summary."""
    return any(file.name == SUMMARY for file in files_of(path))


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per folder with a summary."""
    for file in files_of(path):
        if file.name == SUMMARY:
            at = named(file, path)
            found = read_json(file, at)
            yield found if isinstance(found, Rejected) else run_of(at, file.resolve().parent.name, found, given)


def run_of(at: str, folder: str, summary: Any, given: Given) -> Row:
    """The run of a summary."""
    name = FOLDER.match(folder)
    task = given.task or (name["task"] if name else None)
    if not isinstance(summary, dict):
        return Rejected(at, "it is no JSON object.")
    if task is None:
        return Rejected(at, f"the folder {folder!r} names no task as AgentLab does (…_on_TASK_SEED); say the task.")
    try:
        score = values.number(summary.get("cum_reward"), "cum_reward", 1)
        took = [values.ms_of_seconds(summary.get(f"stats.cum_{part}_elapsed"), part) for part in ("step", "agent")]
        known = [one for one in took if one is not None]
        ms = sum(known) if len(known) == len(took) else None
        flags = {name: values.flag(summary.get(name), name) for name in ("terminated", "truncated")}
        steps = values.whole(summary.get("n_steps"), "n_steps")
    except values.Unusable as error:
        return Rejected(at, f"{error}.")
    detail: dict[str, Any] = {name: said for name, said in flags.items() if said is not None}
    if summary.get("err_msg"):
        detail["error"] = str(summary["err_msg"])[:400]
    return RunIn(
        place=at,
        task=task,
        model=given.model or (name["agent"] if name else None),
        harness=given.harness or "agentlab",
        run_id=folder,
        score=score,
        passed=None if score is None else score >= 1,
        completed=flags["terminated"],
        steps=steps,
        step_unit="model_turns",  # the agent is asked once per step
        elapsed_ms=ms,
        time_unit=None if ms is None else "sum_of_steps",
        detail=detail,
        without=untimed(took, "parts (step, agent)"),
    )
