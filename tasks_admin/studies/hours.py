"""How long a plan takes its people: from what was measured, or from stated figures while too little was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from annotate.design.kept import Kept
from annotate.design.model import Assignment, Design
from annotate.models import Attempt, Study, Task

ENOUGH = 20  # attempts, from which on the measured figure is used
NEWEST = 2000  # attempts that are looked at, at most
UNKNOWN_STEPS = 8  # of a task without expected steps, where no task of the plan has any


@dataclass(frozen=True)
class Pace:
    """Seconds for an expected step of an attempt, seconds around an assignment, and where the first comes from, in words."""

    per_step: float
    around: int
    words: str


def pace_of(study: Study, kept: Kept) -> Pace:
    """The median of this study's attempts of complete rounds, practice included, over their tasks' expected steps; the stated
    figure where there are fewer than ENOUGH."""
    rows = (
        Attempt.objects.filter(round__participation__study=study, round__state="complete", evaluate_at__isnull=False)
        .filter(round__assignment__task_condition__task__expected_steps__gt=0, started_at__isnull=False)
        .order_by("-pk")
        .values_list("started_at", "evaluate_at", "round__assignment__task_condition__task__expected_steps")[:NEWEST]
    )
    measured = [(ended - began).total_seconds() / steps for began, ended, steps in rows if began and ended and steps]
    around = f"and {kept.overhead_seconds} s around each assignment"
    if len(measured) < ENOUGH:
        words = f"stated: {kept.seconds_per_step} s for each expected step ({len(measured)} attempts are too few to measure it)"
        return Pace(kept.seconds_per_step, kept.overhead_seconds, f"{words}, {around}")
    found = median(measured)
    words = f"measured: {found:.1f} s for each expected step, the median of {len(measured)} attempts of this study"
    return Pace(found, kept.overhead_seconds, f"{words}, {around}")


def steps_of(ids: Mapping[str, int]) -> dict[str, int]:
    """Expected steps by the tasks' names; the median of the others for those that have none."""
    known = dict(Task.objects.filter(pk__in=ids.values(), expected_steps__gt=0).values_list("pk", "expected_steps"))
    usual = round(median(value for value in known.values() if value)) if known else UNKNOWN_STEPS
    return {name: known.get(pk) or usual for name, pk in ids.items()}


def hours_of(design: Design, assignments: list[Assignment], steps: Mapping[str, int], pace: Pace) -> dict[str, float]:
    """Hours by code, for both passes of everything that the person has."""
    hours = {person.code: 0.0 for person in design.people}
    for one in assignments:
        seconds = len(design.passes) * steps.get(one.task, UNKNOWN_STEPS) * pace.per_step + pace.around
        hours[one.code] = hours.get(one.code, 0.0) + seconds / 3600
    return hours
