"""Whoever leaves, takes another name or loses a role is still known to exports, by digests that tell nobody who it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from annotate.actions import leaving
from annotate.actions.people import change_profile, drop_role
from annotate.models import Attempt, FormerName, Participation, Person, StudyRole
from tasks_admin.exports.bundle import export
from tasks_admin.exports.privacy import Leak
from tasks_admin.release.look import look
from tests.annotate.test_rounds import complete
from tests.cast import Cast


def leaves(cast: Cast) -> Person:
    part = Participation.objects.get(person=cast.bob)
    leaving.carry_out(leaving.ask_to_leave(part, "keep_data"), cast.lead)
    return cast.bob


def takes_another_name(cast: Cast) -> Person:
    change_profile(cast.bob, name="Robert", time_zone="UTC", language="en-GB")
    return cast.bob


def loses_a_role(cast: Cast) -> Person:
    role = StudyRole.objects.create(study=cast.study, person=cast.stranger, role="lead")
    drop_role(cast.study, cast.lead, role.pk)
    return cast.stranger


@pytest.mark.parametrize("went", [leaves, takes_another_name, loses_a_role])
def test_who_is_gone_is_not_forgotten(
    cast: Cast, tmp_path: Path, settings: LazySettings, went: Callable[[Cast], Person]
) -> None:
    complete(cast, cast.ann)
    cast.work.run()
    who = went(cast)
    attempt = Attempt.objects.filter(round__participation__code="P1").earliest("pk")

    def shown(text: str) -> None:
        attempt.verdict["checks"][0]["detail"] = text
        Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)

    export(cast.study, tmp_path / "fine")
    for text, kind in ((f"Signed in as {who.name}", "name"), (f"To {who.email.upper()}", "e-mail address")):
        shown(text)
        with pytest.raises(Leak, match=f"The bundle would hold a person's {kind} "):
            export(cast.study, tmp_path / "leaks")
        is_gone = (went, kind) != (takes_another_name, "e-mail address")
        assert (f"a person's {kind}, who is gone from the study" in look(cast.study).suspicions) == is_gone
    kept = json.dumps(list(FormerName.objects.values("kind", "digest")))
    assert who.email not in kept
    assert who.name.split()[0] not in kept
    settings.SECRET_KEY = "another one"  # noqa: S105
    out = StringIO()
    call_command("audit_privacy", "tea", stdout=out)
    told = f"{FormerName.objects.count()} ways of writing former names are not looked for: they were kept under another SECRET_KEY"
    assert told in out.getvalue()
