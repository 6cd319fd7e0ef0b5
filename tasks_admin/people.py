"""Who takes part in a study, as its people page shows them. E-mail and name are in it for owners only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from annotate.models import Invitation, Participation, Person, Study, StudyRole, Withdrawal


@dataclass(frozen=True)
class Who:
    """The person behind a code."""

    email: str
    name: str


@dataclass(frozen=True)
class Row:
    """A participation; `who` only where an owner looks. `came`: nobody, left, joined, invited,
    expired, revoked or waiting (not invited yet); `until` is when an invitation ends."""

    participation: Participation
    who: Who | None
    came: str
    until: datetime | None
    consent: str
    withdrawal: Withdrawal | None


def rows(participations: list[Participation], *, owner: bool) -> list[Row]:
    """A row for each participation of `listed`."""
    return [_row(one, owner) for one in participations]


def listed(study: Study) -> QuerySet[Participation]:
    """The study's participations with what `rows` reads of each."""
    newest = Invitation.objects.order_by("-pk")
    return (
        study.participations.select_related("person", "consent", "declined")
        .prefetch_related(Prefetch("person__invitations", newest), "withdrawals")
        .order_by("code")
    )


def _row(participation: Participation, owner: bool) -> Row:
    person = participation.person
    came, until = _came(participation)
    return Row(
        participation,
        Who(person.email, person.name) if owner and person else None,
        came,
        until,
        _consent(participation),
        next((one for one in participation.withdrawals.all() if not one.taken_back_at), None),
    )


def _came(participation: Participation) -> tuple[str, datetime | None]:
    person = participation.person
    if person is None:
        gone = any(one.carried_out_at for one in participation.withdrawals.all())
        return ("left" if gone else "nobody"), None
    if person.is_sample or person.has_usable_password():
        return "joined", None
    newest = next(iter(person.invitations.all()), None)
    if newest is None:
        return "waiting", None
    if newest.revoked_at:
        return "revoked", None
    return ("invited" if newest.expires_at > timezone.now() else "expired"), newest.expires_at


def _consent(participation: Participation) -> str:
    if participation.declined:
        return f"declined version {participation.declined.version}"
    return f"version {participation.consent.version}" if participation.consent else "not yet"


def roles_of(study: Study) -> list[StudyRole]:
    """Who is on the lead's side of the study."""
    return list(study.roles.select_related("person").order_by("role", "pk"))


def only_owner(roles: list[StudyRole]) -> StudyRole | None:
    """The owner's role that may not be taken away, for there is no other."""
    owners = [one for one in roles if one.role == StudyRole.Role.OWNER]
    return owners[0] if len(owners) == 1 else None


def is_owner(person: Person, study: Study) -> bool:
    """True for owners: they alone may read who is behind a code."""
    return study.roles.filter(person=person, role="owner").exists()
