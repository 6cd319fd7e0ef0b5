"""The people of a study: codes for everybody, persons for owners; invitations, deactivation, letting go."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.actions import leaving, rounds
from annotate.actions.assignments import return_assignment
from annotate.actions.people import drop_role
from annotate.errors import BadInput
from annotate.models import Assignment, AuditEntry, Invitation, Participation, Person, StudyRole
from tests.annotate.test_races import at_once
from tests.annotate.test_rounds import complete
from tests.cast import Cast, person
from tests.tasks_admin.test_pages import more
from tests.tasks_admin.test_routes import LEAD, LEAD_POSTS, address, make_rows

URL = "/studies/tea/people/"


def client_of(who: Person) -> Client:
    client = Client()
    client.force_login(who)
    return client


def with_role(cast: Cast, role: str) -> Person:
    made = person(f"some.{role}")
    StudyRole.objects.create(study=cast.study, person=made, role=role)
    return made


@pytest.mark.parametrize("role", ["owner", "lead", "viewer"])
def test_who_is_behind_a_code_is_for_owners_and_their_people_page_alone(cast: Cast, role: str) -> None:
    """Every page of the lead's side is walked, with what annotators wrote and did in it."""
    who = cast.lead if role == "owner" else with_role(cast, role)
    round_ = complete(cast, cast.ann)
    rounds.rate(round_, {"clarity": 1, "suspected_bug": True}, "odd")
    return_assignment(
        Assignment.objects.select_related("participation__study").get(pk=round_.assignment_id), cast.lead, "again"
    )
    leaving.ask_to_leave(Participation.objects.select_related("study", "person").get(person=cast.bob), "keep_data")
    client, attempt = client_of(who), round_.attempts.get(kind="cold")
    make_rows(cast, attempt)
    told = []
    for name in sorted(LEAD - set(LEAD_POSTS)):
        page = client.get(address(name, cast, attempt)).getvalue().decode()
        if any(word in page for word in (cast.ann.email, cast.ann.name, cast.bob.email, cast.bob.name)):
            told.append(name)
    assert told == (["people"] if role == "owner" else [])
    assert not AuditEntry.objects.filter(actor__in=[cast.ann, cast.bob]).exists()


def test_an_invitation_for_a_code(cast: Cast) -> None:
    client = client_of(cast.lead)
    reply = client.post(URL + "invite/", {"email": "gus@example.org", "name": "Gus", "code": "P7"})
    (link,) = re.findall(r"/invitation/[\w-]+/", reply.content.decode())
    assert Client().get(link).status_code == 200
    part = Participation.objects.get(code="P7")
    assert (part.tier, str(part.person)) == ("primary", "Gus")
    page = client.get(URL).content.decode()
    assert "invited" in page
    assert link not in page  # it was shown once
    assert AuditEntry.objects.get(action="invite").subject == "P7"
    again = client.post(URL + "invite/", {"email": "gus@example.org", "code": "P7"}).content.decode()
    (newer,) = re.findall(r"/invitation/[\w-]+/", again)
    assert (Client().get(link).status_code, Client().get(newer).status_code) == (404, 200)
    assert client.post(f"{URL}{part.pk}/revoke/").status_code == 302
    assert Client().get(newer).status_code == 404
    assert "invitation revoked" in client.get(URL).content.decode()
    assert Invitation.objects.count() == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"email": "no mail", "code": "P7"}, "is no e-mail address"),
        ({"email": "gus@example.org", "code": "gus"}, "is no code"),
        ({"email": "gus@example.org"}, "Say as what"),
        ({"email": "gus@example.org", "code": "P1"}, "is somebody else already"),
        ({"email": "ann.annotator@example.org", "code": "P7"}, "is P1 of tea already"),
    ],
)
def test_what_cannot_be_invited_is_told_and_kept_in_the_form(cast: Cast, given: dict[str, str], words: str) -> None:
    reply = client_of(cast.lead).post(URL + "invite/", given)
    page = reply.content.decode()
    assert reply.status_code == 409
    assert words in page
    assert f'value="{given["email"]}"' in page
    assert not Person.objects.filter(email="gus@example.org").exists()


def test_leads_deactivate_and_reactivate_but_do_not_invite(cast: Cast) -> None:
    client = client_of(with_role(cast, "lead"))
    part = Participation.objects.get(person=cast.ann)
    url = f"{URL}{part.pk}/activate/"
    assert client.post(url, {"active": "no", "why": " "}).status_code == 400
    assert client.post(url, {"active": "no", "why": "is ill"}).status_code == 302
    assert client.post(url, {"active": "no", "why": "is ill"}).status_code == 409
    assert "inactive" in client.get(URL).content.decode()
    assert "do not take part" in client_of(cast.ann).get("/work/").content.decode()
    assert client.post(url, {"active": "yes", "why": "is well"}).status_code == 302
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == ["deactivate", "reactivate"]
    assert client.post(URL + "invite/", {"email": "gus@example.org", "code": "P7"}).status_code == 404
    viewer = client_of(with_role(cast, "viewer"))
    assert viewer.post(url, {"active": "no", "why": "x"}).status_code == 404


def test_an_owner_lets_somebody_go(cast: Cast) -> None:
    part = Participation.objects.select_related("study", "person").get(person=cast.ann)
    leaving.ask_to_leave(part, "keep_data", "<i>bye</i>")
    client, url = client_of(cast.lead), f"{URL}{part.pk}/let-go/"
    page = client.get(URL).content.decode()
    assert "P1 asks to leave" in page
    assert "&lt;i&gt;bye&lt;/i&gt;" in page
    assert client_of(with_role(cast, "lead")).post(url, {"code": "P1"}).status_code == 404
    assert "type P1" in client.post(url, {"code": "P2"}, follow=True).content.decode()
    assert client.post(f"{URL}{part.pk}/activate/", {"active": "yes", "why": "x"}).status_code == 409
    assert "P1 has left" in client.post(url, {"code": "P1"}, follow=True).content.decode()
    assert "has left" in client.get(URL).content.decode()
    refused = client.post(URL + "invite/", {"email": "gus@example.org", "code": "P1"})
    assert "P1 has left the study" in refused.content.decode()


def test_an_owner_takes_roles_away_but_not_the_last_owners(cast: Cast) -> None:
    client, viewer = client_of(cast.lead), with_role(cast, "viewer")
    mine = cast.study.roles.get(person=cast.lead)
    assert "the only owner" in client.get(URL).content.decode()
    assert client.post(f"{URL}roles/{mine.pk}/take/").status_code == 400
    assert client.post(f"{URL}roles/{viewer.study_roles.get().pk}/take/").status_code == 302
    assert client_of(viewer).get("/studies/tea/").status_code == 404
    assert AuditEntry.objects.get(action="take role away").subject == "viewer"
    other = with_role(cast, "owner")
    assert client.post(f"{URL}roles/{mine.pk}/take/").headers["Location"] == "/studies/"
    assert client.get(URL).status_code == 404
    assert other.study_roles.get().role == "owner"


def test_two_owners_who_take_each_other_off_leave_one(cast: Cast) -> None:
    other = with_role(cast, "owner")
    mine, theirs = cast.study.roles.get(person=cast.lead), other.study_roles.get()
    results = at_once(
        lambda: drop_role(cast.study, cast.lead, theirs.pk), lambda: drop_role(cast.study, other, mine.pk)
    )
    assert sorted(isinstance(one, BadInput) for one in results) == [False, True]
    assert cast.study.roles.filter(role="owner").count() == 1


def test_queries_do_not_grow_with_the_people(cast: Cast) -> None:
    client, counts = client_of(cast.lead), []
    for start, count in ((0, 5), (20, 20)):
        more(cast.study, start, count)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(URL).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
