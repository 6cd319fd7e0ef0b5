"""Keeping what a name is known again by, before it goes from a study."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from annotate.models import FormerName, Person, Study
from annotate.naming import digest, key_sign, ways


def keep_name(person: Person, studies: Iterable[Study]) -> None:
    """Keep digests of the person's name and address for these studies' exports. Kept twice, it is kept once."""
    told = ways(person.name, person.email)
    FormerName.objects.bulk_create(
        [
            FormerName(
                study=study,
                kind=kind,
                words=len(words.split()),
                letters=len(words),
                digest=digest(words),
                key=key_sign(),
            )
            for study in studies
            for words, kind in told.items()
        ],
        ignore_conflicts=True,
    )


def studies_of(person: Person) -> QuerySet[Study]:
    """Every study that the person is in, on either side."""
    return Study.objects.filter(Q(participations__person=person) | Q(roles__person=person)).distinct()
