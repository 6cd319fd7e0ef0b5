"""Load by person, or answer 404. Every queryset here starts from who asks; deny by default."""

from __future__ import annotations

from django.http import HttpRequest

from annotate.errors import NotFound
from annotate.models import Assignment, Note, Participation, Person, Round, Withdrawal


def person_of(request: HttpRequest) -> Person:
    """The signed-in person. Views call this behind `login_required` only."""
    user = request.user
    if not isinstance(user, Person) or not user.is_active:
        raise NotFound
    return user


def load_participation(person: Person, study: str) -> Participation:
    """The person's active participation in the study of that slug. Raises NotFound."""
    found = (
        Participation.objects.filter(person=person, is_active=True, study__slug=study)
        .select_related("study", "consent")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def load_leaving(person: Person, study: str) -> tuple[Participation, Withdrawal | None]:
    """The person's participation with their open wish to leave, if there is one. Raises NotFound for somebody who was
    deactivated without one."""
    found = Participation.objects.filter(person=person, study__slug=study).select_related("study", "person").first()
    if found is None:
        raise NotFound
    standing = found.withdrawals.filter(taken_back_at=None, carried_out_at=None).select_related("participation__study")
    if not found.is_active and not standing:
        raise NotFound
    return found, standing.first()


def load_assignment(person: Person, assignment_id: int) -> Assignment:
    """One of the person's own assignments. Raises NotFound."""
    found = (
        Assignment.objects.filter(pk=assignment_id, participation__person=person, participation__is_active=True)
        .select_related("participation__study", "participation__consent", "task_condition__task__environment")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def load_note(person: Person, note_id: int) -> Note:
    """A lead's message to the person. Raises NotFound."""
    found = Note.objects.filter(pk=note_id, participation__person=person, participation__is_active=True).first()
    if found is None:
        raise NotFound
    return found


def load_round(person: Person, round_id: int) -> Round:
    """One of the person's own rounds. Raises NotFound."""
    found = (
        Round.objects.filter(pk=round_id, person=person)
        .select_related(
            "participation__study", "assignment__task_condition__task__environment", "assignment__participation"
        )
        .first()
    )
    if found is None:
        raise NotFound
    return found
