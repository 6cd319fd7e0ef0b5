"""browser-use's history JSON: a list of turns, each with one or more actions and their results.

Success is what the agent says of itself in its `done` action, and marked so; one that never came to it has not passed. Turns and
actions are both counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, named, read_json, whole_documents
from tasks_admin.runs.seen import seen
from tasks_admin.runs.shape import Given, Heeds, Rejected, Row, RunIn
from tasks_admin.runs.trajectory import features, untimed

HEEDS: Heeds = ("task", "step_unit")


def signature(path: Path) -> bool:
    """A JSON file with a `history` of turns with a `model_output`."""
    return any(map(is_history, whole_documents(file for file in files_of(path) if file.suffix == ".json")))


def is_history(found: Any) -> bool:
    turns = found.get("history") if isinstance(found, dict) else None
    return isinstance(turns, list) and bool(turns) and isinstance(turns[0], dict) and "model_output" in turns[0]


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per history file; the task is given, or the file's name."""
    for file in files_of(path):
        if file.suffix != ".json":
            continue
        at = named(file, path)
        found = read_json(file, at)
        if isinstance(found, Rejected):
            yield found
        elif not is_history(found):
            yield Rejected(at, "it has no history of turns with a model_output.")
        else:
            yield run_of(at, file.stem, found["history"], given)


def whole(turn: Any) -> dict[str, Any]:
    """A turn whose parts have the forms that the rest relies on. Raises Unusable."""
    if not isinstance(turn, dict):
        raise values.Unusable("a turn of the history is no JSON object")
    said = values.mapping(turn.get("model_output"), "model_output")
    parts = {name: values.mapping(turn.get(name), name) for name in ("state", "metadata")}
    said = said | {"action": values.listed(said.get("action"), "action")}
    return turn | parts | {"model_output": said, "result": values.objects(turn.get("result"), "result")}


def run_of(at: str, stem: str, turns: list[Any], given: Given) -> Row:
    try:
        return parsed(at, stem, [whole(turn) for turn in turns], given)
    except values.Unusable as error:
        return Rejected(at, f"{error}.")


def parsed(at: str, stem: str, turns: list[dict[str, Any]], given: Given) -> RunIn:
    actions = [action for turn in turns for action in turn["model_output"]["action"]]
    results = [result for turn in turns for result in turn["result"]]
    last = results[-1] if results else {}
    unit = given.step_unit or "executed_actions"
    times = [elapsed_of(turn) for turn in turns]
    known = [one for one in times if one is not None]
    took = sum(known) if len(known) == len(turns) else None
    completed = bool(values.flag(last.get("is_done"), "is_done"))
    success = values.flag(last.get("success"), "success")
    if completed and success is None:
        raise values.Unusable("the agent is done and does not say with what success")
    thought = str(turns[-1]["model_output"].get("current_state") or "")
    detail = features(actions, [result.get("error") for result in results], thought)
    return RunIn(
        place=at,
        task=given.task or stem,
        model=given.model,
        harness=given.harness or "browser-use",
        run_id=at.removesuffix(".json"),  # two folders may hold files of one name
        score=float(completed and bool(success)),
        passed=completed and bool(success),
        verdict_source="self",
        completed=completed,
        steps=len(turns) if unit == "model_turns" else len(actions),
        step_unit=unit,
        elapsed_ms=took,
        time_unit=None if took is None else "sum_of_steps",
        detail=detail | {"model_turns": len(turns), "executed_actions": len(actions)},
        seen=seen((step for turn in turns for step in shown(turn)), last.get("extracted_content")),
        without=untimed(times, "turns"),
    )


def shown(turn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A turn's actions as people look at them, its thought with the first."""
    said = turn["model_output"]
    state = said.get("current_state")
    thought = (state.get("next_goal") if isinstance(state, dict) else None) or said.get("next_goal")
    url = turn["state"].get("url")
    for action, result in zip_longest(said["action"], turn["result"]):
        yield {"action": action, "thought": thought, "url": url, "result": outcome(result)}
        thought = url = None


def outcome(result: dict[str, Any] | None) -> Any:
    """What came of an action: its error, else what it read."""
    return (result.get("error") or result.get("extracted_content")) if result else None


def elapsed_of(turn: dict[str, Any]) -> float | None:
    """Milliseconds that a turn took, None where it does not tell. Raises Unusable."""
    told = turn["metadata"]
    begin, end = (values.number(told.get(f"step_{name}_time"), f"step_{name}_time") for name in ("start", "end"))
    if begin is None or end is None:
        return None
    if end < begin:
        raise values.Unusable("a turn ends before it begins (step_start_time, step_end_time)")
    return (end - begin) * 1000
