"""The texts that are withheld until a lead clears them, each with where it was said and what looks private in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import Participation, Rating, Review, Round, Study, StudyRole
from annotate.models.people import Person
from tasks_admin.models import Clearance
from tasks_admin.release.detector import suspicions

CONDITION = "task_condition__task__environment"
STATES = ("open", "cleared", "withheld")


@dataclass(frozen=True)
class Source:
    """A kind of text: its words, the rows that have one, and the field that holds it."""

    words: str
    rows: Callable[[Study], QuerySet[Any]]
    field: str


@dataclass(frozen=True)
class Item:
    """One text: its row, who wrote it as codes go, where, and what looks private in it."""

    kind: str
    pk: int
    by: str
    where: str
    text: str
    suspicions: list[str]
    state: str


def ratings(study: Study) -> QuerySet[Rating]:
    found = (
        Rating.objects.filter(round__participation__study=study)
        .exclude(comment="")
        .exclude(round__set_aside=Round.SetAside.REMOVED)
    )
    return found.select_related("round__participation", f"round__assignment__{CONDITION}").order_by("pk")


def reasons(study: Study) -> QuerySet[Round]:
    found = (
        Round.objects.filter(participation__study=study, state="abandoned")
        .exclude(reason="")
        .exclude(set_aside=Round.SetAside.REMOVED)
    )
    return found.select_related("participation", f"assignment__{CONDITION}").order_by("pk")


def reviews(study: Study) -> QuerySet[Review]:
    found = Review.objects.filter(study=study).exclude(reason="").exclude(round__set_aside=Round.SetAside.REMOVED)
    return found.select_related("round__participation", f"round__assignment__{CONDITION}").order_by("pk")


SOURCES: dict[str, Source] = {
    "comment": Source("comments of ratings", ratings, "comment"),
    "reason": Source("reasons for abandoning a round", reasons, "reason"),
    "review": Source("leads' reasons for decisions", reviews, "reason"),
}


def rows(study: Study, kind: str, state: str = "") -> QuerySet[Any]:
    """The rows of a kind, with `cleared` and `withheld` on each; of a state where it is named."""
    decided = Clearance.objects.filter(kind=kind, item=OuterRef("pk"))
    found: QuerySet[Any] = (
        SOURCES[kind]
        .rows(study)
        .annotate(cleared=Exists(decided.filter(cleared=True)), withheld=Exists(decided.filter(cleared=False)))
    )
    if state == "open":
        return found.filter(cleared=False, withheld=False)
    return found.filter(**{state: True}) if state in STATES else found


def item_of(kind: str, row: Any, names: list[str]) -> Item:
    round_ = row if kind == "reason" else getattr(row, "round", None)
    condition = round_.assignment.task_condition if round_ else row.task_condition
    text = getattr(row, SOURCES[kind].field)
    by = round_.participation.code if round_ and kind in ("comment", "reason") else "a lead"
    where = f"{condition.task.environment.slug} / {condition.task.slug}, {condition.condition}"
    state = "cleared" if row.cleared else "withheld" if row.withheld else "open"
    return Item(kind, row.pk, by, where, text, suspicions(text, names), state)


def names_in(study: Study) -> list[str]:
    """Names of everybody in the study, whole and by their parts of four letters and more."""
    inside = Participation.objects.filter(study=study, person__isnull=False).values("person")
    leads = StudyRole.objects.filter(study=study).values("person")
    whole = (
        Person.objects.filter(pk__in=inside)
        .values_list("name", flat=True)
        .union(Person.objects.filter(pk__in=leads).values_list("name", flat=True))
    )
    parts = {part for name in whole if name for part in (name, *name.split()) if len(part) >= 4}
    return sorted(parts)


def cleared_texts(study: Study, kind: str) -> dict[int, str]:
    """{pk: text} of what may leave the house."""
    return {row.pk: getattr(row, SOURCES[kind].field) for row in rows(study, kind, "cleared")}


def counts(study: Study) -> list[dict[str, Any]]:
    """Per kind: its words, and how many texts are open, cleared and withheld."""
    return [
        {"kind": kind, "words": source.words} | {state: rows(study, kind, state).count() for state in STATES}
        for kind, source in SOURCES.items()
    ]
