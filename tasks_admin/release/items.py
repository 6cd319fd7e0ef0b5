"""What is withheld until a lead clears it: texts, each with where it was said and what looks private in it, pictures, captures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotate.models import (
    Amendment,
    Attempt,
    Participation,
    Picture,
    Rating,
    Reference,
    Replay,
    ReplayStep,
    Review,
    Round,
    Study,
    StudyRole,
    TaskCondition,
)
from annotate.models.people import Person
from recorder.capture.ingest import LATE_S
from recorder.models import CapturedPage
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.rows import attempts_to_export
from tasks_admin.models import Clearance
from tasks_admin.release.detector import suspicions

CONDITION = "task_condition__task__environment"
STATES = ("open", "cleared", "withheld")


@dataclass(frozen=True)
class Source:
    """A kind of text, picture or capture: its words, the rows that have one, the field that holds it, or names it, and, of a text's
    row, who said it and where."""

    words: str
    rows: Callable[[Study], QuerySet[Any]]
    field: str
    said: Callable[[Any], tuple[str, str]] = lambda row: ("", "")


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
    """The ratings whose comment stands in the newest one of their round, each comment once: by the first that said it."""
    said = Rating.objects.filter(round=OuterRef("round"))
    found = (
        Rating.objects.filter(round__participation__study=study, comment=Subquery(newest_comment()))
        .exclude(comment="")
        .exclude(round__set_aside=Round.SetAside.REMOVED)
        .exclude(Exists(said.filter(comment=OuterRef("comment"), revision__lt=OuterRef("revision"))))
    )
    return found.select_related("round__participation", f"round__assignment__{CONDITION}").order_by("pk")


def taken_out(study: Study) -> QuerySet[Rating]:
    """The ratings whose comment their annotator has changed or taken out since."""
    return (
        Rating.objects.filter(round__participation__study=study)
        .exclude(comment="")
        .exclude(comment=Subquery(newest_comment()))
    )


def newest_comment() -> QuerySet[Any]:
    """What the newest rating of the round says."""
    return Rating.objects.filter(round=OuterRef("round")).order_by("-revision").values("comment")[:1]


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


def amendments(study: Study) -> QuerySet[Amendment]:
    return Amendment.objects.filter(study=study).exclude(reason="").order_by("number")


def overruled(study: Study) -> QuerySet[Reference]:
    """The references that a lead chose against the policy, those that stand."""
    found = Reference.objects.filter(task_condition__study=study, is_current=True, overruled=True)
    return found.select_related("task_condition__task__environment").order_by("pk")


def place_of(condition: TaskCondition) -> str:
    return f"{condition.task.environment.slug} / {condition.task.slug}, {condition.condition}"


def in_round(round_: Round) -> str:
    return place_of(round_.assignment.task_condition)


LEAD = "a lead"
SOURCES: dict[str, Source] = {
    "comment": Source(
        "comments of ratings", ratings, "comment", lambda row: (row.round.participation.code, in_round(row.round))
    ),
    "reason": Source(
        "reasons for abandoning a round", reasons, "reason", lambda row: (row.participation.code, in_round(row))
    ),
    "review": Source("leads' reasons for decisions", reviews, "reason", lambda row: (LEAD, in_round(row.round))),
    "amendment": Source(
        "leads' reasons for amendments",
        amendments,
        "reason",
        lambda row: (LEAD, f"amendment {row.number}: {row.get_kind_display()} {row.subject}"),
    ),
    "overruled": Source(
        "leads' reasons for references",
        overruled,
        "reason",
        lambda row: (LEAD, place_of(row.task_condition)),
    ),
}


def shown_steps(study: Study, choice: Choice = ALL) -> QuerySet[ReplayStep]:
    """The steps of the newest replay of each attempt that an export may hold: those whose pictures can be cleared."""
    newest = Replay.objects.filter(attempt=OuterRef("attempt"), state="done").order_by("-number").values("pk")[:1]
    attempts = attempts_to_export(study, choice).order_by().values("pk")
    return ReplayStep.objects.filter(replay__in=Replay.objects.filter(attempt__in=attempts, pk=Subquery(newest)))


def pictures(study: Study, choice: Choice = ALL) -> QuerySet[Picture]:
    """The pictures before and after these steps."""
    steps = shown_steps(study, choice).order_by()
    return Picture.objects.filter(Q(pk__in=steps.values("before")) | Q(pk__in=steps.values("after"))).order_by("pk")


def captured(study: Study, choice: Choice = ALL) -> QuerySet[Attempt]:
    """The attempts that an export may hold of which there is a capture to which nothing can be added any more."""
    settled = Q(recording__state="closed", recording__closed_at__lt=timezone.now() - timedelta(seconds=LATE_S))
    pages = CapturedPage.objects.filter(recording=OuterRef("recording"), chunks__isnull=False)
    return attempts_to_export(study, choice).filter(settled, Exists(pages))


KINDS = SOURCES | {
    "picture": Source("pictures of replays", pictures, "content_hash"),
    "capture": Source("pages as people saw them, by attempt", captured, "pk"),
}


def rows(study: Study, kind: str, state: str = "") -> QuerySet[Any]:
    """The rows of a kind, with `cleared` and `withheld` on each; of a state where it is named."""
    decided = Clearance.objects.filter(study=study, kind=kind, item=OuterRef("pk"))
    found: QuerySet[Any] = (
        KINDS[kind]
        .rows(study)
        .annotate(cleared=Exists(decided.filter(cleared=True)), withheld=Exists(decided.filter(cleared=False)))
    )
    if state == "open":
        return found.filter(cleared=False, withheld=False)
    return found.filter(**{state: True}) if state in STATES else found


def item_of(kind: str, row: Any, names: list[str]) -> Item:
    text = getattr(row, SOURCES[kind].field)
    by, where = SOURCES[kind].said(row)
    return Item(kind, row.pk, by, where, text, suspicions(text, names), state_of(row))


def state_of(row: Any) -> str:
    """One of STATES, of a row that `rows` gave."""
    return "cleared" if row.cleared else "withheld" if row.withheld else "open"


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
    """{pk: text} of what may leave the house; of pictures their content hashes, of captures their attempts."""
    return {row.pk: getattr(row, KINDS[kind].field) for row in rows(study, kind, "cleared")}


def count(study: Study, kind: str) -> dict[str, int]:
    """How many of a kind are open, cleared and withheld."""
    found = rows(study, kind).order_by().values("cleared", "withheld").annotate(n=Count("pk", distinct=True))
    by_word = {(row["cleared"], row["withheld"]): row["n"] for row in found}
    return {
        "open": by_word.get((False, False), 0),
        "cleared": by_word.get((True, False), 0),
        "withheld": by_word.get((False, True), 0),
    }


def counts(study: Study) -> list[dict[str, Any]]:
    """Per kind: its words, and how many are open, cleared and withheld."""
    return [{"kind": kind, "words": source.words} | count(study, kind) for kind, source in KINDS.items()]
