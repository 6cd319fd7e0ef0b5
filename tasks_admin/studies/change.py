"""The one write path of the editor: a locked study of the version that was seen; a draft's change is noted, a running study's
is an amendment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotate.actions import amendments, audit
from annotate.errors import NotYet
from annotate.models import Person, Study
from recorder.errors import FootpathError


class Stale(FootpathError):
    """Somebody else has changed the study since the form was opened."""

    def __init__(self, study: Study) -> None:
        super().__init__(
            "stale",
            409,
            "Somebody else has changed this study since you opened this page. Nothing of yours was saved and nothing of theirs "
            "is overwritten; what you entered is still here.",
            version=study.version,
        )


@dataclass(frozen=True)
class Change:
    """A change that is being made: of which study (its row is locked), by whom, why."""

    study: Study
    person: Person
    reason: str

    @property
    def is_amendment(self) -> bool:
        """True in a study that runs."""
        return self.study.state == Study.State.FROZEN

    def note(self, kind: str, subject: str, *, before: Any = None, after: Any = None) -> None:
        """Record what changed. Raises BadInput where a running study's change has no reason."""
        if self.is_amendment:
            amendments.record(self.study, self.person, kind, subject, self.reason, before=before, after=after)
        else:
            audit.note(self.study, self.person, f"edit {kind}", subject, why=self.reason, before=before, after=after)

    def fields(self, **values: Any) -> None:
        """Write fields of the study."""
        Study.objects.filter(pk=self.study.pk).update(**values)


def locked(study: Study, seen: int) -> Study:
    """The study's row, locked, if it still is of the version that was seen. Raises Stale."""
    found = Study.objects.select_for_update().get(pk=study.pk)
    if found.version != seen:
        raise Stale(found)
    return found


@transaction.atomic
def save(study: Study, seen: int, person: Person, reason: str, write: Callable[[Change], None]) -> Study:
    """Have `write` make a change, and the study's version grow. Raises Stale, NotYet for a closed study, what `write` raises."""
    found = locked(study, seen)
    if found.state == Study.State.CLOSED:
        raise NotYet("study_closed", "This study is closed; nothing in it changes any more.")
    write(Change(found, person, reason))
    Study.objects.filter(pk=found.pk).update(version=found.version + 1)
    found.refresh_from_db()
    return found
