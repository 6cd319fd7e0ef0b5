"""How people come in: invitations, sample links, consent, guidelines."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone

from annotate.errors import MovedOn, NotFound
from annotate.models import Invitation, Note, Participation, Person, StudyText

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


def find_invitation(token: str) -> Invitation:
    """The unused, unexpired invitation of that token. Raises NotFound."""
    found = (
        Invitation.objects.filter(token_hash=_hash(token), used_at=None, expires_at__gt=timezone.now())
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
        if not Invitation.objects.filter(pk=invitation.pk, used_at=None).update(used_at=timezone.now()):
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
    Participation.objects.filter(pk=participation.pk).update(consent=text, consented_at=timezone.now())


def read_guidelines(participation: Participation) -> None:
    """Note when the guidelines were first read."""
    Participation.objects.filter(pk=participation.pk, guidelines_read_at=None).update(guidelines_read_at=timezone.now())


def read_note(note: Note) -> None:
    """Note when a lead's message was first read."""
    Note.objects.filter(pk=note.pk, read_at=None).update(read_at=timezone.now())
