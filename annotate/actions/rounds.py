"""What an annotator (or the server for them) does with a round. One function per act; each is safe to call twice."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from annotate import health, jobs, news, queries
from annotate.actions import flagging
from annotate.errors import BadInput, MovedOn, NotYet, OtherTab, RoundAlreadyOpen
from annotate.instrument import check_answers
from annotate.models import Assignment, Attempt, Person, Rating, Round
from annotate.states import move_assignment, move_round
from recorder import recordings


def open_round(person: Person, assignment: Assignment) -> Round:
    """Open the next round of `assignment`, or return the one that is open on it already.

    Raises NotYet (consent, guidelines, practice, study not running), RoundAlreadyOpen (another assignment's), MovedOn.
    """
    standing = queries.open_round_of(person)
    if standing is not None:
        if standing.assignment_id == assignment.pk:
            return standing
        raise RoundAlreadyOpen(standing.pk)
    _may_begin(assignment)
    health.require_up(assignment.task_condition.task.environment)
    try:
        with transaction.atomic():
            return _open(person, assignment)
    except (IntegrityError, MovedOn) as lost:
        # The race: a double click, or two windows. The database let one through; answer with that one.
        winner = queries.open_round_of(person)
        if winner is None:
            raise
        if winner.assignment_id != assignment.pk:
            raise RoundAlreadyOpen(winner.pk) from lost
        return winner


def _may_begin(assignment: Assignment) -> None:
    participation = assignment.participation
    if participation.study.state != "frozen":
        raise NotYet("study_not_running", "This study is not running now; its lead can say when it will.")
    if not participation.is_active:
        raise NotYet("not_taking_part", "You no longer take part in this study.")
    if not queries.has_consented(participation):
        raise NotYet("consent_first", "Please read the study's consent text and decide first.")
    if participation.guidelines_read_at is None:
        raise NotYet("guidelines_first", "Please read the guidelines first.")
    if assignment.role != "practice" and queries.practice_left(participation):
        raise NotYet("practice_first", "Please do the practice assignment first; it never counts.")


def _open(person: Person, assignment: Assignment) -> Round:
    move_assignment(assignment, "in_round", actor=person, why="round opened")
    number = (assignment.rounds.aggregate(top=Max("number"))["top"] or 0) + 1
    round_ = Round.objects.create(
        assignment=assignment,
        participation=assignment.participation,
        person=person,
        number=number,
        consent=assignment.participation.consent,
        control_seen_at=timezone.now(),
    )
    attempt = Attempt.objects.create(round=round_, kind="cold")
    jobs.prepare_attempt(attempt.pk)
    return round_


def claim_tab(round_: Round, tab: str, *, take_over: bool = False) -> bool:
    """Bind the round to this control tab; False where another tab holds it and `take_over` was not asked for."""
    if not tab or len(tab) > 40:
        raise BadInput("A tab needs an id of 1 to 40 characters.", "tab")
    free = (
        Round.objects.filter(pk=round_.pk)
        if take_over
        else Round.objects.filter(pk=round_.pk, control_tab__in=["", tab])
    )
    if round_.ended_at is not None:
        free = Round.objects.filter(pk=round_.pk)  # nothing is left to lead: any tab may rate it
    held = bool(free.update(control_tab=tab, control_seen_at=timezone.now()))
    if held and round_.control_tab not in ("", tab):
        news.round_changed(round_.pk)
    return held


def seen_control(round_id: int, tab: str) -> None:
    """A sign of life from the control tab that holds the round."""
    Round.objects.filter(pk=round_id, control_tab=tab).update(control_seen_at=timezone.now())


def require_tab(round_: Round, tab: str) -> None:
    """Raises OtherTab unless `tab` holds the round."""
    if not tab or round_.control_tab != tab:
        raise OtherTab


def start_attempt(round_: Round, person: Person) -> Attempt:
    """Start the clock of the attempt that is ready: cold from preparing, warm from between. Raises NotYet, MovedOn."""
    attempt = queries.current_attempt(round_)
    if attempt.started_at is not None:
        return attempt
    if attempt.recording is None:
        raise NotYet("not_ready", attempt.error or "The website is still being prepared; it takes a moment.")
    now = timezone.now()
    with transaction.atomic():
        move_round(round_, attempt.kind, actor=person, why="started")
        Attempt.objects.filter(pk=attempt.pk).update(started_at=now)
        recordings.start_recording(attempt.recording)
        if not attempt.instruction:
            jobs.read_instruction(attempt.pk)
    attempt.started_at = now
    return attempt


def press_evaluate(
    round_: Round, declared: bool | None = None, *, by_itself: bool = False, time_up: bool = False
) -> Attempt:
    """Stop the recording and have the attempt scored; pressing again changes nothing.

    `declared` is what the annotator says of it where there is no checker; the first word counts, and where time was up before
    one was said it counts as not done. Raises NotYet before the start, BadInput where the word is missing.
    """
    attempt = queries.current_attempt(round_)
    if attempt.evaluated_at is not None:
        return attempt
    if attempt.started_at is None or attempt.recording is None:
        raise NotYet("not_started", "The attempt has not started yet.")
    ended = attempt.evaluate_at is not None or time_up
    if attempt.asks and attempt.declared is None and declared is None and not ended:
        raise BadInput("Please say whether you did what was asked.", "declared")
    with transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk, asks=True, declared=None).update(declared=declared)
        if Attempt.objects.filter(pk=attempt.pk, evaluate_at=None).update(
            evaluate_at=timezone.now(), evaluate_pressed=not by_itself, time_up=time_up
        ):
            recordings.begin_closing(attempt.recording)
        Attempt.objects.filter(pk=attempt.pk).update(error="")
        news.round_changed(round_.pk)
        jobs.finish_attempt(attempt.pk)
    return attempt


def end_if_solved(round_: Round) -> bool:
    """Evaluate the running attempt if its page has shown success and the study ends attempts then; True if it did."""
    if round_.state not in ("cold", "warm") or not round_.participation.study.options.get("end_on_success"):
        return False
    attempt = queries.current_attempt(round_)
    if attempt.evaluate_at is not None or attempt.recording is None or attempt.recording.success_at is None:
        return False
    if attempt.recording.watch and attempt.recording.watch["when"] == "at_end" and not attempt.recording.success_holds:
        return False
    press_evaluate(round_, by_itself=True)
    return True


def prepare_again(round_: Round) -> None:
    """Ask for the website once more after it could not be prepared."""
    attempt = queries.current_attempt(round_)
    if attempt.recording is None and Attempt.objects.filter(pk=attempt.pk).exclude(error="").update(error=""):
        news.round_changed(round_.pk)
        jobs.prepare_attempt(attempt.pk)


def begin_warm(round_: Round) -> Attempt:
    """Have the environment reset to the same seed for the warm attempt; asking twice gives the same one. Raises MovedOn."""
    if round_.state != "between":
        raise MovedOn("round", "warm")
    with transaction.atomic():
        attempt, made = Attempt.objects.get_or_create(round=round_, kind="warm")
        if made:
            news.round_changed(round_.pk)
            jobs.prepare_attempt(attempt.pk)
    return attempt


def abandon(round_: Round, person: Person, reason: str) -> None:
    """End the round at the annotator's wish; the assignment is not started again, the data is kept. Raises MovedOn."""
    if not reason.strip():
        raise BadInput("Please say in a few words why you abandon this round.", "reason")
    end_early(round_, "abandoned", cause="abandoned", actor=person, reason=reason.strip())


def roll_back(round_: Round, cause: str, *, actor: Person | None = None) -> None:
    """End the round because a tab was closed; the assignment is not started again, the data is kept. Raises MovedOn."""
    end_early(round_, "rolled_back", cause=cause, actor=actor)


def void(round_: Round, cause: str, reason: str) -> None:
    """End the round because of a fault that is not the annotator's. Raises MovedOn."""
    end_early(round_, "void", cause=cause, actor=None, reason=reason)


def end_early(round_: Round, target: str, *, cause: str, actor: Person | None, reason: str = "") -> None:
    """Move round and assignment together and have what was open tidied up. Raises MovedOn."""
    with transaction.atomic():
        move_round(round_, target, actor=actor, why=cause, cause=cause, reason=reason)
        move_assignment(round_.assignment, "not_started", actor=actor, why=f"{target}: {cause}")
        jobs.tidy_round(round_.pk)


def rate(round_: Round, answers: dict[str, Any], comment: str) -> Rating:
    """Store a revision of the rating; the same answers again give the one that is there. Raises BadInput, NotYet."""
    if round_.state != "complete":
        raise NotYet("not_complete", "A round can be rated once its warm attempt is evaluated.")
    condition = round_.assignment.task_condition.condition
    kept = check_answers(round_.participation.study.instrument, condition, answers)
    with transaction.atomic():
        Round.objects.select_for_update().get(pk=round_.pk)  # the race: two clicks on Save make one revision
        last = round_.ratings.order_by("-revision").first()
        if last is not None and last.answers == kept and last.comment == comment:
            return last
        rating = Rating.objects.create(
            round=round_, revision=last.revision + 1 if last else 1, answers=kept, comment=comment
        )
        flagging.flag_round(round_.pk, "rating")
    return rating
