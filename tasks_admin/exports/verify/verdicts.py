"""Whether verdicts are those of their checks, and these the same in trace and table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks_admin.exports.verify.reading import lines_of

Checks = tuple[tuple[Any, ...], ...]
BY_WORD = ("declared", "lead")  # who decides without regard to checks
NONE: dict[str, Any] = {"score": None, "passed": None, "checks": []}


def checks_of(folder: Path) -> dict[str, Checks]:
    """{attempt: what `verdict_checks` says of each of its checks}. The same checks are held once, for the attempts of a task have the
    same."""
    once: dict[Checks, Checks] = {}
    found: dict[str, Checks] = {}
    for _, row in lines_of(folder, "verdict_checks"):
        told = found.get(row["attempt_id"], ())
        checks = (*told, tuple(row[field] for field in ("index", "name", "kind", "passed", "weight", "detail")))
        found[row["attempt_id"]] = once.setdefault(checks, checks)
    return found


def verdict_holds(name: str, verdict: dict[str, Any] | None, attempt: dict[str, Any], checks: Checks) -> Iterator[str]:
    """The verdict of a trace is that of its attempt, its checks are those of `verdict_checks`, and it does not contradict them.

    What passes is for the environment to say: some pass at less than the full score. Nothing passes with the full score though a
    check that has a weight failed, or fails with it, and without a word, though all held.
    """
    told = verdict or NONE
    if (told["score"], told["passed"]) != (attempt["score"], attempt["passed"]):
        yield f"traces/{name}: its verdict is not that of its attempt"
    in_trace = tuple(
        (index, check["name"], check["kind"], check["passed"], check.get("weight", 1), check.get("detail") or None)
        for index, check in enumerate(told["checks"])
    )
    if in_trace != checks:
        yield f"traces/{name}: its checks are not those of verdict_checks"
    if told.get("source") in BY_WORD or told["score"] != 1 or not told["checks"]:
        return
    failed = [check["name"] for check in told["checks"] if not check["passed"] and check.get("weight", 1)]
    if failed and told["passed"]:
        yield f"traces/{name}: it is said to have passed with the full score, but this check failed: {failed[0]}"
    elif not failed and not told["passed"] and not told.get("error") and not told.get("reasoning"):
        yield f"traces/{name}: it is said not to have passed, with the full score and every check held"
