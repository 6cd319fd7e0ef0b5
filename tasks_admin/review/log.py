"""The audit log of a study as its page shows it: who did what to what, when and why; searched, and exported whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from annotate.errors import BadInput
from annotate.models import AuditEntry, Person, Study

NAMES = ("q", "who", "action", "since", "until")
COLUMNS = ("id", "at", "who", "action", "subject", "why", "before", "after")
COMMAND = "command"  # who, where nobody was signed in


def chosen_of(query: Mapping[str, str]) -> dict[str, str]:
    """What an address asks for. Raises BadInput on a date that is none."""
    chosen = {name: query[name].strip() for name in NAMES if query.get(name, "").strip()}
    if any("\x00" in value for value in chosen.values()):
        raise BadInput("A filter holds a character that no text can hold.")
    for name in ("since", "until"):
        if name in chosen:
            day(chosen[name])
    return chosen


def day(text: str) -> date:
    """A date as the page's fields give it. Raises BadInput."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"Write the date as year-month-day, not {text[:20]!r}.", "since") from error


def entries(study: Study, chosen: Mapping[str, str]) -> QuerySet[AuditEntry]:
    """The entries that fit, newest first."""
    found = AuditEntry.objects.filter(study=study).select_related("actor").order_by("-pk")
    if words := chosen.get("q"):
        found = found.filter(Q(subject__icontains=words) | Q(why__icontains=words) | Q(action__icontains=words))
    if action := chosen.get("action"):
        found = found.filter(action=action)
    if who := chosen.get("who"):
        found = (
            found.filter(actor=None) if who == COMMAND else found.filter(actor=int(who) if who.isdecimal() else None)
        )
    if since := chosen.get("since"):
        found = found.filter(at__gte=datetime.combine(day(since), time.min, UTC))
    if until := chosen.get("until"):
        found = found.filter(at__lt=datetime.combine(day(until), time.min, UTC) + timedelta(days=1))
    return found


def actors(study: Study) -> QuerySet[Person]:
    """Who has done anything in the study."""
    done = AuditEntry.objects.filter(study=study, actor__isnull=False).order_by().values("actor").distinct()
    return Person.objects.filter(pk__in=done).order_by("name", "email")


def actions(study: Study) -> list[str]:
    """What has been done in the study."""
    return list(AuditEntry.objects.filter(study=study).order_by("action").values_list("action", flat=True).distinct())


def rows(found: QuerySet[AuditEntry]) -> Iterator[dict[str, Any]]:
    """The entries for a file, oldest first, a piece at a time."""
    for entry in found.order_by("pk").iterator(1000):
        yield {
            "id": entry.pk,
            "at": entry.at.isoformat(),
            "who": str(entry.actor) if entry.actor else COMMAND,
            "action": entry.action,
            "subject": entry.subject,
            "why": entry.why,
            "before": entry.before,
            "after": entry.after,
        }
