"""The plan of a design: panel, people's counts, who does what and when; or the constraints that collide."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from annotate.design.balance import Cell, Solved, solve, solve_duplicates
from annotate.design.feasible import collision, needs_of
from annotate.design.model import Assignment, Design, Plan, Rule, TaskRow
from annotate.design.panel import cell_of, choose_panel
from annotate.design.spread import cells_of, duplicates, hand_out, in_order

SECONDS = 30.0  # of the solver's deterministic time, for each of its two models


def make_plan(design: Design, seconds: float = SECONDS, told: Callable[[str], None] = lambda stage: None) -> Plan:
    """A plan; the same for the same design. `seconds` bounds each search, in the solver's own deterministic time; `told` hears
    what is being done."""
    told("choosing the panel")
    panel, conflicts = choose_panel(design.tasks, design.panel, design.seed)
    if not panel and not conflicts:
        conflicts.append("The panel is empty: the design has no task.")
    wanted: dict[Cell, int] = {}
    if design.duplicates and not conflicts:
        wanted, more = duplicates_wanted(panel, design.duplicates)
        conflicts += more
    conflicts += [] if conflicts else collisions(design, panel, wanted)
    if conflicts:
        return Plan(status="infeasible", conflicts=tuple(conflicts))
    cells = cells_of(panel)
    sizes = {cell: len(tasks) for cell, tasks in cells.items()}
    told("balancing the primary assignments")
    first = solve(sizes, design.conditions, design.tier("primary"), seconds, design.seed)
    second = None
    if wanted:
        told("balancing the duplicates")
        second = solve_duplicates(sizes, design.conditions, design.tier("duplicate"), wanted, seconds, design.seed)
    return finished(design, panel, first, second)


def finished(design: Design, panel: Sequence[TaskRow], first: Solved, second: Solved | None) -> Plan:
    """The plan of solved counts."""
    if first.counts is None or (second is not None and second.counts is None):
        sentence = "The solver found no plan in its time, though none of the known conflicts is there; give it more with --seconds."
        return Plan(status="infeasible", conflicts=(sentence,))
    cells = cells_of(panel)
    places = [(place, "primary") for place in hand_out(cells, first.counts, design.seed)]
    if second is not None and second.counts is not None:
        places += [(place, "duplicate") for place in duplicates(cells, second.counts, design.seed)]
    assignments = in_order(design, places)
    optimal = first.optimal and (second is None or second.optimal)
    return Plan(
        status="optimal" if optimal else "feasible",
        panel=tuple(task.task for task in panel),
        assignments=tuple(assignments),
        balance=balance_of(design, assignments, first, second),
    )


def duplicates_wanted(panel: Sequence[TaskRow], rule: Rule) -> tuple[dict[Cell, int], list[str]]:
    """How many duplicates of each cell, and a sentence for each group that has too few tasks for the rule."""
    groups: dict[tuple[str, ...], list[TaskRow]] = defaultdict(list)
    for task in panel:
        groups[cell_of(task, rule.by)].append(task)
    wanted: Counter[Cell] = Counter()
    conflicts = []
    for group, tasks in sorted(groups.items()):
        if len(tasks) < rule.n:
            conflicts.append(
                f"{rule.n} duplicates of {'/'.join(group)} are wanted, but the panel has {len(tasks)} tasks there."
            )
            continue
        sizes = sorted(
            cells_of(tasks).items(), key=lambda entry: (-entry[0][2], -len(entry[1]), entry[0])
        )  # those with a variant first
        rest = rule.n
        while rest:
            for cell, members in sizes:
                if rest and wanted[cell] < len(members):
                    wanted[cell] += 1
                    rest -= 1
    return dict(wanted), conflicts


def collisions(design: Design, panel: Sequence[TaskRow], wanted: dict[Cell, int]) -> list[str]:
    """Sentences on what makes the design impossible; empty where a plan exists."""
    found = []
    primary, duplicate = design.tier("primary"), design.tier("duplicate")
    counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for task in panel:
        number = sum(1 for condition in design.conditions if condition == "clean" or task.variant is not None)
        assignments, tasks = counts[task.environment]
        counts[task.environment] = (assignments + number, tasks + 1)
    if not primary:
        found.append("Nobody is of the tier primary; the plan needs somebody who does the tasks.")
    elif sentence := collision(primary, needs_of(counts), "assignments"):
        found.append(sentence)
    if wanted and not duplicate:
        found.append(f"{sum(wanted.values())} duplicates are wanted, but nobody is of the tier duplicate.")
    elif wanted:
        again: Counter[str] = Counter()
        for cell, number in wanted.items():
            again[cell[0]] += number
        if sentence := collision(
            duplicate, needs_of({name: (number, number) for name, number in again.items()}), "duplicates"
        ):
            found.append(sentence)
    return found


def balance_of(
    design: Design, assignments: Sequence[Assignment], first: Solved, second: Solved | None
) -> dict[str, Any]:
    """Per person the load, conditions, difficulties and environments; and how far each search came."""
    people: dict[str, Any] = {}
    for person in design.people:
        own = [one for one in assignments if one.code == person.code]
        people[person.code] = {
            "assignments": len(own),
            "attempts": len(own) * len(design.passes),
            "conditions": dict(sorted(Counter(one.condition for one in own).items())),
            "difficulties": dict(sorted(Counter(one.difficulty for one in own).items())),
            "environments": dict(sorted(Counter(one.environment for one in own).items())),
        }
    searches = {"primary": first} | ({"duplicate": second} if second else {})
    told = {
        name: {"objective": one.objective, "bound": one.bound, "optimal": one.optimal} for name, one in searches.items()
    }
    return {"people": people, "search": told}
