"""Bringing people into a study, from the command line (how a new installation gets its first ones) and from its people page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.urls import reverse

from annotate.actions import amendments
from annotate.actions.audit import note
from annotate.actions.people import INVITATION_DAYS, invite, revoke
from annotate.models import Participation, Person, Study, StudyRole
from recorder.errors import FootpathError

__all__ = ["INVITATION_DAYS", "ROLES", "CannotInvite", "Invited", "bring_in"]
ROLES = tuple(StudyRole.Role.values)


class CannotInvite(FootpathError):
    """The person can't be brought in that way; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__("cannot_invite", 409, message)


@dataclass(frozen=True)
class Invited:
    """Who was brought in, as what, and the link to send; no link for somebody who has a password."""

    email: str
    as_what: str
    link: str
    study: str = ""

    @property
    def what(self) -> str:
        """As what, of which study, in words."""
        return f"{self.as_what} of {self.study}" if self.study else "somebody who may create studies"


@transaction.atomic
def bring_in(
    email: str, slug: str, *, code: str = "", role: str = "", name: str = "", actor: Person | None = None
) -> Invited:
    """Give a person a code or a role in a study, with an invitation if they can't sign in yet. Raises CannotInvite.

    An owner of no study (`slug` is empty) may create studies. Asked twice, it changes nothing but makes a new invitation: the
    earlier link may have been lost, and is worth nothing now. `actor` is None for the command.
    """
    if role not in ROLES and not code:
        raise CannotInvite("Say as what: an annotator's code, P3 or D1, say, or a role on the lead's side.")
    if not slug and role == StudyRole.Role.OWNER:
        return _creator(_person(email, name), actor)
    study = _study(slug)
    person = _person(email, name)
    as_what = _take_part(study, person, code) if code else _take_role(study, person, role)
    link = "" if person.has_usable_password() else _link(person, actor)
    note(study, actor, "invite", as_what, after={"link": bool(link)})
    return Invited(person.email, as_what, link, slug)


def _creator(person: Person, actor: Person | None) -> Invited:
    """Somebody who may create studies, before there is any."""
    Person.objects.filter(pk=person.pk).update(may_create_studies=True)
    return Invited(person.email, StudyRole.Role.OWNER, "" if person.has_usable_password() else _link(person, actor))


def _link(person: Person, actor: Person | None) -> str:
    revoke(person)
    return settings.PUBLIC_URL + reverse("invitation", args=[invite(person, actor)])


def _study(slug: str) -> Study:
    found = Study.objects.filter(slug=slug).first()
    if found is None:
        there = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        if not slug:
            raise CannotInvite(f"Say which study: --study SLUG. There are: {there}.")
        raise CannotInvite(f"There is no study {slug!r}. There are: {there}.")
    return found


def _person(email: str, name: str) -> Person:
    try:
        validate_email(email)
    except ValidationError as error:
        raise CannotInvite(f"{email!r} is no e-mail address.") from error
    person = Person.objects.filter(email__iexact=email).first() or Person.objects.create_person(email, name)
    if person.is_sample or not person.is_active:
        raise CannotInvite(f"{person.email} is {'a sample person' if person.is_sample else 'deactivated'}.")
    return person


def _take_part(study: Study, person: Person, code: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9]{0,11}", code):
        raise CannotInvite(f"{code!r} is no code: a capital letter and a number, P3 or D1, say.")
    tier = Participation.Tier.DUPLICATE if code.startswith("D") else Participation.Tier.PRIMARY
    mine = Participation.objects.filter(study=study, person=person).first()
    if mine is not None and mine.code != code:
        raise CannotInvite(f"{person.email} is {mine.code} of {study.slug} already.")
    if mine is None:
        place, made = Participation.objects.get_or_create(
            study=study, code=code, defaults={"person": person, "tier": tier}
        )
        if not made:
            _take_over(place, person)
        elif study.state == Study.State.FROZEN:
            amendments.record(study, None, "joined", code, "invited by the command", after={"tier": tier})
    return code


def _take_over(place: Participation, person: Person) -> None:
    """A code that was planned without a person is given one; nobody else's is taken."""
    if place.withdrawals.filter(carried_out_at__isnull=False).exists():
        raise CannotInvite(f"{place.code} has left the study, and what it did stays its own; choose another code.")
    if not Participation.objects.filter(pk=place.pk, person=None).update(person=person):
        raise CannotInvite(f"{place.code} is somebody else already; choose another code.")


def _take_role(study: Study, person: Person, role: str) -> str:
    mine, _ = StudyRole.objects.get_or_create(study=study, person=person, defaults={"role": role})
    if mine.role != role:
        raise CannotInvite(f"{person.email} is {mine.role} of {study.slug} already.")
    return role
