"""How a ready-made plan deviates from what a study of this kind keeps. Pure: rows in, sentences out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from statistics import mode

from tasks_admin.catalogues.plan_shape import Annotator, Row

Check = Callable[[list[Row], dict[str, Annotator]], Iterable[str]]
CHECKS: list[Check] = []


def check(function: Check) -> Check:
    """Register a check."""
    CHECKS.append(function)
    return function


def deviations(rows: list[Row], annotators: dict[str, Annotator]) -> list[str]:
    """Every deviation, one sentence each."""
    return [sentence for one in CHECKS for sentence in one(rows, annotators)]


def primary(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.role == "primary"]


def duplicate(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.role == "duplicate"]


@check
def both_conditions(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Each task is done clean and under intervention."""
    by_task = defaultdict(set)
    for row in primary(rows):
        by_task[row.env, row.base].add(row.cond)
    for (_, base), found in by_task.items():
        if len(found) < 2:
            yield f"{base} is planned as {', '.join(sorted(found))} only."


@check
def two_people(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Clean and intervention of a task are different people's."""
    by_task = defaultdict(list)
    for row in primary(rows):
        by_task[row.env, row.base].append(row)
    for (_, base), found in by_task.items():
        people = [row.annotator for row in found]
        if len(people) > len(set(people)):
            yield f"{base} is done clean and under intervention by one person, {mode(people)}."


@check
def designers(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Nobody gets an environment they designed, or one outside their portfolio."""
    for row in rows:
        who = annotators[row.annotator]
        if row.env in who.designer_exclusions:
            yield f"{row.annotator} designed {row.env}, and has {row.aid}."
        elif who.portfolio and row.env not in who.portfolio:
            yield f"{row.env} is not in the portfolio of {row.annotator}, who has {row.aid}."


@check
def counts(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Everybody has as many as the plan says, twice as many attempts, and as many as the others of their tier."""
    load = Counter(row.annotator for row in rows)
    for name, who in annotators.items():
        if who.num_task_conditions is not None and load[name] != who.num_task_conditions:
            yield f"{name} should have {who.num_task_conditions} task-conditions and has {load[name]}."
        if who.num_attempts is not None and who.num_attempts != 2 * load[name]:
            yield f"{name} should have {who.num_attempts} attempts; two for each task-condition are {2 * load[name]}."
    for tier in ("primary", "duplicate"):
        loads = {name: load[name] for name, who in annotators.items() if who.tier == tier}
        if loads and max(loads.values()) - min(loads.values()) > 1:
            yield f"The loads of {tier} people are not equal: {told(loads)}."


@check
def shares(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Primary people have equal shares of conditions and difficulties."""
    people = [name for name, who in annotators.items() if who.tier == "primary"]
    kinds: list[tuple[str, Callable[[Row], str]]] = [("condition", lambda r: r.cond), ("difficulty", lambda r: r.diff)]
    for what, kind in kinds:
        values = sorted({kind(row) for row in primary(rows)})
        for value in values:
            share = Counter(row.annotator for row in primary(rows) if kind(row) == value)
            found = {name: share[name] for name in people}
            if found and max(found.values()) - min(found.values()) > 1:
                yield f"Shares of {what} {value} are not equal: {told(found)}."


@check
def cells(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Every cell (environment, difficulty) has as many tasks as the others, and one duplicated task-condition."""
    tasks = defaultdict(set)
    for row in primary(rows):
        tasks[row.env, str(row.diff)].add(row.base)
    if not tasks:
        return
    usual = mode([len(found) for found in tasks.values()])
    levels = {level for _, level in tasks}
    for env in sorted({env for env, _ in tasks}):
        for level in sorted(levels):
            if len(tasks.get((env, level), ())) != usual:
                yield f"{env}, {level}: {len(tasks.get((env, level), ()))} tasks, where the other cells have {usual}."
    doubled = Counter((row.env, str(row.diff)) for row in duplicate(rows))
    for env, level in sorted(tasks) if doubled else []:
        if doubled[env, level] != 1:
            yield f"{env}, {level}: {doubled[env, level]} duplicated task-conditions, not one."


@check
def second_people(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """A duplicate is of a planned task-condition, by somebody who has the task in no form."""
    firsts = {(row.env, row.base, row.cond): row.annotator for row in primary(rows)}
    has = Counter((row.annotator, row.env, row.base) for row in rows)
    for row in duplicate(rows):
        first = firsts.get((row.env, row.base, row.cond))
        if first is None:
            yield f"{row.aid} duplicates what nobody does first."
        elif row.original_primary_annotator and row.original_primary_annotator != first:
            yield f"{row.aid} names {row.original_primary_annotator} as the first person, but it is {first}."
        if has[row.annotator, row.env, row.base] > 1:
            yield f"{row.annotator} has {row.base} already, and should not duplicate it."
        if annotators[row.annotator].tier != "duplicate":
            yield f"{row.aid} is a duplicate, and {row.annotator} is no duplicate person."


@check
def every_environment(rows: list[Row], annotators: dict[str, Annotator]) -> Iterable[str]:
    """Duplicate people see every environment, where they have enough for that."""
    sites = {row.env for row in duplicate(rows)}
    for name, who in annotators.items():
        mine = [row.env for row in duplicate(rows) if row.annotator == name]
        missing = sites - set(mine) - set(who.designer_exclusions)
        if who.tier == "duplicate" and len(mine) >= len(sites) and missing:
            yield f"{name} duplicates nothing of {', '.join(sorted(missing))}."


def told(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
