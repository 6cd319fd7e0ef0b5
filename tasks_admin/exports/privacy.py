"""The canary: what must not leave the house is looked for in everything that is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

import polars as pl
from django.db.models import Q, QuerySet

from annotate.models import Amendment, Person, Rating, Reference, Review, Round, Study
from annotate.naming import key_sign, words_of
from recorder.errors import FootpathError
from tasks_admin.exports.named import People
from tasks_admin.release.items import SOURCES, cleared_texts

SHORTEST = 8  # of a comment or reason: below that it turns up by chance

MASK_IT, CHANGE_IT = "Clear or mask it first", "Change it in the study first"


class Leak(FootpathError):
    """A withheld value turned up in the bundle."""

    def __init__(self, kind: str, where: str, remedy: str = MASK_IT) -> None:
        super().__init__(
            "leak", 409, f"The bundle would hold {kind} (in {where}). {remedy}; nothing was exported.", kind=kind
        )


class Canary:
    """Knows the withheld values of a study and refuses texts that hold one of them, as it is, or as JSON or an address writes it;
    and those that name one of its people."""

    def __init__(
        self,
        people: People,
        withheld: Iterable[tuple[str, str]] = (),
        cleared: dict[tuple[str, int], int] | None = None,
        texts: dict[tuple[str, int], str] | None = None,
    ) -> None:
        self.people = people
        self.cleared = cleared or {}  # {(kind, pk): pk of its clearance}
        self.used: set[int] = set()  # clearances of what was let out
        self.withheld = sorted({(kind, value.strip()) for kind, value in withheld if len(value.strip()) >= SHORTEST})
        self._words = [(kind, word) for kind, value in self.withheld for word in forms_of(value)]
        # Cleared texts: whatever says one relies on its clearance.
        self._allowed = [
            (self.cleared[key], form)
            for key, text in (texts or {}).items()
            for form in forms_of(text.strip())
            if len(form) >= SHORTEST
        ]
        self._needles = sorted({word for _, word in (*self._words, *self._allowed)})

    def check(self, texts: Sequence[str] | pl.Series, where: Sequence[str], remedy: str = MASK_IT) -> set[int]:
        """Raises Leak where one of `texts` holds a withheld value; `where` tells for each of them what it is, `remedy` what to do.
        Returns the clearances of texts that were found in them."""
        relied: set[int] = set()
        told = pl.Series(texts, dtype=pl.String)
        if named := self.people.found_in(told):
            index, kind = named
            raise Leak(kind, where[index], remedy)
        for index in told.str.contains_any(self._needles).arg_true() if self._needles else ():
            text = told[index]
            for kind, word in self._words:
                if word in text:
                    raise Leak(kind, where[index], remedy)
            relied |= {clearance for clearance, form in self._allowed if form in text}
        self.used |= relied
        return relied

    def told(self) -> list[Any]:
        """All that is looked for: where it is the same, the same is let out."""
        return [self.withheld, self.people.told()]

    def let_out(self, kind: str, pk: int, where: str) -> None:
        """Note that a text, picture or capture goes into the bundle. Raises Leak where it was not cleared."""
        clearance = self.cleared.get((kind, pk))
        if clearance is None:
            raise Leak(f"a {kind} that was not cleared", where)
        self.used.add(clearance)


def forms_of(value: str) -> set[str]:
    """How a withheld value may be written."""
    return {value, in_json(value), quote(value), quote(value, safe=""), quote_plus(value)}


def in_json(value: str) -> str:
    """The value as it stands within a JSON document."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def canary_of(study: Study) -> Canary:
    """Names and addresses of everybody who is or was in the study, comments, annotators' reasons; and what was cleared."""
    cleared = study.clearances.filter(cleared=True).values_list("kind", "item", "pk")
    texts = {(kind, pk): text for kind in SOURCES for pk, text in cleared_texts(study, kind).items()}
    withheld = _words(study, {text.strip() for text in texts.values()})
    return Canary(people_of(study), withheld, {(kind, item): pk for kind, item, pk in cleared.iterator()}, texts)


def people_of(study: Study) -> People:
    """Everybody who is or was in the study, on either side."""
    present = Person.objects.filter(Q(participations__study=study) | Q(study_roles__study=study)).distinct()
    former = study.former_names.filter(key=key_sign())
    return People(present.values_list("name", "email"), former, _own_words(study))


def former_people_of(study: Study) -> People:
    """Those alone who are in the study no more, or not under that name."""
    everybody = people_of(study)
    gone = study.former_names.filter(digest__in=everybody.former)
    return People((), gone, _own_words(study))


def own_texts(study: Study) -> Iterator[tuple[str, str]]:
    """(where it stands, the text) of what the manifest and the card say of the study in its people's words."""
    yield "the study's name", study.name
    yield "the study's short name", study.slug
    yield from _texts_in(study.design, "the study's design")


def _texts_in(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield where, name
            yield from _texts_in(one, f"{where}, {name}")
    elif isinstance(value, list):
        for one in value:
            yield from _texts_in(one, where)
    elif isinstance(value, str):
        yield where, value


def _own_words(study: Study) -> frozenset[str]:
    """What its tasks and websites say themselves."""
    tasks = study.task_conditions.values_list("task__title", "task__instruction", "task__environment__name").distinct()
    return frozenset(word for texts in tasks for text in texts for word in words_of(text))


def _words(study: Study, cleared: set[str]) -> Iterable[tuple[str, str]]:
    """Comments and reasons, but for those that were cleared; a text that was cleared once may be said by others too."""
    said: list[tuple[str, QuerySet[Any], str]] = [
        ("a comment", Rating.objects.filter(round__participation__study=study), "comment"),
        ("an annotator's reason", Round.objects.filter(participation__study=study), "reason"),
        ("a lead's reason", Review.objects.filter(study=study), "reason"),
        ("a lead's reason", Amendment.objects.filter(study=study), "reason"),
        ("a lead's reason", Reference.objects.filter(task_condition__study=study, overruled=True), "reason"),
    ]
    for who, rows, field in said:
        for text in rows.values_list(field, flat=True):
            if text.strip() not in cleared:
                yield f"{who} that was not cleared", text
