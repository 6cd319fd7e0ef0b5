"""Rules that flag a round by themselves: a small registry, one function a rule, each saying why with the numbers."""

from __future__ import annotations

from collections.abc import Callable

from annotate.models import Attempt, Flag

Rule = Callable[[Attempt], str]
RULES: dict[str, Rule] = {}


def rule(function: Rule) -> Rule:
    """Register a rule under its function's name; it returns the reason, or "" where there is none."""
    RULES[function.__name__] = function
    return function


@rule
def incomplete_proof(attempt: Attempt) -> str:
    """The server does not hold every event the page produced."""
    if attempt.proof_complete:
        return ""
    gaps = (attempt.proof or {}).get("gaps", [])
    return f"The recording has {len(gaps)} gap(s); it can't become a reference."


@rule
def no_steps(attempt: Attempt) -> str:
    """Nothing was done, or nothing was recorded."""
    return "" if attempt.steps else f"The trace has no step ({attempt.raw_events} raw events)."


@rule
def cold_passed_warm_failed(attempt: Attempt) -> str:
    """The second go failed where the first passed."""
    if attempt.kind == "cold" or attempt.passed:
        return ""
    cold = attempt.round.attempts.get(kind="cold")
    return f"Cold passed with {cold.score}, warm failed with {attempt.score}." if cold.passed else ""


def raise_flags(attempt_id: int) -> None:
    """Run every rule over an evaluated attempt; a flag that is there already stays as it is."""
    attempt = Attempt.objects.select_related("round").get(pk=attempt_id)
    for name, find in RULES.items():
        if reason := find(attempt):
            Flag.objects.get_or_create(round=attempt.round, attempt=attempt, rule=name, defaults={"reason": reason})
