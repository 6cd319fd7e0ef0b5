"""Reads that more than one page or action needs. Every one starts from a person, participation or round."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from annotate.models import Assignment, Attempt, Note, Participation, Person, Round, Study, StudyText


def counted(path: str = "") -> Q:
    """The rounds that figures, references and tables count, of an assignment the newest complete one at most.

    `path` leads to the round: `Attempt.objects.filter(counted("round__"))`. Practice is left to the caller.
    """
    return Q(**{f"{path}state": Round.State.COMPLETE, f"{path}set_aside": Round.SetAside.NOT})


def counted_assignments(study: Study) -> QuerySet[Assignment]:
    """The assignments that count: no practice, none withdrawn."""
    return Assignment.objects.filter(participation__study=study).exclude(role="practice").exclude(state="withdrawn")


def open_round_of(person: Person) -> Round | None:
    """The person's one open round, whatever study it is in."""
    return Round.objects.filter(person=person, state__in=Round.OPEN).select_related("assignment").first()


def current_attempt(round_: Round) -> Attempt:
    """The attempt the round is at: warm once it has been asked for, else cold."""
    return round_.attempts.select_related("recording").order_by("-kind")[0:1].get()


def current_text(study_id: int, kind: str) -> StudyText | None:
    """The newest version of a study's consent or guidelines text."""
    return StudyText.objects.filter(study_id=study_id, kind=kind).order_by("-version").first()


def has_consented(participation: Participation) -> bool:
    """True where the newest consent text was accepted, or the study has none."""
    text = current_text(participation.study_id, "consent")
    return text is None or participation.consent_id == text.pk


def practice_left(participation: Participation) -> bool:
    """True while a practice assignment is not complete."""
    return participation.assignments.filter(role="practice").exclude(state__in=["complete", "withdrawn"]).exists()


def next_assignment(participation: Participation) -> Assignment | None:
    """What the participation is to do next, in the plan's order; practice comes first."""
    return (
        participation.assignments.filter(state__in=["not_started", "in_round"])
        .select_related("task_condition__task__environment", "participation__study")
        .order_by("position")
        .first()
    )


def participations_of(person: Person) -> QuerySet[Participation]:
    """Where the person takes part, newest study last."""
    return (
        Participation.objects.filter(person=person, is_active=True)
        .select_related("study", "consent")
        .order_by("study_id")
    )


def unread_notes(participation: Participation) -> QuerySet[Note]:
    """What leads told the participation and it has not read, newest first."""
    return participation.notes.filter(read_at=None).select_related("assignment__task_condition__task__environment")
