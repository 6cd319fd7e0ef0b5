"""The one way to record a change of a study that runs."""

from __future__ import annotations

from typing import Any

from django.db.models import Max

from annotate.actions import audit
from annotate.errors import BadInput
from annotate.models import Amendment, Person, Study

LONGEST = 2000


def record(
    study: Study, actor: Person | None, kind: str, subject: str, reason: str, *, before: Any = None, after: Any = None
) -> Amendment:
    """Add an amendment and its audit entry, in the transaction of the change, whose caller has locked the study's row.

    `subject`, `before` and `after` name people by code: they are exported. Raises BadInput without a reason.
    """
    words = checked_reason(reason)
    number = (study.amendments.aggregate(top=Max("number"))["top"] or 0) + 1
    audit.note(study, actor, f"amend {kind}", subject, why=words, before=before, after=after)
    return Amendment.objects.create(
        study=study, number=number, kind=kind, subject=subject, reason=words, before=before, after=after, actor=actor
    )


def checked_reason(reason: str) -> str:
    """The reason without space around it. Raises BadInput where there is none, or far too much."""
    words = reason.strip()
    if not words:
        raise BadInput("This study is running: say why it changes. The reason is kept and exported.", "reason")
    if len(words) > LONGEST:
        raise BadInput(f"The reason is longer than {LONGEST} characters; say it shorter.", "reason")
    return words
