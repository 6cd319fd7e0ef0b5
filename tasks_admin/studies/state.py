"""Freezing and closing: each from one state only, seen or told."""

from __future__ import annotations

from django.db import transaction

from annotate.actions import audit
from annotate.designs import code_key
from annotate.errors import NotYet
from annotate.models import Person, Round, Study
from tasks_admin.studies.change import locked
from tasks_admin.studies.readiness import in_the_way


@transaction.atomic
def freeze(study: Study, seen: int, person: Person) -> None:
    """Let people begin. Raises NotYet where something is missing or it is no draft, Stale where it was changed meanwhile."""
    require(Study.objects.select_for_update().get(pk=study.pk), Study.State.DRAFT, "frozen")
    found = locked(study, seen)
    missing = in_the_way(found)
    if missing:
        raise NotYet("not_ready", "This study can't be frozen yet. " + " ".join(check.words for check in missing))
    move(found, Study.State.FROZEN, person, "freeze study")


@transaction.atomic
def close(study: Study, seen: int, person: Person, reason: str) -> None:
    """End the study: no round begins any more. Open rounds may be finished. Raises NotYet, Stale."""
    require(Study.objects.select_for_update().get(pk=study.pk), Study.State.FROZEN, "closed")
    move(locked(study, seen), Study.State.CLOSED, person, "close study", reason)


def require(study: Study, state: str, wanted: str) -> None:
    if study.state != state:
        already = "already" if study.state == wanted else "now"
        raise NotYet("wrong_state", f"This study is {study.state} {already}; only a {state} one can be {wanted}.")


def move(study: Study, target: str, person: Person, action: str, why: str = "") -> None:
    # The race: two leads at once. The row is locked and the state in the filter lets one of them win.
    moved = Study.objects.filter(pk=study.pk, state=study.state).update(state=target, version=study.version + 1)
    if not moved:
        raise NotYet("wrong_state", "This study has moved on meanwhile; reload the page to see where it stands.")
    audit.note(study, person, action, study.slug, why=why, before={"state": study.state}, after={"state": target})


def working_now(study: Study) -> list[str]:
    """The codes of those who have an open round."""
    codes = Round.objects.filter(participation__study=study, state__in=Round.OPEN).values_list(
        "participation__code", flat=True
    )
    return sorted(set(codes), key=code_key)
