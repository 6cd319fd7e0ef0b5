"""Online-Mind2Web folders: `TASK_ID/result.json`, and the verdicts of a judge or of people beside them.

Version 1 lists actions as texts in `action_history`; later submissions give each action as an object. Neither holds a verdict:
it comes from a judge's JSON lines (`task_id`, `predicted_label`), 1 for success; 2, not executable, is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, json_lines, named, read_json
from tasks_admin.runs.shape import Given, Rejected, Row, RunIn
from tasks_admin.runs.trajectory import features

LABELS = ("predicted_label", "human_label", "label")
ACTIONS = ("action_history", "actions", "steps")
Labels = dict[str, tuple[int | None, str]]


def signature(path: Path) -> bool:
    """A `result.json` with a task id and a list of actions."""
    for file in files_of(path):
        if file.name == "result.json":
            found = read_json(file, file.name)
            return isinstance(found, dict) and "task_id" in found and actions_of(found) is not None
    return False


def actions_of(found: dict[str, Any]) -> list[Any] | None:
    return next((found[name] for name in ACTIONS if isinstance(found.get(name), list)), None)


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per `result.json`."""
    labels: Labels = {}
    for file in files_of(path):
        if file.suffix in {".jsonl", ".json"} and file.name != "result.json":
            yield from note_labels(file, named(file, path), labels)
    for file in files_of(path):
        if file.name == "result.json":
            at = named(file, path)
            found = read_json(file, at)
            yield found if isinstance(found, Rejected) else run_of(at, found, labels, given)


def note_labels(file: Path, name: str, labels: Labels) -> Iterator[Rejected]:
    """Take a judge's or people's verdicts in; files of another kind are passed over, broken lines of a judge's are told."""
    known = False
    for at, row in json_lines(file, name):
        if isinstance(row, Rejected):
            if known:
                yield row
            continue
        field = next((one for one in LABELS if one in row), None)
        if field is None or "task_id" not in row:
            continue
        known = True
        try:
            labels[str(row["task_id"])] = (values.whole(row[field], field), field)
        except values.Unusable as error:
            yield Rejected(at, f"{error}.")


def run_of(at: str, found: Any, labels: Labels, given: Given) -> Row:
    actions = actions_of(found) if isinstance(found, dict) else None
    if actions is None or not found.get("task_id"):
        return Rejected(at, "it has no task_id or no list of actions.")
    task = str(found["task_id"])
    label, field = labels.get(task, (None, ""))
    if label is None:
        return Rejected(
            at, f"nobody judged task {task}: put the judge's JSON lines (task_id, predicted_label) into the folder."
        )
    if label not in (0, 1):
        return Rejected(
            at, f"task {task} has the label {label}, which is neither success nor failure (2: not executable)."
        )
    said = found.get("self_report_success", found.get("result_status"))
    return RunIn(
        place=at,
        task=task,
        model=given.model,
        harness=given.harness,
        run_id=task,
        score=float(label),
        passed=label == 1,
        verdict_source="human" if field == "human_label" else "judge",
        completed=said if isinstance(said, bool) else None if said is None else str(said).lower() == "success",
        steps=len(actions),
        step_unit="executed_actions",
        detail=features(actions, final_thought=str(found.get("final_result_response") or "")),
    )
