"""OSWorld's result folders: `…/MODEL/DOMAIN/EXAMPLE/` with `result.txt` (the score) and `traj.jsonl`.

A line of the trajectory is an executed action; several lines may share a `step_num`, which counts the model's turns. The line
{"Error": …} that OSWorld writes where an example broke off is neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, is_inside, json_lines, named
from tasks_admin.runs.seen import seen
from tasks_admin.runs.shape import Given, Heeds, Rejected, Row, RunIn
from tasks_admin.runs.trajectory import NO_STEPS, features, untimed

HEEDS: Heeds = ("task", "step_unit")
ERROR = "Error"
LONGEST_SCORE = 64  # bytes of a `result.txt` that are looked at
NO_TURN = "it has no step_num, by which the model's turns are counted; count its actions (step unit executed_actions)."
STAMP = "%Y%m%d@%H%M%S"


def signature(path: Path) -> bool:
    """A folder with a `traj.jsonl`."""
    return path.is_dir() and any(file.name == "traj.jsonl" for file in files_of(path))


def read(path: Path, given: Given) -> Iterator[Row]:
    """A run per folder with a trajectory."""
    base = path if path.is_dir() else path.parent
    for file in files_of(path):
        if file.name == "traj.jsonl":
            yield run_of(base, file, given)


def run_of(base: Path, file: Path, given: Given) -> Row:
    at, root = named(file.parent, base), base.resolve()
    folder = root / file.parent.relative_to(base)
    if not is_inside(folder / "result.txt", root):
        return Rejected(at, "there is no result.txt in it: the example was not scored.")
    unit = given.step_unit or "executed_actions"
    lines: list[dict[str, Any]] = []
    broke_off: dict[str, str] = {}
    for place, row in json_lines(file, named(file, base)):
        if isinstance(row, Rejected):
            return Rejected(place, row.reason)
        if ERROR in row and "action" not in row:
            broke_off = {"error": str(row[ERROR])[:400]}
        elif "action" not in row:
            return Rejected(place, "it has no action.")
        elif unit == "model_turns" and row.get("step_num") in (None, ""):
            return Rejected(place, NO_TURN)
        else:
            lines.append(row)
    try:
        score = score_of(folder / "result.txt")
        counts = {"model_turns": turns_of(lines), "executed_actions": len(lines) or None}
        stamps = [stamp_of(line) for line in lines]
        took = elapsed_of(stamps)
    except values.Unusable as error:
        return Rejected(at, f"{error}.")
    parts = parts_of(root, folder)
    actions = [line.get("action") for line in lines]
    return RunIn(
        place=at,
        task=given.task or folder.name,
        environment=None,
        model=given.model or model_of(parts),
        harness=given.harness or "osworld",
        run_id="/".join(parts[-3:]),
        score=score,
        passed=None if score is None else score >= 1,
        completed=is_done(actions[-1]) if actions else None,
        steps=counts[unit],
        step_unit=unit,
        elapsed_ms=took,
        time_unit=None if took is None else "wall",
        detail=features(actions) | {name: count for name, count in counts.items() if count is not None} | broke_off,
        seen=seen({"action": line.get("action"), "thought": line.get("response")} for line in lines),
        without=untimed(stamps, "actions") if lines else [NO_STEPS],
    )


def turns_of(lines: list[dict[str, Any]]) -> int | None:
    """How many turns the model took, None where a line does not tell its own. Raises Unusable."""
    numbers = {values.whole(line.get("step_num"), "step_num") for line in lines}
    return None if not numbers or None in numbers else len(numbers)


def is_done(action: Any) -> bool:
    """Whether an action declares the example done: `DONE`, or {"action_type": "DONE"}."""
    said = action.get("action_type") if isinstance(action, dict) else action
    return str(said).strip().upper() == "DONE"


def score_of(file: Path) -> float | None:
    """The number in a `result.txt`, None where it is empty. Raises Unusable, which repeats nothing of the file."""
    with file.open("rb") as handle:
        said = handle.read(LONGEST_SCORE + 1).decode("ascii", errors="replace").strip()
    try:
        return values.number(said, "result.txt", 1)
    except values.Unusable:
        raise values.Unusable("result.txt holds no number from 0 to 1") from None


def parts_of(root: Path, folder: Path) -> tuple[str, ...]:
    """The names of the folders from the one that was given down to the example's; what lies above is no part of the results."""
    return (root.name, *folder.relative_to(root).parts)


def model_of(parts: tuple[str, ...]) -> str | None:
    """The model's folder, two above the example's: …/MODEL/DOMAIN/EXAMPLE."""
    return parts[-3] if len(parts) >= 3 else None


def stamp_of(line: dict[str, Any]) -> datetime | None:
    """When a line's action was done, None where it does not tell. Raises Unusable."""
    said = line.get("action_timestamp")
    if said in (None, ""):
        return None
    try:
        return datetime.strptime(str(said)[:15], STAMP)  # noqa: DTZ007  (only differences are used)
    except ValueError as error:
        raise values.Unusable(f"action_timestamp is {str(said)[:40]!r}, not YYYYMMDD@HHMMSS") from error


def elapsed_of(stamps: list[datetime | None]) -> float | None:
    """Milliseconds from the first action to the last; None where there are fewer than two, or one does not tell. Raises Unusable."""
    known = [one for one in stamps if one is not None]
    if len(known) < max(2, len(stamps)):
        return None
    took = (known[-1] - known[0]).total_seconds() * 1000
    if took < 0:
        raise values.Unusable("the last action's timestamp is before the first's")
    return took
