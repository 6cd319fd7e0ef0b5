"""How people come in: invitations, sample links, consent, guidelines."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone

from annotate import locale
from annotate.actions import amendments
from annotate.actions.audit import note as audit
from annotate.actions.former import keep_name, studies_of
from annotate.errors import BadInput, MovedOn, NotFound
from annotate.models import Invitation, Note, Participation, Person, Study, StudyRole, StudyText

INVITATION_DAYS = 14
SAMPLE_SALT = "footpath.sample-sign-in"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def invite(person: Person, invited_by: Person | None = None) -> str:
    """Make an invitation that is good for INVITATION_DAYS and once; returns the token for its link."""
    token = secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=INVITATION_DAYS)
    Invitation.objects.create(person=person, token_hash=_hash(token), invited_by=invited_by, expires_at=expires)
    return token


def revoke(person: Person) -> int:
    """Make every open invitation of the person worthless; how many there were."""
    return person.invitations.filter(used_at=None, revoked_at=None).update(revoked_at=timezone.now())


def revoke_for(participation: Participation, actor: Person) -> int:
    """The same for the person behind a code, noted in the audit log where there was one."""
    with transaction.atomic():
        count = revoke(participation.person) if participation.person else 0
        if count:
            audit(participation.study, actor, "revoke invitation", participation.code)
    return count


def find_invitation(token: str) -> Invitation:
    """The unused, unexpired invitation of that token. Raises NotFound."""
    found = (
        Invitation.objects.filter(token_hash=_hash(token), used_at=None, revoked_at=None, expires_at__gt=timezone.now())
        .select_related("person")
        .first()
    )
    if found is None or not found.person.is_active or found.person.is_sample:
        raise NotFound
    return found


def accept_invitation(invitation: Invitation, password: str) -> Person:
    """Set the password the invitation was for. Raises NotFound where another click has used it already."""
    with transaction.atomic():
        # The race: the link opened twice; one of the two sets the password.
        open_ = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
        if not open_.update(used_at=timezone.now()):
            raise NotFound
        person = invitation.person
        person.set_password(password)
        person.save(update_fields=["password"])
    return person


def sample_token(person: Person) -> str:
    """The token of a sample person's sign-in link; it is good for loopback only and changes with the secret key."""
    return signing.dumps(person.pk, salt=SAMPLE_SALT)


def find_sample_person(token: str) -> Person:
    """The sample person of a sign-in link. Raises NotFound for any other token or person."""
    try:
        pk = signing.loads(token, salt=SAMPLE_SALT)
    except signing.BadSignature as error:
        raise NotFound from error
    person = Person.objects.filter(pk=pk, is_sample=True, is_active=True).first()
    if person is None:
        raise NotFound
    return person


def give_consent(participation: Participation, text: StudyText) -> None:
    """Note that this version was accepted. Raises MovedOn where a newer one has come out meanwhile."""
    newest = StudyText.objects.filter(study=participation.study, kind="consent").order_by("-version").first()
    if newest is None or newest.pk != text.pk:
        raise MovedOn("consent text", "consent")
    Participation.objects.filter(pk=participation.pk).update(
        consent=text, consented_at=timezone.now(), declined=None, declined_at=None
    )


def decline_consent(participation: Participation, text: StudyText) -> None:
    """Note that this version was declined; a yes to it, or to a later one, can still be given. One to it that was given stays."""
    undecided = Participation.objects.filter(pk=participation.pk).exclude(consent=text)
    undecided.update(declined=text, declined_at=timezone.now())


def read_guidelines(participation: Participation) -> None:
    """Note when the guidelines were first read."""
    Participation.objects.filter(pk=participation.pk, guidelines_read_at=None).update(guidelines_read_at=timezone.now())


def change_profile(person: Person, *, name: str, time_zone: str, language: str) -> None:
    """Store how the person is called and how they read times; an earlier name is still known to exports.

    Raises BadInput for a zone or language that is not offered.
    """
    name = " ".join(name.split())
    if len(name) > 120:
        raise BadInput("A name of at most 120 characters, please.", "name")
    if time_zone not in locale.zones():
        raise BadInput("Please choose a time zone from the list.", "time_zone")
    if language not in locale.LANGUAGES:
        raise BadInput("Please choose a language from the list.", "language")
    with transaction.atomic():
        before = Person.objects.select_for_update().get(pk=person.pk)  # the race: two forms with two new names
        if before.name != name:
            keep_name(before, studies_of(before))
        Person.objects.filter(pk=person.pk).update(name=name, time_zone=time_zone, language=language)


def set_active(participation: Participation, actor: Person, *, active: bool, why: str) -> None:
    """Deactivate or reactivate somebody in a study; nothing of theirs is touched, and a round that is open may be finished.

    Raises BadInput without a reason, MovedOn where it is so already or the person has left.
    """
    if not why.strip():
        raise BadInput("Please say why; the reason is kept in the audit log.", "why")
    with transaction.atomic():
        theirs = Participation.objects.filter(pk=participation.pk, is_active=not active)
        if participation.withdrawals.filter(taken_back_at=None).exists() or not theirs.update(is_active=active):
            raise MovedOn("participation", "active" if active else "inactive")
        verb = "reactivate" if active else "deactivate"
        audit(participation.study, actor, verb, participation.code, why=why.strip()[:5000])
        amendments.came_or_went(participation, actor, "returned" if active else "left", why)


def drop_role(study: Study, actor: Person, role_id: int) -> StudyRole:
    """Take somebody off the lead's side of a study; their codes and what they decided stay. Returns what they were.

    Raises MovedOn where they are off it already, BadInput for the last owner, without whom nobody could bring anybody in.
    """
    with transaction.atomic():
        # The race: two owners who take each other off. The study's row makes them take turns.
        Study.objects.select_for_update().get(pk=study.pk)
        role = study.roles.select_related("person").filter(pk=role_id).first()
        if role is None:
            raise MovedOn("role", "taken away")
        others = study.roles.filter(role=StudyRole.Role.OWNER).exclude(pk=role.pk)
        if role.role == StudyRole.Role.OWNER and not others.exists():
            raise BadInput("The study needs an owner: invite another one first.", "role")
        keep_name(role.person, [study])
        role.delete()
        audit(study, actor, "take role away", role.role)
    return role


def read_note(note: Note) -> None:
    """Note when a lead's message was first read."""
    Note.objects.filter(pk=note.pk, read_at=None).update(read_at=timezone.now())
