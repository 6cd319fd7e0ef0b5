"""The canary: what must not leave the house is looked for in everything that is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

import polars as pl
from django.db.models import QuerySet

from annotate.models import Amendment, Participation, Person, Rating, Reference, Review, Round, Study, StudyRole
from recorder.errors import FootpathError
from tasks_admin.release.items import SOURCES, cleared_texts

SHORTEST = 8  # below that a value turns up by chance
ADDRESS, NAME = "a person's e-mail address", "a person's name"
ACCOUNT = frozenset({ADDRESS, NAME})


class Leak(FootpathError):
    """A withheld value turned up in the bundle."""

    def __init__(self, kind: str, where: str) -> None:
        super().__init__(
            "leak",
            409,
            f"The bundle would hold {kind} (in {where}). Clear or mask it first; nothing was exported.",
            kind=kind,
        )


class Canary:
    """Knows the withheld values of a study and refuses texts that hold one of them: as it is, or as JSON or an address writes it;
    what tells who somebody is also in other capitals."""

    def __init__(
        self,
        withheld: Iterable[tuple[str, str]],
        cleared: dict[tuple[str, int], int] | None = None,
        texts: dict[tuple[str, int], str] | None = None,
    ) -> None:
        self.cleared = cleared or {}  # {(kind, pk): pk of its clearance}
        self.used: set[int] = set()  # clearances of what was let out
        self.withheld = sorted({(kind, value.strip()) for kind, value in withheld if len(value.strip()) >= SHORTEST})
        self._words = [(kind, word) for kind, value in self.withheld for word in forms_of(kind, value)]
        # Cleared texts: whatever says one relies on its clearance.
        self._allowed = [
            (self.cleared[key], form)
            for key, text in (texts or {}).items()
            for form in forms_of("", text.strip())
            if len(form) >= SHORTEST
        ]
        self._needles = sorted({word for kind, word in (*self._words, *self._allowed) if kind not in ACCOUNT})
        self._accounts = sorted({word.lower() for kind, word in self._words if kind in ACCOUNT})

    def check(self, texts: Sequence[str] | pl.Series, where: Sequence[str]) -> set[int]:
        """Raises Leak where one of `texts` holds a withheld value; `where` tells for each of them what it is. Returns the clearances
        of texts that were found in them."""
        relied: set[int] = set()
        found = pl.Series(texts, dtype=pl.String)
        for index in self._suspects(found).arg_true():
            text = found[index]
            lowered = text.lower()
            for kind, word in self._words:
                if word.lower() in lowered if kind in ACCOUNT else word in text:
                    raise Leak(kind, where[index])
            relied |= {clearance for clearance, form in self._allowed if form in text}
        self.used |= relied
        return relied

    def _suspects(self, texts: pl.Series) -> pl.Series:
        """Whether each text may hold one of the words. Telling capitals apart takes a fifth of the time that not telling them does,
        so the words of accounts are looked for in small letters."""
        suspects = pl.repeat(value=False, n=len(texts), eager=True)
        if self._needles:
            suspects |= texts.str.contains_any(self._needles)
        if self._accounts:
            suspects |= texts.str.to_lowercase().str.contains_any(self._accounts)
        return suspects

    def let_out(self, kind: str, pk: int, where: str) -> None:
        """Note that a text, picture or capture goes into the bundle. Raises Leak where it was not cleared."""
        clearance = self.cleared.get((kind, pk))
        if clearance is None:
            raise Leak(f"a {kind} that was not cleared", where)
        self.used.add(clearance)


def forms_of(kind: str, value: str) -> set[str]:
    """How a withheld value may be written."""
    cases = {value, value.lower(), value.upper()} if kind in ACCOUNT else {value}
    return {form for one in cases for form in (one, in_json(one), quote(one), quote(one, safe=""), quote_plus(one))}


def in_json(value: str) -> str:
    """The value as it stands within a JSON document."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def canary_of(study: Study) -> Canary:
    """Names and addresses of everybody in the study, comments, annotators' reasons; and what was cleared."""
    cleared = study.clearances.filter(cleared=True).values_list("kind", "item", "pk")
    texts = {(kind, pk): text for kind in SOURCES for pk, text in cleared_texts(study, kind).items()}
    withheld = [*_account_data(study), *_words(study, {text.strip() for text in texts.values()})]
    return Canary(withheld, {(kind, item): pk for kind, item, pk in cleared.iterator()}, texts)


def _account_data(study: Study) -> Iterable[tuple[str, str]]:
    inside = set(Participation.objects.filter(study=study, person__isnull=False).values_list("person_id", flat=True))
    inside |= set(StudyRole.objects.filter(study=study).values_list("person_id", flat=True))
    for person in Person.objects.filter(pk__in=inside):
        yield ADDRESS, person.email
        yield NAME, person.name


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
