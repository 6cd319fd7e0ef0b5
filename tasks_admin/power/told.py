"""What the page answers: how wide the planned study's intervals get, the smallest study for a target, and what does not help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import altair as alt
import numpy as np
import pandas as pd

from tasks_admin.report.plot import INK, Plot, hue
from tasks_admin.report.sheet import Column, Sheet
from tasks_admin.simulation.planned import FEW_PEOPLE, MOST, Expected, Planned, fewest, student_reach

PEOPLE = (3, 4, 6, 8, 12, 16, 24, 32, 48)
POINTS = 25  # of a curve
LEAST_FLOOR = 0.05  # points; less is shown as 0.0
BOTH = ("clean", "intervention")


@dataclass(frozen=True)
class Answer:
    """An interval of the report: what it is of and over, its half width as planned, the smallest study for the target (None: none).

    `sure` is the half width over people by Student's t, which decides there whether the planned study is `enough`.
    """

    of: str
    over: str
    half: float | None
    tasks: int | None
    people: int | None
    enough: bool
    sure: float | None = None


def answers(expected: Expected, planned: Planned, target: float) -> list[Answer]:
    """For each interval that the report prints of people's rates and drop."""

    def over_tasks(of: str, half: Callable[[int], float | None]) -> Answer:
        tasks = fewest(half, target)
        found = half(planned.tasks)
        people = planned.people_for(tasks) if tasks else None
        return Answer(of, "tasks", found, tasks, people, found is not None and found <= target)

    def over_people(name: str) -> Answer:
        people = fewest(lambda number: expected.sure_half(name, planned.tasks_of(number), number), target)
        half, sure = (one(name, planned.tasks, planned.people) for one in (expected.people_half, expected.sure_half))
        tasks = planned.tasks_of(people) if people else None
        return Answer(f"Pass rate, {name}", "people", half, tasks, people, sure is not None and sure <= target, sure)

    return [
        over_tasks("Drop", expected.drop_half),
        *(over_tasks(f"Pass rate, {name}", partial(expected.rate_half, name)) for name in BOTH),
        *(over_people(name) for name in BOTH),
    ]


def by_tasks(expected: Expected, planned: Planned, target: float) -> Sheet:
    """Half widths against tasks, each with as many people as it takes."""
    told = Sheet(
        "by_tasks", "By tasks", f"± points, with as many people as the tasks take at {planned.each} assignments each.",
        [Column("tasks", "Tasks", "count"), Column("people", "People", "count"), Column("drop", "Drop, over tasks", "half"),
         Column("clean", "Clean, over tasks", "half"), Column("intervention", "Interv., over tasks", "half"),
         Column("clean_people", "Clean, over people", "half"), Column("clean_sure", "by Student’s t", "half")],
    )  # fmt: skip
    reached = fewest(expected.drop_half, target) or planned.tasks
    marks = {round(planned.tasks * part) for part in (0.5, 1, 2)} | {-(-reached // part) for part in (8, 4, 2, 1)}
    for tasks in sorted(one for one in marks if 2 <= one <= MOST):
        people = planned.people_for(tasks)
        told.add(
            {"tasks": tasks, "people": people, "drop": expected.drop_half(tasks)}
            | {name: expected.rate_half(name, tasks) for name in BOTH}
            | {
                "clean_people": expected.people_half("clean", tasks, people),
                "clean_sure": expected.sure_half("clean", tasks, people),
            }
        )
    return told


def by_people(expected: Expected, planned: Planned) -> Sheet:
    """Half widths against people, with the panel as planned."""
    told = Sheet(
        "by_people", "By people", f"± points, with the {planned.tasks} tasks planned, shared evenly.",
        [Column("people", "People", "count"), Column("each", "Assignments each", "count"),
         Column("drop", "Drop, over tasks", "half"), Column("clean", "Clean, over tasks", "half"),
         Column("clean_people", "Clean, over people", "half"), Column("clean_sure", "by Student’s t", "half")],
    )  # fmt: skip
    for people in sorted({*PEOPLE, planned.people}):
        if people <= planned.needed:
            told.add(
                {
                    "people": people,
                    "each": -(-planned.needed // people),
                    "drop": expected.drop_half(planned.tasks),
                    "clean": expected.rate_half("clean", planned.tasks),
                    "clean_people": expected.people_half("clean", planned.tasks, people),
                    "clean_sure": expected.sure_half("clean", planned.tasks, people),
                }
            )
    return told


def curve(expected: Expected, planned: Planned, target: float) -> Sheet:
    """The plot's data: {interval, people (None: any), tasks, half_width}."""
    told = Sheet(
        "curve", "Half width against tasks", "± points.",
        [Column("interval", "Interval"), Column("people", "People", "count"), Column("tasks", "Tasks", "count"),
         Column("half_width", "± points", "half")],
    )  # fmt: skip
    reached = fewest(expected.drop_half, target) or planned.tasks
    ends = max(2, planned.tasks / 8), min(MOST, 2 * max(reached, 2 * planned.tasks))
    grid = sorted({round(one) for one in np.geomspace(*ends, POINTS)} | {planned.tasks})
    lines: list[tuple[str, int | None, Callable[[int], float | None]]] = [
        ("drop, over tasks", None, expected.drop_half),
        ("clean, over tasks", None, partial(expected.rate_half, "clean")),
    ]
    for people in (max(FEW_PEOPLE, planned.people), max(FEW_PEOPLE, planned.people) * 4):
        half = partial(expected.sure_half, "clean", people=people)
        lines.append((f"clean, over {people} people (t)", people, half))
    for name, some, width in lines:
        for tasks in grid:
            if (some or 0) <= 2 * tasks and (found := width(tasks)) is not None:
                told.add({"interval": name, "people": some, "tasks": tasks, "half_width": round(found, 3)})
    return told


def plot(expected: Expected, planned: Planned, target: float) -> Plot | None:
    """The curve, with the target as a line across; None where no interval can be told."""
    rows = curve(expected, planned, target).rows
    if not rows:
        return None
    data = pd.DataFrame(rows)
    lines = (
        alt.Chart(data)
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X(
                "tasks:Q",
                scale=alt.Scale(type="log", nice=False),
                title="tasks in the panel (log)",
                axis=alt.Axis(tickCount=6),
            ),
            y=alt.Y("half_width:Q", scale=alt.Scale(zero=True), title="half of the 95 % interval, ± points"),
            color=hue("interval"),
        )
    )
    wanted = (
        alt.Chart(pd.DataFrame({"half_width": [target]}))
        .mark_rule(color=INK, strokeDash=[5, 4])
        .encode(y="half_width:Q")
    )
    return Plot(
        "power",
        "Half width against tasks",
        f"Over people by Student’s t. The broken line is the wanted ± {target:g} points.",
        lines + wanted,
        data,
    )


def unhelpful(expected: Expected, planned: Planned) -> list[str]:
    """In sentences: what does not narrow which interval, and by how much it does not."""
    told = [
        "More people with the same tasks narrow neither the drop nor a rate over tasks: a task counts once a condition, whoever does "
        "it. They help by doing more tasks.",
    ]
    if planned.duplicates:
        others = planned.duplicators
        told.append(
            f"The {planned.duplicates:,} duplicates narrow none of these: rates and drop are of primary attempts. They take "
            f"{others} more {'person' if others == 1 else 'people'} at {planned.each:,} assignments each; they tell how far "
            "people agree."
        )
    if planned.people >= FEW_PEOPLE:
        told += over_people(expected, planned)
    else:
        told.append("Over fewer than three people the report gives no interval; more tasks do not change that.")
    return told


def over_people(expected: Expected, planned: Planned) -> list[str]:
    """What more tasks do not do for an interval over people, and how far few people's falls short."""
    people, reach = planned.people, student_reach(planned.people)
    floor = 100 * reach * (expected.between["clean"] / people) ** 0.5
    printed, sure = (half("clean", planned.tasks, people) for half in (expected.people_half, expected.sure_half))
    told = []
    if floor >= LEAST_FLOOR:
        told.append(
            f"More tasks by the same {people} people leave the clean rate over people at ± {floor:.1f} or more (by Student’s t): that "
            "is how far people themselves differ."
        )
    if printed is not None and sure is not None and printed < 0.9 * sure:
        told.append(
            f"The interval over {people} people that the report prints is {100 * (1 - printed / sure):.0f} % narrower than Student’s t "
            "asks for: a bootstrap of few people says too little. The number of people asked for above is therefore by t."
        )
    return told


def everything(expected: Expected, planned: Planned, target: float) -> dict[str, Sheet]:
    """The tables by name."""
    return {
        one.name: one
        for one in (by_tasks(expected, planned, target), by_people(expected, planned), curve(expected, planned, target))
    }


def planned_words(planned: Planned) -> str:
    """Why the people planned cannot do the tasks planned; '' where they can."""
    can = planned.people * planned.each
    if can >= planned.needed:
        return ""
    return (
        f"{planned.people} people with {planned.each} assignments each do {can:,}; {planned.tasks:,} tasks under both conditions are "
        f"{planned.needed:,}. Take {planned.people_for(planned.tasks)} people, {-(-planned.needed // planned.people):,} assignments "
        f"each, or {planned.tasks_of(planned.people):,} tasks."
    )


def as_rows(sheet: Sheet) -> list[list[tuple[Column, str]]]:
    """A table's cells as shown, each with its column."""
    return [list(zip(sheet.columns, cells, strict=True)) for cells in sheet.shown()]
