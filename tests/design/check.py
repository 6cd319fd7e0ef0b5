"""An independent check of every constraint a plan must keep: it looks at the plan and the design alone."""

from __future__ import annotations

from collections import Counter, defaultdict

from annotate.design.model import Design, Plan


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
