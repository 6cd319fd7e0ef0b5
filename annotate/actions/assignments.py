"""What a lead does with somebody's assignment: return it, withdraw it, end a round that is stuck. Each with a reason."""

from __future__ import annotations

from django.db import transaction

from annotate.actions import flagging, references, rounds
from annotate.actions.audit import note as audit
from annotate.errors import BadInput, MovedOn, NotYet
from annotate.models import Assignment, Note, Person, Round
from annotate.states import move_assignment

LONGEST = 5000


def return_assignment(assignment: Assignment, actor: Person, message: str) -> Note:
    """Give a complete assignment back to its annotator, who sees `message` and does it in a new round.

    The earlier round stays complete, and counts until the new one is. Raises BadInput without a message, NotYet where nobody
    could do it again, MovedOn where it is not complete (any more).
    """
    message = _said(message, "Say in a sentence what should be done again; the annotator reads it.", "message")
    _can_be_done_again(assignment)
    with transaction.atomic():
        move_assignment(assignment, "not_started", actor=actor, why=f"returned: {message}")
        audit(assignment.participation.study, actor, "return assignment", subject(assignment), why=message)
        return _tell(assignment, actor, message)


def withdraw_assignment(assignment: Assignment, actor: Person, why: str) -> None:
    """Take an assignment out of the study; a round of it that counted is set aside. Raises BadInput, NotYet, MovedOn."""
    why = _said(why, "Say why this assignment is withdrawn; the reason is kept.", "why")
    if assignment.state == "in_round":
        raise NotYet("round_open", "A round of it is open now. End that round first, or wait until it has ended.")
    with transaction.atomic():
        before = assignment.state
        move_assignment(assignment, "withdrawn", actor=actor, why=why)
        set_aside(assignment, Round.SetAside.WITHDRAWN)
        audit(
            assignment.participation.study,
            actor,
            "withdraw assignment",
            subject(assignment),
            why=why,
            before={"state": before},
            after={"state": "withdrawn"},
        )


def end_stuck_round(round_: Round, actor: Person, why: str) -> None:
    """End an open round for its annotator, who is told `why`; the assignment can be started again. Raises BadInput, MovedOn."""
    why = _said(why, "Say why the round is ended; the annotator reads it.", "why")
    assignment = round_.assignment
    with transaction.atomic():
        before = round_.state
        rounds.end_early(round_, "void", cause="ended_by_lead", actor=actor, reason=why)
        _tell(assignment, actor, f"I have ended round {round_.number}, which was stuck: {why}")
        audit(
            assignment.participation.study,
            actor,
            "end stuck round",
            f"round {round_.number} of {subject(assignment)}",
            why=why,
            before={"state": before},
            after={"state": "void"},
        )


def set_aside(assignment: Assignment, reason: str) -> int:
    """Have the assignment's counted round count no longer, and the reference chosen anew; how many rounds that were."""
    counted = assignment.rounds.filter(state=Round.State.COMPLETE, set_aside=Round.SetAside.NOT)
    changed = counted.update(set_aside=reason)
    flagging.leave(assignment)
    if changed:
        references.settle(assignment.task_condition_id)
    return changed


def subject(assignment: Assignment) -> str:
    """An assignment in the audit log's words: by code, task and condition."""
    condition = assignment.task_condition
    return f"{assignment.participation.code}: {condition.task.environment.slug}/{condition.task.slug}, {condition.condition}"


def _can_be_done_again(assignment: Assignment) -> None:
    participation = assignment.participation
    if assignment.state != "complete":
        raise MovedOn("assignment", "not_started")
    if participation.study.state != "frozen":
        raise NotYet("study_not_running", "This study is not running, so nobody could do the assignment again.")
    if not participation.is_active or participation.person is None:
        raise NotYet(
            "not_taking_part", f"{participation.code} no longer takes part, so it can't be done again by them."
        )


def _tell(assignment: Assignment, author: Person, text: str) -> Note:
    return Note.objects.create(participation=assignment.participation, assignment=assignment, author=author, text=text)


def _said(text: str, otherwise: str, field: str) -> str:
    if not text.strip():
        raise BadInput(otherwise, field)
    if len(text) > LONGEST:
        raise BadInput(f"Please say it in at most {LONGEST} characters.", field)
    return text.strip()
