"""An independent check of every constraint a plan must keep: it looks at the plan and the design alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from annotate.design.model import Assignment, Design, Plan


def broken(design: Design, plan: Plan) -> list[str]:
    """Sentences on constraints that the plan breaks; empty for a right one."""
    return [
        *who_does_what(design, plan),
        *duplicates_are_right(design, plan),
        *people_are_respected(design, plan),
        *order_is_right(plan),
    ]


def who_does_what(design: Design, plan: Plan) -> list[str]:
    found = []
    tasks = {task.task: task for task in design.tasks}
    primary = Counter((one.task, one.condition) for one in plan.assignments if one.role == "primary")
    wanted = {
        (name, condition)
        for name in plan.panel
        for condition in design.conditions
        if condition == "clean" or tasks[name].variant is not None
    }
    if set(primary) != wanted or set(primary.values()) - {1}:
        found.append("not every task-condition has exactly one primary")
    if design.panel.rule == "per_cell":
        sizes = Counter(tuple(getattr(tasks[name], field) for field in design.panel.by) for name in plan.panel)
        cells = {tuple(getattr(task, field) for field in design.panel.by) for task in design.tasks}
        if set(sizes) != cells or set(sizes.values()) != {design.panel.n}:
            found.append("the panel does not have its number of each cell")
    for one in plan.assignments:
        task = tasks[one.task]
        if (one.environment, one.difficulty) != (task.environment, task.difficulty):
            found.append(f"{one.task} is described wrongly")
    return found


def duplicates_are_right(design: Design, plan: Plan) -> list[str]:
    again = [one for one in plan.assignments if one.role == "duplicate"]
    if design.duplicates is None:
        return ["there are duplicates, though none are wanted"] if again else []
    tasks = {task.task: task for task in design.tasks}
    groups = Counter(tuple(getattr(tasks[one.task], field) for field in design.duplicates.by) for one in again)
    cells = {tuple(getattr(tasks[name], field) for field in design.duplicates.by) for name in plan.panel}
    found = (
        []
        if set(groups) == cells and set(groups.values()) == {design.duplicates.n}
        else ["a cell has a wrong number of duplicates"]
    )
    planned = {(one.task, one.condition) for one in plan.assignments if one.role == "primary"}
    return found + [
        f"{one.task} is duplicated without a primary" for one in again if (one.task, one.condition) not in planned
    ]


def people_are_respected(design: Design, plan: Plan) -> list[str]:
    found = []
    people = {one.code: one for one in design.people}
    per_task = Counter((one.code, one.task) for one in plan.assignments)
    found += [f"{code} meets {task} more than once" for (code, task), number in per_task.items() if number > 1]
    loads = Counter(one.code for one in plan.assignments)
    for one in plan.assignments:
        person = people[one.code]
        if one.environment in person.excludes:
            found.append(f"{one.code} gets {one.environment}, which they exclude")
        if person.tier != one.role:
            found.append(f"{one.code} of tier {person.tier} gets a {one.role}")
    found += [
        f"{code} gets {loads[code]}"
        for code, one in people.items()
        if one.capacity is not None and loads[code] > one.capacity
    ]
    return found


def order_is_right(plan: Plan) -> list[str]:
    found = []
    own = defaultdict(list)
    for one in plan.assignments:
        own[one.code].append(one)
    for code, listed in own.items():
        listed.sort(key=lambda one: one.position)
        if [one.position for one in listed] != list(range(1, len(listed) + 1)):
            found.append(f"{code}'s positions are not 1, 2, 3, …")
        blocks = [one.environment for one in listed]
        starts = [name for place, name in enumerate(blocks) if place == 0 or blocks[place - 1] != name]
        if len(starts) != len(set(starts)):
            found.append(f"{code} goes back to an environment")
    return found


def broken_replan(
    design: Design,
    fixed: Sequence[Assignment],
    rest: Sequence[Assignment],
    met: Collection[tuple[str, str]],
    plan: Plan,
) -> list[str]:
    """Sentences on constraints that a plan of the open rest breaks."""
    begun = {place(one): one for one in fixed}
    placed = [one for one in plan.assignments if place(one) not in begun]
    found = [f"{one.code} no longer has {one.task}, which was begun" for one in fixed if one not in plan.assignments]
    if Counter(map(place, placed)) != Counter(map(place, rest)):
        found.append("the placed ones are not those that were open")
    return [*found, *rest_is_respected(design, fixed, placed, met), *rest_is_in_order(fixed, rest, placed)]


def place(one: Assignment) -> tuple[str, str, str]:
    """What is done, whoever does it."""
    return one.task, one.condition, one.role


def rest_is_respected(
    design: Design, fixed: Sequence[Assignment], placed: Sequence[Assignment], met: Collection[tuple[str, str]]
) -> list[str]:
    people = {one.code: one for one in design.people}
    seen = Counter([*met, *((one.code, one.task) for one in fixed)])
    per_task = seen + Counter((one.code, one.task) for one in placed)
    found = []
    for one in placed:
        person = people.get(one.code)
        if person is None:
            found.append(f"{one.code}, who left, gets {one.task}")
            continue
        if per_task[one.code, one.task] > 1:
            found.append(f"{one.code} meets {one.task} again")
        if one.environment in person.excludes:
            found.append(f"{one.code} gets {one.environment}, which they exclude")
        if person.tier != one.role:
            found.append(f"{one.code} of tier {person.tier} gets a {one.role}")
    begun = Counter(one.code for one in fixed)
    for code, number in Counter(one.code for one in placed).items():
        capacity = people[code].capacity if code in people else 0
        if capacity is not None and begun[code] + number > capacity:
            found.append(f"{code} gets {begun[code] + number}")
    return found


def rest_is_in_order(
    fixed: Sequence[Assignment], rest: Sequence[Assignment], placed: Sequence[Assignment]
) -> list[str]:
    found = []
    before = {(*place(one), one.code): one.position for one in rest}
    for code in {one.code for one in placed}:
        own = sorted((one for one in placed if one.code == code), key=lambda one: one.position)
        begun = [one.position for one in fixed if one.code == code]
        start = max(begun, default=0)
        if [one.position for one in own] != list(range(start + 1, start + 1 + len(own))):
            found.append(f"{code}'s open positions do not follow what was begun")
        blocks = [one.environment for one in own]
        starts = [name for index, name in enumerate(blocks) if index == 0 or blocks[index - 1] != name]
        if len(starts) != len(set(starts)):
            found.append(f"{code} goes back to an environment within the rest")
        for name in starts:
            kept = [before.get((*place(one), code)) for one in own if one.environment == name]
            kept = [position for position in kept if position is not None]
            if kept != sorted(kept):
                found.append(f"what {code} keeps of {name} has changed its order")
    return found
