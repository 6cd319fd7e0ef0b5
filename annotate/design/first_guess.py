"""Where the search for a replan begins: everybody keeps what they may, the rest goes to who has least, then loads are evened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotate.design.balance import Key
from annotate.design.model import Assignment, Condition, Somebody
from annotate.design.rest import Group

MOST_MOVES = 20_000


@dataclass
class Guess:
    """Counts so far, with the loads they make; what is begun is counted in."""

    groups: Sequence[Group]
    people: Sequence[Somebody]
    left: Mapping[str, int | None]
    n: Counter[Key] = field(default_factory=Counter)
    loads: Counter[str] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def fits(self, group: Group, code: str) -> bool:
        """True where the person may get one more of the group."""
        if code in group.barred:
            return False
        most = self.left[code]
        mine = sum(self.n[group.key, condition, code] for condition in group.conditions)
        return mine < len(group.tasks) and (most is None or self.given[code] < most)

    def give(self, group: Group, condition: str, code: str, number: int = 1) -> None:
        """One more (or, with -1, one less) for the person."""
        self.n[group.key, condition, code] += number
        self.loads[code] += number
        self.given[code] += number
        self.kinds[code, group.difficulty, condition] += number

    def rank(self, group: Group, condition: str, code: str) -> tuple[int, int, str]:
        return self.loads[code], self.kinds[code, group.difficulty, condition], code

    def next_for(self, group: Group, condition: str) -> str:
        """Who has least of those who may have one more; '' where nobody may."""
        able = [one.code for one in self.people if self.fits(group, one.code)]
        return min(able, key=lambda code: self.rank(group, condition, code), default="")


def first_guess(
    groups: Sequence[Group],
    people: Sequence[Somebody],
    fixed: Sequence[Assignment],
    left: Mapping[str, int | None],
) -> dict[Key, int]:
    """Counts for a start. They may lack some where capacities are tight: finding those is the solver's work."""
    guess = Guess(groups, people, left)
    guess.loads.update(one.code for one in fixed)
    guess.kinds.update((one.code, one.difficulty, one.condition) for one in fixed)
    missing = []
    for group in groups:
        for condition in group.conditions:
            for task in group.tasks:
                holder = group.holders.get((task.task, condition), "")
                if holder in left and any(one.code == holder for one in people) and guess.fits(group, holder):
                    guess.give(group, condition, holder)
                else:
                    missing.append((group, condition))
    for group, condition in missing:
        if code := guess.next_for(group, condition):
            guess.give(group, condition, code)
    even_out(guess)
    return dict(guess.n)


def even_out(guess: Guess) -> None:
    """Move one at a time from who has most to who has least of those who may have it, until no such move evens loads."""
    for _ in range(MOST_MOVES):
        for giver in sorted((one.code for one in guess.people), key=lambda code: -guess.loads[code]):
            if move_one(guess, giver):
                break
        else:
            return


def move_one(guess: Guess, giver: str) -> bool:
    """Have the giver hand one over to somebody who has at least two less; False where nobody can take any."""
    best: tuple[tuple[int, int, str], Group, Condition] | None = None
    for group in guess.groups:
        for condition in group.conditions:
            if not guess.n[group.key, condition, giver]:
                continue
            for one in guess.people:
                rank = guess.rank(group, condition, one.code)
                worth = guess.loads[one.code] <= guess.loads[giver] - 2 and (best is None or rank < best[0])
                if worth and guess.fits(group, one.code):
                    best = rank, group, condition
    if best is None:
        return False
    rank, chosen, of = best
    guess.give(chosen, of, giver, -1)
    guess.give(chosen, of, rank[2])
    return True
