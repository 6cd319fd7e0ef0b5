"""The open rest of a running study as groups of alike tasks, and whether it can be placed at all.

Tasks are alike where they have the same environment and difficulty, the same conditions still open, and the same people who
may not have them (they exclude the website, or have met the task). A plan of the rest exists exactly where people's places
reach: a flow from each person, through at most one condition of each task of a group that they may do, to what is needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from annotate.design.feasible import listed
from annotate.design.model import Assignment, Condition, Design, Somebody, TaskRow

GroupKey = tuple[str, str, tuple[Condition, ...], frozenset[str]]


@dataclass(frozen=True)
class Group:
    """Alike tasks. `holders` tells who has which (task, condition) now; people of the tier but those in `barred` may do them."""

    environment: str
    difficulty: str
    conditions: tuple[Condition, ...]
    barred: frozenset[str]
    tasks: list[TaskRow] = field(default_factory=list)
    holders: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def key(self) -> GroupKey:
        return self.environment, self.difficulty, self.conditions, self.barred

    @property
    def needed(self) -> int:
        """Assignments that are open."""
        return len(self.tasks) * len(self.conditions)

    def held(self, condition: str, code: str) -> int:
        """How many of them the person has now under the condition."""
        return sum(1 for task in self.tasks if self.holders.get((task.task, condition)) == code)


def groups_of(
    design: Design, items: Iterable[Assignment], people: Sequence[Somebody], met: Collection[tuple[str, str]]
) -> list[Group]:
    """The items of one role in groups; `met` are the (code, task) that must not come together again."""
    tasks = {task.task: task for task in design.tasks}
    barred_from: dict[str, set[str]] = defaultdict(set)
    for code, name in met:
        barred_from[name].add(code)
    by_task: dict[str, list[Assignment]] = defaultdict(list)
    for item in items:
        by_task[item.task].append(item)
    groups: dict[GroupKey, Group] = {}
    for name, own in sorted(by_task.items()):
        task = tasks[name]
        conditions = tuple(sorted({item.condition for item in own}))
        barred = frozenset(
            one.code for one in people if task.environment in one.excludes or one.code in barred_from[name]
        )
        group = Group(task.environment, task.difficulty, conditions, barred)
        group = groups.setdefault(group.key, group)
        group.tasks.append(task)
        group.holders.update({(name, item.condition): item.code for item in own})
    return [groups[key] for key in sorted(groups, key=lambda key: (*key[:3], sorted(key[3])))]


def places(person: Somebody, groups: Iterable[Group], left: int | None) -> int:
    """The most that the person can take of the groups, with `left` of their capacity (None: no limit)."""
    open_to = sum(len(group.tasks) for group in groups if person.code not in group.barred)
    return open_to if left is None else min(open_to, left)


def collision(groups: Sequence[Group], people: Sequence[Somebody], left: Mapping[str, int | None], what: str) -> str:
    """'' where everything can be placed; else a sentence about a set of groups that can't, from which none can be taken away."""
    chosen = too_much(groups, people, left)
    if not chosen:
        return ""

    def lacking(some: Sequence[Group]) -> bool:
        return sum(group.needed for group in some) > sum(places(one, some, left[one.code]) for one in people)

    for name in sorted({group.environment for group in chosen}):  # whole websites first: sentences about them are short
        without = [group for group in chosen if group.environment != name]
        if lacking(without):
            chosen = without
    for group in list(chosen):
        without = [one for one in chosen if one is not group]
        if lacking(without):
            chosen = without
    return sentence(chosen, groups, people, left, what)


def too_much(groups: Sequence[Group], people: Sequence[Somebody], left: Mapping[str, int | None]) -> list[Group]:
    """Groups whose needs exceed the places of those who may do them; empty where all can be placed (min cut)."""
    needed = sum(group.needed for group in groups)
    source, sink = 0, 1 + len(people) + len(groups)
    edges: dict[tuple[int, int], int] = {}
    for row, person in enumerate(people, 1):
        edges[source, row] = places(person, groups, left[person.code])
        for column, group in enumerate(groups, 1 + len(people)):
            if person.code not in group.barred:
                edges[row, column] = len(group.tasks)
    for column, group in enumerate(groups, 1 + len(people)):
        edges[column, sink] = group.needed
    starts, ends = zip(*edges, strict=True) if edges else ((), ())
    capacity = np.array(list(edges.values()), dtype=np.int32)
    graph = csr_array((capacity, (starts, ends)), shape=(sink + 1, sink + 1), dtype=np.int32)
    flow = maximum_flow(graph, source, sink)
    if flow.flow_value == needed:
        return []
    residual = graph - flow.flow
    residual.eliminate_zeros()
    reached = set(breadth_first_order(residual, source, return_predecessors=False).tolist())
    return [group for column, group in enumerate(groups, 1 + len(people)) if column not in reached]


def sentence(
    chosen: Sequence[Group],
    groups: Sequence[Group],
    people: Sequence[Somebody],
    left: Mapping[str, int | None],
    what: str,
) -> str:
    """Who may do these, how many places they have, how many are needed."""
    wanted = sum(group.needed for group in chosen)
    names = listed([told(name, chosen, groups) for name in sorted({group.environment for group in chosen})])
    able = [one for one in people if any(one.code not in group.barred for group in chosen)]
    if not able:
        return (
            f"Nobody is left who may do {names}: {wanted} {what} are open, and everybody excludes them or has met them."
        )
    have = sum(places(one, chosen, left[one.code]) for one in able)
    only = "" if len(able) == len(people) else "Only "
    return (
        f"{only}{listed([one.code for one in able])} may still do {names}; they have {have} place{'s' * (have != 1)} left, "
        f"{wanted} are needed."
    )


def told(name: str, chosen: Sequence[Group], groups: Sequence[Group]) -> str:
    """An environment, or the number of its tasks that are meant."""
    mine = sum(len(group.tasks) for group in chosen if group.environment == name)
    whole = sum(len(group.tasks) for group in groups if group.environment == name)
    return name if mine == whole else f"{mine} task{'s' * (mine != 1)} of {name}"
