"""How far the environments' verdicts agree with people who looked without knowing them: rate, κ and confusion."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Max, Min, QuerySet

from annotate.counting import in_figures
from annotate.models import Attempt, Label, Person, Study
from tasks_admin.comparison import pair_intervals
from tasks_admin.comparison.agreement import passes


@dataclass(frozen=True)
class Labelled:
    """An attempt with the last word of each lead who labelled it, by the lead's id."""

    attempt: int
    environment: str
    passed: bool
    words: dict[int, bool]

    @property
    def verdict_of_people(self) -> bool | None:
        """What most of them said; None where they are split."""
        yes = sum(self.words.values())
        no = len(self.words) - yes
        return None if yes == no else yes > no


def open_to_labels(study: Study) -> QuerySet[Attempt]:
    """Attempts that figures count and that have a recording to look at; no practice."""
    counted = Attempt.objects.filter(in_figures("round__"), round__participation__study=study, recording__isnull=False)
    return counted.exclude(round__assignment__role="practice")


def next_for(study: Study, lead: Person) -> Attempt | None:
    """An attempt that this lead has not labelled and did not do, from a random place on; None where all are."""
    left = open_to_labels(study).exclude(labels__lead=lead).exclude(round__person=lead).order_by("pk")
    ends = left.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return None
    start = ends["first"] + secrets.randbelow(ends["last"] - ends["first"] + 1)
    return left.filter(pk__gte=start).first()


def labelled(study: Study) -> list[Labelled]:
    """Every labelled attempt that figures count."""
    words: dict[int, dict[int, bool]] = defaultdict(dict)
    rows = Label.objects.filter(attempt__in=open_to_labels(study)).order_by("pk")
    for attempt, lead, success in rows.values_list("attempt", "lead", "success"):
        words[attempt][lead or 0] = success
    environment = "round__assignment__task_condition__task__environment__slug"
    attempts = Attempt.objects.filter(pk__in=words).order_by("pk").values_list("pk", environment, "passed")
    return [Labelled(pk, slug, bool(passed), words[pk]) for pk, slug, passed in attempts]


def figures(found: Iterable[Labelled]) -> list[dict[str, Any]]:
    """For all websites and each: {environment, labelled, split, table, agreement, kappa, ac1, mcnemar_p, intervals, undefined}.

    The 2×2 table has the environment's verdict in rows and people's in columns. Attempts on which people are split are told, not
    counted.
    """
    listed = list(found)
    names = sorted({one.environment for one in listed})
    groups = [("all", listed), *((name, [one for one in listed if one.environment == name]) for name in names)]
    return [of_group(name, group) for name, group in groups if group]


def of_group(name: str, group: list[Labelled]) -> dict[str, Any]:
    clear = [(one.passed, said) for one in group if (said := one.verdict_of_people) is not None]
    told = {"environment": name, "labelled": len(group), "split": len(group) - len(clear)}
    return told | compared([verdict for verdict, _ in clear], [said for _, said in clear])


def compared(one: list[bool], other: list[bool]) -> dict[str, Any]:
    told = passes(np.array(one, dtype=bool), np.array(other, dtype=bool))
    return told | {"intervals": pair_intervals.of_passes(told["table"])}
