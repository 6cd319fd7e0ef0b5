"""Online-Mind2Web folders: `TASK_ID/result.json`, and the verdicts of a judge or of people beside them.

Version 1 lists actions as texts in `action_history`; version 2 (`schema_version: online-mind2web-v2`) gives each as a step of its
own, with its place, thought, address and status. Neither holds a verdict: it comes from JSON lines beside them, a judge's
(`task_id`, `predicted_label`) or people's (`human_label`), 1 for success; 2, not executable, is rejected. People's word goes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tasks_admin.runs import values
from tasks_admin.runs.files import LOOKED, files_of, named, read_json, table_rows, whole_documents
from tasks_admin.runs.seen import as_text, seen
from tasks_admin.runs.shape import By, Given, Heeds, LabelIn, Rejected, Row, RunIn
from tasks_admin.runs.trajectory import NO_STEPS, features

HEEDS: Heeds = ()
PEOPLES = "human_label"
LABELS = (PEOPLES, "predicted_label", "label")  # the first that a task has is its verdict
ACTIONS = ("action_history", "actions", "steps")
DECLARED = ("self_report_completed", "self_report_success", "result_status")
ANSWERS = ("agent_final_answer", "final_result_response")
V2 = "online-mind2web-v2"
TERMINAL = "TASK_COMPLETE"
STATUS = re.compile(r"\|\s*(SUCCESS|FAILED)\s*$")
# The three ways of version 2's grammar: TARGET -> VERB -> words; VERB TARGET -> words; TASK_COMPLETE -> ANSWER: words
TARGET_FIRST = re.compile(r"^(?P<target>.+?) -> (?P<verb>[A-Z_]+) -> ")
VERB_FIRST = re.compile(r"^(?P<verb>[A-Z_]+) (?P<target>.+?) -> ")


class Said(NamedTuple):
    """A label as a line tells it: its number, where it stands, and the judge, who is called as the file."""

    label: int
    place: str
    judge: str


Labels = dict[str, dict[str, list[Said]]]  # by task and field


def signature(path: Path) -> bool:
    """A `result.json` with a task id and a list of actions."""
    return any(map(is_result, whole_documents(file for file in files_of(path) if file.name == "result.json")))


def is_result(found: Any) -> bool:
    return isinstance(found, dict) and "task_id" in found and actions_of(found) is not None


def actions_of(found: dict[str, Any]) -> list[Any] | None:
    return next((found[name] for name in ACTIONS if isinstance(found.get(name), list)), None)


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per `result.json`."""
    labels: Labels = {}
    for file in files_of(path):
        if file.suffix in {".jsonl", ".json"} and file.name != "result.json":
            name = named(file, path)
            yield from note_labels(file, name, labels) if is_judges(file) else unreadable(file, name)
    for file in files_of(path):
        if file.name == "result.json":
            at = named(file, path)
            found = read_json(file, at)
            yield found if isinstance(found, Rejected) else run_of(at, found, labels, given)


def is_judges(file: Path) -> bool:
    """Whether one of a file's first rows is a verdict: what is broken in it is then told."""
    rows = (row for _, row in islice(table_rows(file, file.name), LOOKED) if isinstance(row, dict))
    return any("task_id" in row and label_field(row) for row in rows)


def label_field(row: dict[str, Any]) -> str | None:
    return next((one for one in LABELS if one in row), None)


def unreadable(file: Path, name: str) -> Iterator[Rejected]:
    """Why nothing of a file can be read, which may have been a judge's; nothing of a file of another kind, which is passed over."""
    rows = (row for _, row in islice(table_rows(file, name), LOOKED))
    first = next(rows, None)
    if not isinstance(first, Rejected) or any(isinstance(row, dict) for row in rows):
        return
    if file.suffix == ".jsonl" or isinstance(read_json(file, name), Rejected):
        yield first


def note_labels(file: Path, name: str, labels: Labels) -> Iterator[Rejected]:
    """Take a judge's or people's verdicts in; rows without a label are passed over."""
    for at, row in table_rows(file, name):
        if isinstance(row, Rejected):
            yield row
        elif field := label_field(row):
            try:
                task, label = values.text(row.get("task_id"), "task_id"), values.whole(row[field], field)
            except values.Unusable as error:
                yield Rejected(at, f"{error}.")
                continue
            if task is None:
                yield Rejected(at, "it has a label and no task_id.")
            elif label is not None:
                labels.setdefault(task, {}).setdefault(field, []).append(Said(label, at, file.stem))


def run_of(at: str, found: Any, labels: Labels, given: Given) -> Row:
    actions = actions_of(found) if isinstance(found, dict) else None
    if actions is None:
        return Rejected(at, "it has no list of actions.")
    last = action_text(actions[-1]) if actions else ""
    try:
        task = values.text(found.get("task_id"), "task_id")
        completed = declared(found, last)
    except values.Unusable as error:
        return Rejected(at, f"{error}.")
    if task is None:
        return Rejected(at, "it has no task_id.")
    if fault := out_of_step(found, actions) or unlabelled(task, labels.get(task, {})):
        return Rejected(at, fault)
    said = labels[task]
    field = next(one for one in LABELS if one in said)
    label = said[field][0].label
    answer = next((found[name] for name in ANSWERS if found.get(name)), None)
    return RunIn(
        place=at,
        task=task,
        model=given.model,
        harness=given.harness,
        run_id=task,
        score=float(label),
        passed=label == 1,
        verdict_source="human" if field == PEOPLES else "judge",
        completed=completed,
        steps=len(actions) or None,
        step_unit="executed_actions",
        detail=features([as_call(one) for one in actions], [result_of(one) for one in actions], str(answer or "")),
        seen=seen(map(shown, actions, thoughts_of(found, actions)), answer, found.get("task")),
        labels=[told for one in LABELS for told in labels_in(one, said.get(one, []))],
        without=([] if actions else [NO_STEPS]) + unplaced(found, actions),
    )


def out_of_step(found: dict[str, Any], actions: list[Any]) -> str:
    """Why a version 2 file is not whole: its steps name their own places, so that a lost one shows; "" where it is."""
    version = found.get("schema_version")
    if version is None:
        return ""
    if version != V2:
        return f"its schema_version is {str(version)[:60]!r}; known are version 1, which has none, and {V2!r}."
    for place, one in enumerate(actions):
        if not isinstance(one, dict) or one.get("step") != place:
            return f"place {place} of its action_history is not step {place}: a step is missing or out of order."
    return ""


def unlabelled(task: str, said: dict[str, list[Said]]) -> str:
    """Why there is no verdict; "" where there is one."""
    found = next((said[one] for one in LABELS if one in said), None)
    if found is None:
        return f"nobody judged task {task}: put the judge's JSON lines (task_id, predicted_label) into the folder."
    first = found[0]
    if other := next((one for one in found if one.label != first.label), None):
        return (
            f"task {task} has the label {first.label} ({first.place}) and the label {other.label} ({other.place}); "
            "which one counts is not for us to guess: leave one of them."
        )
    if first.label not in (0, 1):
        return f"task {task} has the label {first.label}, which is neither success nor failure (2: not executable)."
    return ""


def declared(found: dict[str, Any], last: str) -> bool | None:
    """Whether the agent declared itself done: by its own flag, else in version 2 by its last action; None where neither tells.

    Raises Unusable for what is no flag.
    """
    said = (values.flag(found.get(name), name) for name in DECLARED)
    by_action = last.startswith(TERMINAL) if found.get("schema_version") == V2 else None
    return next((one for one in said if one is not None), by_action)


def labels_in(field: str, said: list[Said]) -> list[LabelIn]:
    """What a field's judges said, each once."""
    by: By = "person" if field == PEOPLES else "judge"
    told = (LabelIn(one.judge, by, "success" if one.label == 1 else "failure") for one in said if one.label in (0, 1))
    return list(dict.fromkeys(told))


def action_text(one: Any) -> str:
    return as_text(one.get("action")) if isinstance(one, dict) and one.get("action") else as_text(one)


def as_call(one: Any) -> Any:
    """An action as verb and target: `CLICK(coords(3, 4))` of `CLICK coords(3, 4) -> open the menu | SUCCESS`; others as they are."""
    text = one.get("action") if isinstance(one, dict) and "target" not in one else one
    if not isinstance(text, str):
        return one
    if text.startswith(TERMINAL):
        return "complete()"
    found = TARGET_FIRST.match(text) or VERB_FIRST.match(text)
    return f"{found['verb']}({found['target']})" if found else text


def result_of(one: Any) -> str:
    """`failed` of a step that says so, in its own field or at the end of its action."""
    status = one.get("action_status") if isinstance(one, dict) else None
    if status is None and (found := STATUS.search(action_text(one))):
        status = found[1]
    return "failed" if status == "FAILED" else ""


def thoughts_of(found: dict[str, Any], actions: list[Any]) -> list[Any]:
    """Version 1 lists thoughts beside the actions: which belongs to which is known only where there are as many."""
    told = found.get("thoughts")
    return [None] * len(actions) if told is None or unplaced(found, actions) else told


def unplaced(found: dict[str, Any], actions: list[Any]) -> list[str]:
    """Why the thoughts beside the actions are not taken, where that is so."""
    told = found.get("thoughts")
    if told is None or (isinstance(told, list) and len(told) == len(actions)):
        return []
    return ["its thoughts: which belongs to which of its actions is not told"]


def shown(one: Any, thought: Any) -> dict[str, Any]:
    """A step as people look at it."""
    if not isinstance(one, dict):
        return {"action": one, "thought": thought}
    return {
        "action": as_text(one) if "target" in one else action_text(one),
        "thought": one.get("thought", thought),
        "url": one.get("url"),
        "result": result_of(one),
    }
