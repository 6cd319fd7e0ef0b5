"""The audit log: entries are added, and nobody changes one afterwards."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, transaction

from annotate.actions import audit
from annotate.models import AuditEntry
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def test_an_entry_says_who_did_what_and_why(cast: Cast) -> None:
    audit.note(cast.study, cast.lead, "change seed", "study", why="typo", before=1, after=2)
    found = AuditEntry.objects.get()
    assert (found.actor, found.action, found.subject, found.why) == (cast.lead, "change seed", "study", "typo")
    assert (found.before, found.after) == (1, 2)


@pytest.mark.parametrize("act", ["update", "delete"])
def test_the_database_refuses_to_change_or_delete_an_entry(cast: Cast, act: str) -> None:
    entry = audit.note(cast.study, cast.lead, "close study", "study")
    rows = AuditEntry.objects.filter(pk=entry.pk)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        _ = rows.update(why="better") if act == "update" else rows.delete()
    assert AuditEntry.objects.get().why == ""
