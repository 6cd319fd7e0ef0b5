"""The person's own page, and times as they read them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from annotate import locale
from annotate.actions.people import decline_consent, give_consent
from annotate.models import Participation, Person, StudyText
from tests.cast import Cast

NOON = datetime(2026, 5, 4, 12, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "language", "words"),
    [
        ("UTC", "en-GB", "4 May 2026, 12:30 UTC"),
        ("Europe/Berlin", "de", "04.05.2026, 14:30 CEST"),
        ("America/New_York", "en-US", "May 4, 2026, 8:30 AM EDT"),
        ("Asia/Seoul", "ko", "2026. 05. 04., 21:30 KST"),
        ("Nowhere/Land", "tlh", "4 May 2026, 12:30 UTC"),
    ],
)
def test_an_instant_as_people_read_it(zone: str, language: str, words: str) -> None:
    with locale.reading(zone, language):
        assert locale.moment(NOON) == words
    assert timezone.get_current_timezone_name() == "UTC"


def test_seconds_and_days() -> None:
    with locale.reading("Asia/Tokyo", "sv"):
        assert locale.moment(NOON, seconds=True) == "2026-05-04, 21:30:05 JST"
        assert locale.day(datetime(2026, 5, 4, 23, tzinfo=UTC)) == "2026-05-05"


def test_every_zone_and_language_that_is_offered_works() -> None:
    for zone in locale.zones():
        with locale.reading(zone, "en-GB"):
            assert locale.moment(NOON).startswith(("3 May", "4 May", "5 May"))
    for language in locale.LANGUAGES:
        with locale.reading("UTC", language):
            assert "2026" in locale.day(NOON)


def test_the_profile_is_stored_and_used(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ann)
    Participation.objects.filter(person=cast.ann).update(consented_at=NOON)
    given = {"name": "  Ann  Ä ", "time_zone": "Europe/Berlin", "language": "de"}
    assert client.post("/profile/", given).status_code == 302
    person = Person.objects.get(pk=cast.ann.pk)
    assert (person.name, person.time_zone, person.language) == ("Ann Ä", "Europe/Berlin", "de")
    assert "04.05.2026, 14:30 CEST" in client.get("/work/tea/consent/").content.decode()


@pytest.mark.parametrize("wrong", [{"time_zone": "Mars/Base"}, {"language": "xx"}, {"name": "x" * 121}])
def test_what_is_not_offered_is_refused_and_the_input_kept(cast: Cast, wrong: dict[str, str]) -> None:
    client = Client()
    client.force_login(cast.ann)
    reply = client.post("/profile/", {"name": "Anna", "time_zone": "Asia/Seoul", "language": "ko"} | wrong)
    assert reply.status_code == 400
    assert 'class="error"' in reply.content.decode()
    assert Person.objects.get(pk=cast.ann.pk).name == "Ann.Annotator Example"


def test_a_changed_password_signs_the_other_sessions_out(cast: Cast) -> None:
    cast.ann.set_password("a long walk in the rain")
    cast.ann.save(update_fields=["password"])
    here, there = Client(), Client()
    for client in (here, there):
        client.force_login(cast.ann)
    words = {"old_password": "wrong", "new_password1": "two short naps", "new_password2": "two short naps"}
    assert here.post("/profile/password/", words).status_code == 400
    assert here.post("/profile/password/", words | {"old_password": "a long walk in the rain"}).status_code == 302
    assert (here.get("/profile/").status_code, there.get("/profile/").status_code) == (200, 302)


def test_a_polite_no_is_noted_and_may_become_a_yes(cast: Cast) -> None:
    Participation.objects.filter(person=cast.ann).update(consent=None, consented_at=None)
    client = Client()
    client.force_login(cast.ann)
    assert client.post("/work/tea/consent/", {"version": "1", "answer": "no"}).status_code == 302
    assert "quite all right" in client.get("/work/tea/consent/").content.decode()
    part = Participation.objects.get(person=cast.ann)
    assert (part.declined_id, part.consent_id) == (StudyText.objects.get(study=cast.study, kind="consent").pk, None)
    assert client.post("/work/tea/consent/", {"version": "1", "answer": "yes"}).status_code == 302
    part.refresh_from_db()
    assert (part.declined_id, part.declined_at, part.consent_id is not None) == (None, None, True)


def test_a_yes_that_was_given_is_not_declined_by_a_stale_page(cast: Cast) -> None:
    part = Participation.objects.get(person=cast.ann)
    text = StudyText.objects.get(study=cast.study, kind="consent")
    give_consent(part, text)
    decline_consent(part, text)
    part.refresh_from_db()
    assert (part.consent_id, part.declined_id) == (text.pk, None)
