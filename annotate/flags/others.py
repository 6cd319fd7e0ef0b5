"""Rules that compare an attempt with what others did on the same task. They are asked again whenever somebody finishes it."""

from __future__ import annotations

import math
from statistics import median

from annotate.flags.facts import Facts
from annotate.flags.recording import seconds
from annotate.flags.registry import Limits, rule


@rule("others", factor=3, least_others=2, least_seconds=10)
def unusual_pace(facts: Facts, limits: Limits) -> str:
    """Much faster or much slower than others on the task.

    Distance of log times to the median of those who passed: under the same condition where there are enough of them, else
    under either.
    """
    own = facts.attempt.wall_ms
    passed = [other for other in facts.others().filter(passed=True) if other.wall_ms]
    same = [one for one in passed if one.round.assignment.task_condition_id == facts.condition.pk]
    compared, where = (same, "") if len(same) >= limits["least_others"] else (passed, ", under either condition")
    if not own or len(compared) < limits["least_others"]:
        return ""
    middle = math.exp(median(math.log(other.wall_ms or 1) for other in compared))
    ratio = own / middle
    if abs(math.log(ratio)) < math.log(limits["factor"]) or abs(own - middle) < 1000 * limits["least_seconds"]:
        return ""
    words = f"{ratio:.1f} times as long as" if ratio > 1 else f"{1 / ratio:.1f} times faster than"
    return (
        f"{words} the median of {len(compared)} others{where}: {seconds(own)} against {seconds(middle)}.".capitalize()
    )


@rule("others", "judgement")
def duplicate_disagrees(facts: Facts, limits: Limits) -> str:
    """Primary and duplicate came to different verdicts on the warm attempt."""
    if facts.attempt.kind == "cold":
        return ""
    role = facts.round.assignment.role
    twins = facts.others().filter(round__assignment__task_condition=facts.condition.pk)
    other = twins.exclude(round__assignment__role=role).exclude(passed=facts.attempt.passed).order_by("pk").first()
    if other is None:
        return ""
    own, theirs = (("passed" if one.passed else "failed") for one in (facts.attempt, other))
    return f"This {role} {own} with {facts.attempt.score:g}; the {other.round.assignment.role} {theirs} with {other.score:g}."
