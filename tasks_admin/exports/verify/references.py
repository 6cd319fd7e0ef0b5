"""Whether the references may be those, by the replays and the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotate.references import NEVER
from tasks_admin.exports.verify.reading import Manifest, condition_of, lines_of

# What is looked at of an attempt that may stand for its task-condition.
NEEDED = (
    *("environment", "task", "condition", "attempt", "role", "status"),
    *("passed", "proof_complete", "steps", "wall_ms"),
)


def references_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each reference passed, is complete and was replayed to its verdict; by the policy nothing better was to be had."""
    named = {name for _, row in lines_of(folder, "references") for name in (row["attempt_id"], *row["runners_up"])}
    attempts = {
        row["attempt_id"]: {field: row[field] for field in NEEDED}
        for _, row in lines_of(folder, "attempts")
        if row["attempt_id"] in named
    }
    newest = {
        row["attempt_id"]: row["outcome"] for _, row in lines_of(folder, "replays")
    }  # in order: the last one counts
    for name, count in Counter(condition_of(row) for _, row in lines_of(folder, "references")).items():
        if count > 1:
            yield f"references: {' '.join(name)} has {count}"
    for _, row in lines_of(folder, "references"):
        for name in (row["attempt_id"], *row["runners_up"]):
            if why := _not_eligible(attempts.get(name), newest.get(name)):
                yield f"references: {name} may not be one: {why}"
        yield from _by_policy(row, attempts, manifest)


def replays_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each replay played the steps that its attempt has, where it is of the same cleaner, and is called what came of them."""
    steps = {row["attempt_id"]: (row["cleaner"], row["steps"]) for _, row in lines_of(folder, "attempts")}
    for _, row in lines_of(folder, "replays"):
        cleaner, count = steps.get(row["attempt_id"], (None, None))
        if (
            count is not None
            and row["cleaner"] == cleaner
            and row["outcome"] != "not_played"
            and played_of(row) != count
        ):
            yield f"replays: of {row['attempt_id']} it is told of {played_of(row)} steps, it has {count}"
        yield from _outcome_holds(row)


def played_of(row: dict[str, Any]) -> int:
    """Of how many steps a replay tells."""
    return int(row["done"] + row["healed"] + row["failed"] + row["skipped"])


def _outcome_holds(row: dict[str, Any]) -> Iterator[str]:
    played = not row["failed"] and not row["skipped"] and row["broke_at"] is None
    if row["outcome"] == "verified" and not (row["passed"] and played):
        yield f"replays: {row['attempt_id']} is called verified, but it did not pass or not every step was played"
    if row["outcome"] == "breaks" and row["broke_at"] is None:
        yield f"replays: {row['attempt_id']} is said to break, but not where"


def _not_eligible(attempt: dict[str, Any] | None, newest: str | None) -> str:
    if attempt is None:
        return "there is no such attempt"
    if attempt["status"] != "complete" or attempt["role"] == "practice":
        return "it does not count"
    if not attempt["passed"] or not attempt["proof_complete"]:
        return "it did not pass, or its recording is not complete"
    return "" if newest == "verified" else "its newest replay is not verified"


ORDER: dict[str, Callable[[dict[str, Any]], int]] = {
    "steps": lambda row: NEVER if row["steps"] is None else row["steps"],
    "time": lambda row: NEVER if row["wall_ms"] is None else row["wall_ms"],
    "duplicate": lambda row: 0 if row["role"] == "duplicate" else 1,
}


def _by_policy(row: dict[str, Any], attempts: dict[str, dict[str, Any]], manifest: Manifest) -> Iterator[str]:
    """The chosen one comes first by the policy among itself and its runners-up, unless a lead overruled it."""
    policy = manifest.get("policy", {})
    chosen = attempts.get(row["attempt_id"])
    if chosen is None or row["overruled"]:
        return
    if row["policy"] != policy.get("name"):
        yield f"references: {row['attempt_id']} was chosen by {row['policy']}, the study's policy is {policy.get('name')}"
        return
    if chosen["attempt"] not in policy["kinds"] or condition_of(chosen) != condition_of(row):
        yield f"references: {row['attempt_id']} is not of the kind or task that the policy chooses from"
    for name in row["runners_up"]:
        other = attempts.get(name)
        if other and _rank(other, policy) < _rank(chosen, policy):
            yield f"references: by {row['policy']}, {name} comes before {row['attempt_id']}"


def _rank(row: dict[str, Any], policy: dict[str, Any]) -> tuple[int, ...]:
    return tuple(ORDER[name](row) for name in policy["order"])
