"""Leaving a study: the annotator asks and may take it back; the owner carries it out; the worker removes what is to go."""

from __future__ import annotations

from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate import jobs
from annotate.actions import amendments, flagging, references, rounds
from annotate.actions.audit import note as audit
from annotate.actions.former import keep_name
from annotate.errors import BadInput, MovedOn
from annotate.models import Assignment, Flag, Note, Participation, Person, Rating, Round, Transition, Withdrawal
from annotate.options import BY_NAME
from annotate.states import move_assignment


def policy_of(participation: Participation) -> str:
    """What becomes of the data of who leaves the study: keep_data or remove_data."""
    return str(participation.study.options.get("withdrawal", BY_NAME["withdrawal"].default))


def ask_to_leave(participation: Participation, policy: str, words: str = "") -> Withdrawal:
    """Note the wish; nothing more is asked of the person from now on, and an open round ends. Asked twice, it is one wish.

    `policy` is what the person read. Raises MovedOn where the study's is another one by now.
    """
    if policy != policy_of(participation):
        raise MovedOn("study's policy", policy)
    if len(words) > 5000:
        raise BadInput("Please say it in at most 5000 characters.", "words")
    try:
        with transaction.atomic():
            made = Withdrawal.objects.create(participation=participation, policy=policy, words=words.strip())
            Participation.objects.filter(pk=participation.pk).update(is_active=False)
            _end_open_rounds(participation)
            audit(participation.study, None, "ask to leave", participation.code, after={"policy": policy})
            amendments.came_or_went(participation, None, "left", "asked to leave the study")
    except IntegrityError:  # the race: the button pressed twice; the database keeps one open wish
        return participation.withdrawals.get(taken_back_at=None, carried_out_at=None)
    return made


def _end_open_rounds(participation: Participation) -> None:
    for round_ in participation.rounds.filter(state__in=Round.OPEN).select_related("assignment"):
        rounds.end_early(round_, "abandoned", cause="left_study", actor=participation.person)


def take_back(withdrawal: Withdrawal) -> None:
    """The person stays after all. Raises MovedOn where the owner has carried it out meanwhile."""
    with transaction.atomic():
        standing = Withdrawal.objects.filter(pk=withdrawal.pk, taken_back_at=None, carried_out_at=None)
        if not standing.update(taken_back_at=timezone.now()):
            raise MovedOn("wish to leave", "taken_back")
        participation = withdrawal.participation
        Participation.objects.filter(pk=participation.pk).update(is_active=True)
        audit(participation.study, None, "take back the wish to leave", participation.code)
        amendments.came_or_went(participation, None, "returned", "took back the wish to leave")


def carry_out(withdrawal: Withdrawal, owner: Person) -> None:
    """Part the person from the code, and the data from the study where the policy says so. Raises MovedOn if it was done or
    taken back. Account data goes too, unless the person has something else to do here."""
    with transaction.atomic():
        # The race: the person takes it back, or another owner carries it out, at this moment. One of the writes wins.
        standing = Withdrawal.objects.filter(pk=withdrawal.pk, taken_back_at=None, carried_out_at=None)
        if not standing.update(carried_out_at=timezone.now(), carried_out_by=owner, words=""):
            raise MovedOn("wish to leave", "carried_out")
        participation = Participation.objects.select_related("study", "person").get(pk=withdrawal.participation_id)
        if withdrawal.policy == Withdrawal.Policy.REMOVE_DATA:
            _set_aside_all(participation, owner)
        person = participation.person
        if person is not None:
            keep_name(person, [participation.study])
        _part(participation)
        audit(
            participation.study,
            owner,
            "carry out withdrawal",
            participation.code,
            after={"policy": withdrawal.policy},
        )
        if person is not None and not person.participations.exists() and not person.study_roles.exists():
            remove_account(person)


def _part(participation: Participation) -> None:
    """Cut every link between the code and the person."""
    Transition.objects.filter(actor=participation.person, assignment__participation=participation).update(actor=None)
    participation.rounds.update(person=None)
    Participation.objects.filter(pk=participation.pk).update(person=None, is_active=False)


def _set_aside_all(participation: Participation, owner: Person) -> None:
    """Nothing of theirs counts from now on; what is stored of it is removed by the worker."""
    participation.rounds.update(set_aside=Round.SetAside.REMOVED, reason="")
    Rating.objects.filter(round__participation=participation).delete()
    Flag.objects.filter(round__participation=participation).delete()
    Note.objects.filter(participation=participation).delete()
    for assignment in participation.assignments.filter(state=Assignment.State.COMPLETE):
        move_assignment(assignment, "withdrawn", actor=owner, why="its person left and took the data back")
        flagging.leave(assignment)
    complete = participation.rounds.filter(state=Round.State.COMPLETE)
    for condition in sorted(set(complete.values_list("assignment__task_condition", flat=True))):
        references.settle(condition)
    jobs.remove_data(participation.pk)


def remove_account(person: Person) -> None:
    """Take e-mail, name, password, invitations and sessions out; the bare row stays for what points to it."""
    person.set_unusable_password()
    Person.objects.filter(pk=person.pk).update(
        email=f"removed-{person.pk}@removed.invalid",
        name="",
        password=person.password,
        time_zone="UTC",
        language=Person._meta.get_field("language").get_default(),
        last_login=None,
        is_active=False,
        removed_at=timezone.now(),
    )
    person.invitations.all().delete()
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator(200):
        if session.get_decoded().get("_auth_user_id") == str(person.pk):
            session.delete()


def open_withdrawals_of(person: Person) -> list[Withdrawal]:
    """The person's wishes to leave that nobody has carried out yet."""
    standing = Withdrawal.objects.filter(participation__person=person, taken_back_at=None, carried_out_at=None)
    return list(standing.select_related("participation__study"))
