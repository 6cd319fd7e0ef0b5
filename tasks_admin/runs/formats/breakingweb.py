"""BreakingWeb-style results: a row per task-condition, and trajectories with a step list.

A row's `score` (0..1) and `success` may disagree: partial credit passes nothing, and the flag is the evaluator's word. A step's
`elapsed` is that step's duration in one harness and the time since the start in the other; where the row has no total and the
numbers leave both, it must be said. Seconds, as a row's `elapsed` is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, first_byte, first_row, named, read_json, table_rows
from tasks_admin.runs.formats import table
from tasks_admin.runs.seen import seen
from tasks_admin.runs.shape import BadRuns, Given, Heeds, Rejected, Row, TimeUnit
from tasks_admin.runs.trajectory import NO_STEPS, features, untimed

HEEDS: Heeds = ("columns", "step_unit", "elapsed")
KNOWN_BY = {"variant", "variant_id", "source_variant", "negative_checks", "degradation_active"}
STEPS = ("steps", "trajectory", "history")
NAMES = table.NAMES | {"elapsed_s": (*table.NAMES["elapsed_s"], table.BARE)}


def signature(path: Path) -> bool:
    """Rows or trajectories that carry a variant or the evaluator's two lists of checks."""
    row = table.first_of(path, beginning)
    return bool(KNOWN_BY & set(row)) and any(name in row for name in table.NAMES["task"])


def beginning(file: Path) -> dict[str, Any]:
    """A trajectory, or the first row of a table; {} where neither can be read."""
    if not is_trajectory(file):
        return first_row(file)
    found = read_json(file, file.name)
    return {} if isinstance(found, Rejected) else dict(found)


def is_trajectory(file: Path) -> bool:
    """Whether a file is one JSON object, by its name and first character."""
    return file.suffix == ".json" and first_byte(file) == b"{"


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per row or trajectory. Raises BadRuns where a column that was named is in none."""
    for at, row in table.with_columns(rows_of(path), given):
        yield row if isinstance(row, Rejected) else run_of(at, row, given)


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """Every row and trajectory at `path`, with its place."""
    for file in files_of(path):
        if file.suffix.lower() not in table.TABLES:
            continue
        at = named(file, path)
        if is_trajectory(file):
            yield at, read_json(file, at)
        else:
            yield from table_rows(file, at)


def run_of(at: str, row: dict[str, Any], given: Given) -> Row:
    """The run of a row or trajectory; a trajectory's steps are counted and timed here."""
    try:
        lists = {name: row[name] for name in STEPS if isinstance(row.get(name), list)}
        steps = next(iter(lists.values()), None)
        counted: dict[str, int | None] = {name: len(found) for name, found in lists.items()}
        if steps is not None:
            counted["steps"] = len(steps) or None
        run = table.parsed(at, row | counted, given, NAMES)
        variant = next((row[name] for name in ("source_variant", "variant_id", "variant") if row.get(name)), None)
        run.condition = run.condition or condition_of(row, variant)
        run.step_unit = (
            run.step_unit or given.step_unit or "executed_actions"
        )  # one Python-call action per step (appendix A.3)
        if steps is not None:
            run.without = [NO_STEPS] if run.steps is None else []
            if run.elapsed_ms is None:
                times = times_of(steps)
                run.elapsed_ms, run.time_unit = elapsed_of(at, times, given)
                run.without += untimed(times, "steps")
            run.detail |= features_of(steps, row)
            run.seen = seen(map(shown, steps), answer_of(row), row.get("instruction"))
            run.completed = run.detail.get("done_verb") if run.completed is None else run.completed
    except values.Unusable as error:
        return Rejected(at, f"{error}.")
    return run


def condition_of(row: dict[str, Any], variant: Any) -> str | None:
    """What the row's flag or variant says of the condition. Raises Unusable."""
    degraded = values.flag(row.get("degradation_active"), "degradation_active")
    if degraded is not None:
        return "intervention" if degraded else "clean"
    return None if variant is None else "clean" if str(variant) in {"base", "clean", "none"} else "intervention"


def times_of(steps: list[Any]) -> list[float | None]:
    """The steps' elapsed in milliseconds, None of one that does not tell it. Raises Unusable."""
    return [values.ms_of_seconds(step.get("elapsed"), "elapsed") if isinstance(step, dict) else None for step in steps]


def elapsed_of(at: str, times: list[float | None], given: Given) -> tuple[float | None, TimeUnit | None]:
    """Milliseconds that the steps took, and of what kind; (None, None) unless every step tells its elapsed.

    Raises Unusable, and BadRuns where nothing tells what `elapsed` means.
    """
    each = [one for one in times if one is not None]
    if not each or len(each) < len(times):
        return None, None
    kind = given.elapsed or meaning(each)
    if kind is None:
        raise BadRuns(
            f"{at}: the steps' elapsed may be each step's own or the time since the start. Nothing was imported.",
            "elapsed",
            options="--elapsed duration or --elapsed cumulative",
        )
    if kind == "duration":
        return sum(each), "sum_of_steps"
    if falls(each):
        raise values.Unusable("the steps' elapsed falls, so that it is no time since the start")
    return each[-1], "wall"


def meaning(each: list[float]) -> str | None:
    """What the numbers mean where they leave only one way or both come to the same; None where they leave two."""
    return "duration" if falls(each) or sum(each) == each[-1] else None


def falls(each: list[float]) -> bool:
    return any(later < earlier for earlier, later in pairwise(each))


def shown(step: Any) -> dict[str, Any]:
    """A step as people look at it."""
    if not isinstance(step, dict):
        return {"action": step}
    result = step.get("error") or step.get("last_action_error")
    return {"action": step.get("action"), "thought": step.get("thought"), "url": step.get("url"), "result": result}


def answer_of(row: dict[str, Any]) -> Any:
    """The agent's last word, where the trajectory has one."""
    return next((row[name] for name in table.NAMES["answer"] if row.get(name)), None)


def features_of(steps: list[Any], row: dict[str, Any]) -> dict[str, Any]:
    known = [step for step in steps if isinstance(step, dict)]  # a step may be an action's text alone
    thought = next((str(step["thought"]) for step in reversed(known) if step.get("thought")), "")
    return features(
        [shown(step)["action"] for step in steps],
        [step.get("error") or step.get("last_action_error") for step in known],
        thought,
        checks(row, "checks"),
        checks(row, "negative_checks"),
    )


def checks(row: dict[str, Any], name: str) -> list[bool] | None:
    """What each of the evaluator's checks came to, None where the row has no list of them. Raises Unusable."""
    if row.get(name) is None:
        return None
    told = [values.flag(one.get("passed"), f"passed in {name}") for one in values.objects(row[name], name)]
    if None in told:
        raise values.Unusable(f"one of {name} does not tell whether it passed")
    return [bool(one) for one in told]
