"""Blind labels: whether an attempt did what was asked, as a lead sees it without knowing the verdict."""

from __future__ import annotations

from django.db import transaction

from annotate.actions import audit
from annotate.errors import BadInput, NotYet
from annotate.models import Attempt, Label, Person
from recorder.wire import storable


def label(attempt: Attempt, lead: Person, *, success: bool, note: str = "") -> Label:
    """Note what the lead thinks; a changed mind is a further row, the same word again is not. Raises NotYet, BadInput."""
    if attempt.evaluated_at is None:
        raise NotYet("not_over", "This attempt is not over yet; there is nothing to judge.")
    if attempt.round.person_id == lead.pk:
        raise BadInput("This is your own work; somebody else labels it.", "lead")
    note = storable(note.strip())
    last = Label.objects.filter(attempt=attempt, lead=lead).order_by("-pk").first()
    if last is not None and (last.success, last.note) == (success, note):
        return last
    with transaction.atomic():
        study = attempt.round.participation.study
        audit.note(study, lead, "label attempt", f"attempt {attempt.pk}", why=note, after={"success": success})
        return Label.objects.create(attempt=attempt, lead=lead, success=success, note=note)
