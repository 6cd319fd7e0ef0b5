"""How wide the report's intervals get in a study that is only planned: closed forms, held against drawn studies by the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, norm
from scipy.stats import t as student

from recorder.errors import FootpathError
from tasks_admin.comparison.bootstrap import LEVEL
from tasks_admin.simulation.truth import Truth, over_tasks

REACH = float(norm.ppf((1 + LEVEL) / 2))
FARTHEST = 40.0  # log odds
FEW = 5  # fewer tasks that are expected to differ, or people's means, give a bootstrap nothing to draw from
FEW_PEOPLE = 3  # with fewer the report gives no interval over people
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
MOST = 100_000  # tasks, and people


class BadExpectation(FootpathError):
    """What nobody can expect of a study."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_expectation", 400, message)


def mean(values: np.ndarray) -> float:
    """The mean over a standard normal of values at NODES."""
    return float((values * WEIGHTS).sum() / WEIGHTS.sum())


def student_reach(people: int) -> float:
    """How many standard errors the interval of a mean over people reaches by Student's t."""
    return float(student.ppf((1 + LEVEL) / 2, people - 1))


def log_odds_of(rate: float, sd: float) -> float:
    """The log odds in the middle of a normal spread whose mean pass rate is `rate`."""
    return float(brentq(lambda middle: over_tasks(middle, sd) - rate, -FARTHEST, FARTHEST))


@dataclass(frozen=True)
class Expected:
    """Warm attempts of people: pass rate clean (0..1), drop under intervention (0..1), and spreads (SD of log odds) of tasks, people
    and pairs (what one person has with one task-condition). Raises BadExpectation."""

    clean: float
    drop: float
    task_sd: float = 0.8
    person_sd: float = 0.3
    pair_sd: float = 0.4

    def __post_init__(self) -> None:
        if not 0.01 <= self.clean <= 0.99:
            raise BadExpectation("Expect a pass rate from 1 to 99 %: where all pass, or nobody does, nothing varies.")
        if not 0.01 <= self.clean - self.drop <= 0.99:
            raise BadExpectation(
                "The pass rate less the drop is the pass rate under intervention; expect one from 1 to 99 %."
            )
        if not all(0 <= sd <= 5 for sd in (self.task_sd, self.person_sd, self.pair_sd)):
            raise BadExpectation("Spreads are standard deviations of log odds, from 0 to 5.")

    @classmethod
    def of(cls, truth: Truth) -> Expected:
        """What a truth lets expect of warm attempts by people like its own."""
        sd = float(np.linalg.norm([truth.task_sd, truth.person_sd, truth.pair_sd]))
        clean, under = (over_tasks(truth.log_odds + truth.warm + cost, sd) for cost in (0, truth.intervention))
        return cls(clean, clean - under, truth.task_sd, truth.person_sd, truth.pair_sd)

    @property
    def rates(self) -> dict[str, float]:
        """The pass rate by condition."""
        return {"clean": self.clean, "intervention": self.clean - self.drop}

    def given(self, rate: float, known: float, *others: float) -> np.ndarray:
        """The pass rate at NODES of what has the spread `known`, over all that `others` spread."""
        rest = float(np.linalg.norm(others))
        middle = log_odds_of(rate, float(np.hypot(known, rest)))
        return np.array([over_tasks(middle + known * node, rest) for node in NODES])

    @cached_property
    def differ(self) -> float:
        """The share of tasks that come out differently under the two conditions."""
        clean, under = (self.given(rate, self.task_sd, self.person_sd, self.pair_sd) for rate in self.rates.values())
        return mean(clean * (1 - under) + under * (1 - clean))

    @cached_property
    def variance(self) -> float:
        """Of one task's clean less intervention."""
        return self.differ - self.drop**2

    @cached_property
    def between(self) -> dict[str, float]:
        """The variance of people's own pass rates over all tasks, by condition."""
        known = {
            name: self.given(rate, self.person_sd, self.task_sd, self.pair_sd) for name, rate in self.rates.items()
        }
        return {name: max(0.0, mean(own**2) - mean(own) ** 2) for name, own in known.items()}

    def drop_half(self, tasks: int) -> float | None:
        """Half the interval over tasks of the drop, points; None where too few tasks would differ to tell."""
        return None if tasks * self.differ < FEW else 100 * REACH * float(np.sqrt(self.variance / tasks))

    def rate_half(self, condition: str, tasks: int) -> float | None:
        """Half the interval over tasks of a pass rate, points; None where too few tasks would pass, or fail, to tell."""
        rate = self.rates[condition]
        few = tasks * min(rate, 1 - rate) < FEW
        return None if few else 100 * REACH * float(np.sqrt(rate * (1 - rate) / tasks))

    def of_means(self, condition: str, tasks: int, people: int) -> float | None:
        """The variance of people's means: who they are, and the tasks / people that each met; None of too few."""
        rate, between = self.rates[condition], self.between[condition]
        if people < FEW_PEOPLE or tasks * min(rate, 1 - rate) < FEW:
            return None
        return between + (rate * (1 - rate) - between) * people / tasks

    def people_half(self, condition: str, tasks: int, people: int) -> float | None:
        """Half the interval over people of a pass rate, points, as half of such studies get; None where there would be none.

        A percentile bootstrap of few groups takes (people - 1) / people of their variance, and half of the sample variances lie below
        the median of chi square: with few people it is too narrow.
        """
        if (found := self.of_means(condition, tasks, people)) is None:
            return None
        return 100 * REACH * float(np.sqrt(found * chi2.median(people - 1)) / people)

    def sure_half(self, condition: str, tasks: int, people: int) -> float | None:
        """The same by Student's t, which is as wide as few people ask for: what to plan with."""
        if (found := self.of_means(condition, tasks, people)) is None:
            return None
        return 100 * student_reach(people) * float(np.sqrt(found / people))


def fewest(half: Callable[[int], float | None], points: float) -> int | None:
    """The least number of tasks or people, to MOST, with which `half` is at most `points`; `half` falls where it is told."""

    def reaches(number: int) -> bool:
        return (told := half(number)) is not None and told <= points

    low = high = 2
    while not reaches(high):
        if high >= MOST:
            return None
        low, high = high + 1, min(MOST, 2 * high)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle + 1, high)
    return low


@dataclass(frozen=True)
class Planned:
    """Tasks in the panel, each done under both conditions by two of `people`; assignments that a person does at most; duplicates, which
    others do. Raises BadExpectation for what cannot be."""

    tasks: int
    people: int
    each: int
    duplicates: int = 0

    def __post_init__(self) -> None:
        if not (2 <= self.tasks <= MOST and 2 <= self.people <= MOST):
            raise BadExpectation(f"A study has from 2 to {MOST:,} tasks, and as many people.")
        if not 1 <= self.each <= self.tasks:
            raise BadExpectation(
                f"A person does one assignment at least, and meets no task twice: from 1 to {self.tasks:,} each with so many tasks."
            )
        if not 0 <= self.duplicates <= 2 * self.tasks:
            raise BadExpectation(f"Duplicates are from 0 to {2 * self.tasks:,}: one a task and condition.")

    @property
    def needed(self) -> int:
        """Assignments without duplicates."""
        return 2 * self.tasks

    @property
    def duplicators(self) -> int:
        """How many others the duplicates take."""
        return -(-self.duplicates // self.each)

    def people_for(self, tasks: int) -> int:
        """The fewest people who can do so many tasks; clean and intervention of a task are two people's."""
        return max(2, -(-2 * tasks // min(self.each, tasks)))

    def tasks_of(self, people: int) -> int:
        """The most tasks that so many people can do."""
        return people * self.each // 2
