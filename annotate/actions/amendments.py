"""The one way to record a change of a study that runs."""

from __future__ import annotations

from typing import Any

from django.db.models import Max

from annotate.actions import audit
from annotate.errors import BadInput
from annotate.models import Amendment, Participation, Person, Study

LONGEST = 2000


def record(
    study: Study, actor: Person | None, kind: str, subject: str, reason: str, *, before: Any = None, after: Any = None
) -> Amendment:
    """Add an amendment and its audit entry, in the transaction of the change, whose caller has locked the study's row.

    `subject`, `before` and `after` name people by code: they are exported, and `reason` once a lead cleared it.
    Raises BadInput without a reason.
    """
    words = checked_reason(reason)
    audit.note(study, actor, f"amend {kind}", subject, why=words, before=before, after=after)
    return _add(study, actor, kind, subject, words, before, after)


def came_or_went(participation: Participation, actor: Person | None, kind: str, reason: str) -> None:
    """Record that somebody "left" or "returned" in a running study; in others it is none. The audit entry is the caller's."""
    study = Study.objects.select_for_update().get(pk=participation.study_id)
    if study.state == Study.State.FROZEN:
        _add(study, actor, kind, participation.code, checked_reason(reason[:LONGEST]), None, None)


def _add(
    study: Study, actor: Person | None, kind: str, subject: str, reason: str, before: Any, after: Any
) -> Amendment:
    number = (study.amendments.aggregate(top=Max("number"))["top"] or 0) + 1
    return Amendment.objects.create(
        study=study, number=number, kind=kind, subject=subject, reason=reason, before=before, after=after, actor=actor
    )


def checked_reason(reason: str) -> str:
    """The reason without space around it. Raises BadInput where there is none, or far too much."""
    words = reason.strip()
    if not words:
        raise BadInput(
            "This study is running: say why it changes. The reason is kept, and exported once it was cleared for release.",
            "reason",
        )
    if len(words) > LONGEST:
        raise BadInput(f"The reason is longer than {LONGEST} characters; say it shorter.", "reason")
    return words
