"""AgentRewardBench: cleaned trajectories (`benchmark`, `agent`, `steps`, `summary_info`), annotators' labels in `annotations.csv`.

The environment's verdict is its reward over 0.5, as that benchmark's own scoring has it; people's labels are taken in beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import csv_rows, files_of, named, read_json, whole_documents
from tasks_admin.runs.seen import seen
from tasks_admin.runs.shape import Given, Heeds, LabelIn, Rejected, Row, RunIn, Word
from tasks_admin.runs.trajectory import NO_STEPS, features

HEEDS: Heeds = ("task",)
PEOPLE = "AgentRewardBench's annotators"
Labels = dict[tuple[str, str], dict[str, str]]  # by agent and task: the labels that differ, and where each stands first
LABELLED = ("model_name", "task_id", "trajectory_success")  # columns of annotations.csv
KEYS = {"benchmark", "agent", "steps", "summary_info"}


def signature(path: Path) -> bool:
    """A trajectory file with its benchmark and agent."""
    return any(map(is_trajectory, whole_documents(file for file in files_of(path) if file.suffix == ".json")))


def is_trajectory(found: Any) -> bool:
    return isinstance(found, dict) and set(found) >= KEYS


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per trajectory."""
    labels: Labels = {}
    for file in files_of(path):
        if file.name == "annotations.csv":
            yield from note_labels(file, named(file, path), labels)
    for file in files_of(path):
        if file.suffix == ".json":
            at = named(file, path)
            found = read_json(file, at)
            yield found if isinstance(found, Rejected) else run_of(at, file.stem, found, labels, given)


def note_labels(file: Path, name: str, labels: Labels) -> Iterator[Rejected]:
    """Take annotators' labels in; two that differ of one trajectory are both left, and that is told."""
    for at, row in csv_rows(file, name):
        if isinstance(row, Rejected):
            yield row
            continue
        told = [row.get(name, "").strip() for name in LABELLED]
        if "" in told:
            yield Rejected(at, f"it names no {LABELLED[told.index('')]}.")
            continue
        key, said = (told[0], told[1]), told[2].lower()
        known = labels.setdefault(key, {})
        if known and said not in known:
            first = next(iter(known))
            yield Rejected(
                at, f"{key[1]} of {key[0]} is {said!r} here and {first!r} in {known[first]}; neither label is taken."
            )
        known.setdefault(said, at)


def run_of(at: str, stem: str, found: Any, labels: Labels, given: Given) -> Row:
    if not is_trajectory(found):
        return Rejected(at, f"it lacks one of {', '.join(sorted(KEYS))}.")
    try:
        summary = values.mapping(found["summary_info"], "summary_info")
        steps = values.objects(found["steps"], "steps")
        agent = values.text(found["agent"], "agent")
        model = values.text(found.get("model"), "model")
        score = values.number(summary.get("cum_reward"), "cum_reward", 1)
        turns = values.whole(summary.get("n_steps"), "n_steps")
        terminated = values.flag(summary.get("terminated"), "terminated")
        label = people_said(labels.get((agent or "", stem), {}))
    except values.Unusable as error:
        return Rejected(at, f"{error}.")
    if score is None:
        return Rejected(at, "summary_info has no cum_reward.")
    actions = [step.get("action") for step in steps]
    thought = str(steps[-1].get("reasoning") or "") if steps else ""
    return RunIn(
        place=at,
        task=given.task or stem,
        model=given.model or model or agent,
        harness=given.harness or agent,
        run_id=f"{agent or ''}/{stem}",
        score=score,
        passed=score > 0.5,
        completed=terminated,
        steps=(len(actions) or None) if turns is None else turns,
        step_unit="model_turns",
        detail=features(actions, [step.get("last_action_error") for step in steps], thought)
        | ({"human_label": label == "success"} if label in ("success", "failure") else {}),
        seen=seen(map(shown, steps), task=found.get("goal")),
        labels=[] if label is None else [LabelIn(PEOPLE, "person", label)],
        without=[NO_STEPS] if turns is None and not actions else [],
    )


def people_said(labels: dict[str, str]) -> Word | None:
    """The annotators' word on a trajectory, None where there is none or two differ. Raises Unusable."""
    told = next(iter(labels)) if len(labels) == 1 else None
    if told == "unsure":
        return "unsure"
    found = values.flag(told, "trajectory_success")
    return None if found is None else "success" if found else "failure"


def shown(step: dict[str, Any]) -> dict[str, Any]:
    """A step as people look at it."""
    return {
        "action": step.get("action"),
        "thought": step.get("reasoning"),
        "url": step.get("url"),
        "result": step.get("last_action_error"),
    }
