"""The one way to write into the audit log of a study."""

from __future__ import annotations

from typing import Any

from annotate.models import AuditEntry, Person, Study


def note(
    study: Study,
    actor: Person | None,
    action: str,
    subject: str,
    *,
    why: str = "",
    before: Any = None,
    after: Any = None,
) -> AuditEntry:
    """Add an entry, in the transaction of what it tells of. `before` and `after` are JSON; `subject` never names a person."""
    return AuditEntry.objects.create(
        study=study, actor=actor, action=action, subject=subject[:200], why=why, before=before, after=after
    )
