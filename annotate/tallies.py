"""How far a study is: counted at once where it is small, by the worker where counting would take a request too long."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, F, Max, Min, Q
from django.utils import timezone

from annotate import jobs, queries
from annotate.counting import in_figures
from annotate.models import Assignment, Attempt, Flag, Round, Study, Tally

LARGE = 3000  # assignments; from here on the worker counts
FRESH = timedelta(seconds=5)
WINDOW = timedelta(days=14)  # what a person's pace is taken from
STATES = {
    "done": Q(state="complete"),
    "running": Q(state="in_round"),
    "returned": Q(state="not_started", is_returned=True),
    "missing": Q(state="not_started", is_returned=False),
}

Body = dict[str, Any]


def of(study: Study) -> tuple[Body, datetime]:
    """The study's tally and when it was taken; a large study's may be some seconds old, and a newer one is then asked for."""
    if not is_large(study):
        return count(study), timezone.now()
    stored = Tally.objects.filter(study=study).first() or store(study)
    ask_if_old(stored)
    return stored.body, stored.at


def is_large(study: Study) -> bool:
    """True where the study has LARGE assignments or more; looks at no more of them than that."""
    return Assignment.objects.filter(participation__study=study).order_by()[LARGE - 1 : LARGE].exists()


def store(study: Study) -> Tally:
    """Count, and keep it for the pages."""
    body, at = count(study), timezone.now()
    return Tally.objects.update_or_create(study=study, defaults={"body": body, "at": at, "asked_at": None})[0]


def ask_if_old(stored: Tally) -> None:
    """Have the worker count anew, once for all who look at an old tally."""
    now = timezone.now()
    if stored.at > now - FRESH:
        return
    # The race: many leads look at once. One of them asks; if the worker does not answer, somebody asks again later.
    waiting = Q(asked_at=None) | Q(asked_at__lt=now - 6 * FRESH)
    if Tally.objects.filter(waiting, pk=stored.pk).update(asked_at=now):
        jobs.count_study(stored.study_id)


def count(study: Study) -> Body:
    """{"total", "done", "flags", "cells": [{environment, difficulty, condition, role, done, running, returned, missing}],
    "people": {code: {…states, ended_early, first, last, lately}}, "rates": [{condition, kind, n, passed, score}]}.

    Practice and withdrawn assignments are left out. Times are ISO 8601 or None; `lately` is complete ones within WINDOW.
    """
    people = _people(study)
    return {
        "total": sum(person[state] for person in people.values() for state in STATES),
        "done": sum(person["done"] for person in people.values()),
        "flags": Flag.objects.filter(round__participation__study=study, lifted_at=None).count(),
        "cells": _cells(study),
        "people": people,
        "rates": _rates(study),
    }


def _cells(study: Study) -> list[Body]:
    where = (
        "task_condition__task__environment__slug",
        "task_condition__condition",
        "task_condition__task__difficulty",
        "role",
    )
    rows = queries.counted_assignments(study).values_list(*where).annotate(**_counts()).order_by(*where)
    names = ("environment", "condition", "difficulty", "role", *STATES)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _counts() -> dict[str, Count]:
    return {name: Count("pk", filter=which) for name, which in STATES.items()}


def _people(study: Study) -> dict[str, Body]:
    """By code; one query per table, since joined to each other rounds and assignments would multiply."""
    codes = dict(study.participations.order_by("code").values_list("pk", "code"))
    empty = dict.fromkeys((*STATES, "ended_early", "lately"), 0) | dict.fromkeys(("first", "last"))
    people: dict[int, Body] = {pk: dict(empty) for pk in codes}
    rows = queries.counted_assignments(study).order_by().values_list("participation").annotate(**_counts())
    for pk, *counts in rows:
        people[pk] |= dict(zip(STATES, counts, strict=True))
    for pk, ended_early, lately, first, last in _rounds(study):
        people[pk] |= {"ended_early": ended_early, "lately": lately, "first": _told(first), "last": _told(last)}
    return {code: people[pk] for pk, code in codes.items()}


def _told(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None


def _rounds(study: Study) -> list[tuple[Any, ...]]:
    """(participation, ended early, complete ones within WINDOW, end of the first and of the last complete one)."""
    done = Q(state="complete") & ~Q(assignment__role="practice")
    return list(
        Round.objects.filter(participation__study=study)
        .order_by()
        .values_list("participation")
        .annotate(
            ended_early=Count("pk", filter=Q(state__in=["rolled_back", "abandoned", "void"])),
            lately=Count("pk", filter=done & Q(ended_at__gte=timezone.now() - WINDOW)),
            first=Min("ended_at", filter=done),
            last=Max("ended_at", filter=done),
        )
    )


def _rates(study: Study) -> list[Body]:
    rows = (
        Attempt.objects.filter(in_figures("round__"), round__participation__study=study)
        .exclude(round__assignment__role="practice")
        .values("kind", condition=F("round__assignment__task_condition__condition"))
        .annotate(n=Count("pk"), passed_n=Count("pk", filter=Q(passed=True)), mean=Avg("score"))
        .order_by("condition", "kind")
    )
    return [
        {
            "condition": row["condition"],
            "kind": row["kind"],
            "n": row["n"],
            "passed": row["passed_n"],
            "score": row["mean"],
        }
        for row in rows
    ]
