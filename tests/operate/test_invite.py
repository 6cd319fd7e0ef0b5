"""Bringing people in from the command line."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotate.models import Amendment, Participation, Person, StudyRole
from tests.cast import Cast


def invite(*args: str) -> str:
    said = StringIO()
    call_command("invite", *args, stdout=said)
    return said.getvalue()


def link(*args: str) -> str:
    return str(json.loads(invite(*args, "--json"))["link"])


def test_an_annotator_comes_in_by_the_link(cast: Cast, client: Client) -> None:
    said = invite("dora@example.org", "--study", "tea", "--code", "D1", "--name", "Dora")
    url = next(line.strip() for line in said.splitlines() if "/invitation/" in line)
    path = url.removeprefix("http://localhost:8000")
    password = "correct horse battery"
    reply = client.post(path, {"new_password1": password, "new_password2": password})
    assert reply.status_code == 302
    participation = Participation.objects.get(study=cast.study, code="D1")
    assert (participation.tier, participation.person and participation.person.name) == ("duplicate", "Dora")
    assert client.login(username="dora@example.org", password=password)


def test_a_lead(cast: Cast) -> None:
    assert "/invitation/" in link("lou@example.org", "--study", "tea", "--role", "lead")
    assert StudyRole.objects.get(person__email="lou@example.org").role == "lead"


def test_twice_changes_nothing_but_the_link(cast: Cast) -> None:
    args = ("Ed@Example.org", "--study", "tea", "--code", "P7")
    assert link(*args) != link(*args)
    assert Participation.objects.filter(study=cast.study, code="P7").count() == 1
    assert Person.objects.filter(email="ed@example.org").count() == 1


def test_somebody_with_a_password_needs_no_link(cast: Cast) -> None:
    cast.ann.set_password("x")
    cast.ann.save()
    assert "has a password already" in invite(cast.ann.email, "--study", "coffee", "--code", "P9")


def test_a_planned_place_without_a_person_is_filled(cast: Cast) -> None:
    place = Participation.objects.create(study=cast.study, code="P8")
    link("fay@example.org", "--study", "tea", "--code", "P8")
    place.refresh_from_db()
    assert place.person is not None
    assert place.person.email == "fay@example.org"


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("x@example.org", "--study", "milk", "--code", "P1"), "no study 'milk'. There are: coffee, tea"),
        (("no address", "--study", "tea", "--code", "P5"), "no e-mail address"),
        (("x@example.org", "--study", "tea", "--code", "p 5"), "is no code"),
        (("x@example.org", "--study", "tea", "--code", "P1"), "P1 is somebody else already"),
        (("ann.annotator@example.org", "--study", "tea", "--code", "P5"), "is P1 of tea already"),
        (("lena.lead@example.org", "--study", "tea", "--role", "viewer"), "is owner of tea already"),
        (("x@example.org", "--study", "tea"), "one of the arguments --code --role is required"),
    ],
)
def test_refusals(cast: Cast, args: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        invite(*args)
    assert not Person.objects.filter(email="x@example.org").exists()


def test_sample_people_and_deactivated_ones_stay_out(cast: Cast) -> None:
    Person.objects.create_person("s@sample.invalid", is_sample=True)
    Person.objects.filter(pk=cast.bob.pk).update(is_active=False)
    with pytest.raises(CommandError, match="a sample person"):
        invite("s@sample.invalid", "--study", "tea", "--code", "P5")
    with pytest.raises(CommandError, match="deactivated"):
        invite(cast.bob.email, "--study", "tea", "--role", "lead")


def test_an_owner_of_no_study_may_create_one(cast: Cast, client: Client) -> None:
    said = invite("nora@example.org", "--role", "owner")
    assert "is somebody who may create studies" in said
    client.force_login(Person.objects.get(email="nora@example.org"))
    assert client.get("/").headers["Location"] == "/studies/"
    assert b"New study" in client.get("/studies/").content
    assert client.get("/studies/new/").status_code == 200
    with pytest.raises(CommandError, match="Say which study"):
        invite("nora@example.org", "--role", "lead")


def test_who_joins_a_running_study_is_an_amendment(cast: Cast) -> None:
    invite("gil@example.org", "--study", "tea", "--code", "P6")
    invite("hal@example.org", "--study", "tea", "--code", "P6x".upper())
    assert list(Amendment.objects.values_list("number", "kind", "subject")) == [
        (1, "joined", "P6"),
        (2, "joined", "P6X"),
    ]
