"""Whether any plan exists, and if not, which constraints collide.

People are interchangeable within an environment but for who may do it, and nobody does a task twice, so a plan exists exactly
where every set of environments has places enough among those who may do any of it (max-flow, min-cut): somebody's places in an
environment are at most its tasks, and over all environments at most their capacity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotate.design.model import Somebody

SMALL_SET = 3  # environments tried together, before all of them


@dataclass(frozen=True)
class Need:
    """Of an environment: assignments to be done, and the different tasks they are of (nobody does a task twice)."""

    environment: str
    assignments: int
    tasks: int


def places(person: Somebody, needs: Iterable[Need]) -> int:
    """The most that a person can take of these environments."""
    open_to = sum(need.tasks for need in needs if need.environment not in person.excludes)
    return open_to if person.capacity is None else min(open_to, person.capacity)


def collision(people: Sequence[Somebody], needs: Sequence[Need], what: str) -> str:
    """'' where all needs can be met; else a sentence about a smallest set of environments that can't."""
    for size in [*range(1, min(SMALL_SET, len(needs)) + 1), len(needs)]:
        for chosen in combinations(needs, size):
            wanted = sum(need.assignments for need in chosen)
            have = sum(places(person, chosen) for person in people)
            if have < wanted:
                return sentence(people, chosen, wanted, what)
    return ""


def sentence(people: Sequence[Somebody], needs: Sequence[Need], wanted: int, what: str) -> str:
    """Who may do these environments, how many places they have, how many are needed."""
    names = listed([need.environment for need in needs])
    able = [person for person in people if any(need.environment not in person.excludes for need in needs)]
    if not able:
        return f"Nobody may do {names}: everybody of the tier excludes it, and {wanted} {what} are needed."
    have = sum(places(person, needs) for person in able)
    only = "" if len(able) == len(people) else "Only "
    places_left = f"{have} place{'s' * (have != 1)} left"
    words = (
        f"{only}{listed([person.code for person in able])} may do {names}; they have {places_left}, {wanted} are needed"
    )
    if sum(wanted if person.capacity is None else person.capacity for person in able) >= wanted:
        tasks = sum(need.tasks for need in needs)
        words += f" (nobody does one of the {tasks} tasks twice: clean and intervention go to different people)"
    return words + "."


def listed(codes: Sequence[str]) -> str:
    """`P1, P2 and P3`; many are shortened."""
    if len(codes) > 6:
        return f"{', '.join(codes[:5])} and {len(codes) - 5} more"
    return codes[0] if len(codes) == 1 else f"{', '.join(codes[:-1])} and {codes[-1]}"


def needs_of(counts: Mapping[str, tuple[int, int]]) -> list[Need]:
    """Needs by environment from {environment: (assignments, tasks)}."""
    return [Need(name, assignments, tasks) for name, (assignments, tasks) in sorted(counts.items())]
