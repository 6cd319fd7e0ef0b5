"""The study editor: created from a preset, changed part by part, never overwritten, its faults said beside the fields."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import (
    Amendment,
    AuditEntry,
    Environment,
    Invitation,
    Participation,
    Person,
    Study,
    StudyRole,
    StudyText,
)
from annotate.queries import has_consented
from tasks_admin.studies.presets import PRESETS
from tests.cast import Cast
from tests.designed import draft_study, light_cast, part, running

pytestmark = pytest.mark.django_db
cast = light_cast


@pytest.fixture
def client(cast: Cast) -> Client:
    made = Client()
    made.force_login(cast.lead)
    return made


def values(client: Client, study: Study, section: str) -> dict[str, Any]:
    """What a browser would send back of the page as it is."""
    form = client.get(f"/studies/{study.slug}/edit/{section}/").context["form"]
    sent: dict[str, Any] = {}
    for one in [form, *([form.rows.management_form, *form.rows.forms] if hasattr(form, "rows") else [])]:
        for field in one:
            value = field.value()
            if value is True:
                value = "on"
            if value is not None and value is not False:
                sent[field.html_name] = value
    return sent


def send(client: Client, study: Study, section: str, **changes: Any) -> Any:
    sent = {**values(client, study, section), **{name.replace("__", "-"): value for name, value in changes.items()}}
    return client.post(f"/studies/{study.slug}/edit/{section}/", {k: v for k, v in sent.items() if v is not None})


def text(reply: Any) -> str:
    return str(reply.content.decode())


# ---- creating


@pytest.mark.parametrize("name", PRESETS)
def test_a_study_begins_with_what_its_preset_says(cast: Cast, client: Client, name: str) -> None:
    form = {"preset": name, "name": "Tea time", "slug": "tea-time", "environments": ["toyshop"]}
    reply = client.post("/studies/new/", form)
    assert reply.headers["Location"] == "/studies/tea-time/edit/texts/"
    study, preset = Study.objects.get(slug="tea-time"), PRESETS[name]
    assert (study.state, study.instrument, study.design["environments"]) == ("draft", preset.instrument, ["toyshop"])
    assert study.participations.count() == len(preset.people)
    assert StudyRole.objects.get(study=study).person == cast.lead
    assert AuditEntry.objects.get(study=study).action == "create study"
    for section in ("about", "texts", "design", "people", "rating", "options"):
        assert send(client, study, section).status_code == 302, section
        study.refresh_from_db()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"slug": "tea"}, "There is a study with this short name already"),
        ({"slug": "new"}, "There is a study with this short name already"),
        ({"slug": "Tea Time"}, "Small letters, numbers and hyphens only"),
        ({"name": ""}, "This field is required"),
        ({"name": "x" * 121}, "at most 120 are kept"),
        ({"preset": "none"}, "Select a valid choice"),
        ({"environments": ["nowhere"]}, "Select a valid choice"),
    ],
)
def test_faults_of_a_new_study_stand_beside_their_fields(client: Client, form: dict[str, Any], words: str) -> None:
    count = Study.objects.count()
    reply = client.post("/studies/new/", {"preset": "blank", "name": "A", "slug": "a", **form})
    assert reply.status_code == 400
    assert words in text(reply)
    assert Study.objects.count() == count


# ---- stale forms


@pytest.mark.parametrize("section", ["about", "texts", "design", "people", "rating", "options"])
def test_a_stale_form_saves_nothing_and_keeps_what_was_entered(cast: Cast, client: Client, section: str) -> None:
    study = draft_study(cast.lead)
    old = values(client, study, section)
    send(client, study, "about", name="Changed meanwhile")
    study.refresh_from_db()
    version = study.version
    changed = {"about": {"name": "Mine"}, "texts": {"consent": "Mine"}}.get(section, {})
    reply = client.post(f"/studies/{study.slug}/edit/{section}/", {**old, **changed})
    assert reply.status_code == 409
    assert "Somebody else has changed this study" in text(reply)
    assert all(value in text(reply) for value in changed.values())
    study.refresh_from_db()
    assert (study.name, study.version, study.texts.count()) == ("Changed meanwhile", version, 2)


# ---- the parts


def test_texts_gain_versions_and_earlier_ones_stay_readable(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    send(client, study, "texts", consent="Second **version**.\r\n")
    assert list(study.texts.filter(kind="consent").values_list("version", "body")) == [
        (1, "We **record**."),
        (2, "Second **version**."),
    ]
    assert study.texts.filter(kind="guidelines").count() == 1
    assert "We <strong>record</strong>." in text(client.get(f"/studies/{study.slug}/texts/consent/1/"))
    assert client.get(f"/studies/{study.slug}/texts/consent/3/").status_code == 404
    send(client, study, "texts")
    assert study.texts.count() == 3


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) <a href="javascript:x">y</a>'


def test_hostile_text_stays_text(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    sent = values(client, study, "texts") | {"consent": HOSTILE, "preview": "1"}
    preview = text(client.post(f"/studies/{study.slug}/edit/texts/", sent))
    send(client, study, "texts", consent=HOSTILE)
    for page in (preview, text(client.get(f"/studies/{study.slug}/texts/consent/2/"))):
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "javascript:" not in page.split("</textarea>")[-1].replace("[x](javascript:alert(1))", "").replace(
            "&lt;a href=&quot;javascript:x&quot;&gt;", ""
        ).replace('&lt;a href="javascript:x"&gt;', "")
    assert study.texts.filter(kind="consent").count() == 2


def test_a_preview_saves_nothing(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    sent = values(client, study, "texts") | {"consent": "# Only *looking*", "preview": "1"}
    page = text(client.post(f"/studies/{study.slug}/edit/texts/", sent))
    assert "<h1>Only <em>looking</em></h1>" in page
    assert study.texts.count() == 2


@pytest.mark.parametrize(
    ("section", "changes", "words"),
    [
        ("about", {"slug": "tea"}, "There is a study with this short name already"),
        ("texts", {"consent": "x" * 100_001}, "at most 100,000 are kept"),
        ("texts", {"guidelines": " "}, "leave something to read"),
        ("design", {"seed": "-1"}, "whole number from 0 to"),
        ("design", {"seed": "x"}, "whole number from 0 to"),
        ("design", {"conditions": []}, "Choose at least one condition"),
        ("design", {"panel_by": []}, "Say what makes a cell"),
        ("design", {"panel_n": "0"}, "whole number from 1 to 1000"),
        ("design", {"practice": "bakery/nothing"}, "There is no such task"),
        ("design", {"only": "bakery/bakery-easy-0\nbakery/cake"}, "There is no such task: bakery/cake"),
        ("design", {"environments": ["moon"]}, "Select a valid choice"),
        ("people", {"rows__0__code": "ann@example.org"}, "Codes are published: no name, no address"),
        ("people", {"rows__4__code": "ann@x.org"}, "Codes are published"),
        ("people", {"rows__4__code": "P1"}, "Another row has this code"),
        ("people", {"rows__0__capacity": "-3"}, "as a whole number; empty for no limit"),
        ("people", {"rows__4__code": "P8", "rows__4__email": "nobody"}, "This is no e-mail address"),
        ("people", {"rows__0__exclusions": ["moon"]}, "Select a valid choice"),
        ("rating", {"rows__8__id": "Bad Id", "rows__8__label": "?"}, "A small letter, then"),
        ("rating", {"rows__8__id": "clarity", "rows__8__label": "?"}, "Another question has this id"),
        ("rating", {"rows__8__id": "new"}, "This field is required"),
        ("rating", {"rows__0__points": "1"}, "whole number from 2 to 11"),
        ("options", {"time_limit_seconds": "5"}, "from 10 to 14400"),
        ("options", {"viewport_width": "20"}, "from 300 to 4096"),
        ("options", {"grace_seconds": ""}, "from 10 to 3600"),
    ],
)
def test_faults_stand_beside_their_fields(
    cast: Cast, client: Client, section: str, changes: dict[str, Any], words: str
) -> None:
    study = draft_study(cast.lead)
    if "rows__0__code" in changes:
        study.participations.update(person=None)
    reply = send(client, study, section, **changes)
    assert reply.status_code == 400
    assert words in text(reply)
    study.refresh_from_db()
    assert study.version == 1


def test_two_megabytes_are_refused_in_words(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    reply = send(client, study, "texts", consent="ä" * 1_000_000)
    assert reply.status_code == 400
    assert "1,000,000 characters long; at most 100,000" in text(reply)


def test_what_no_database_holds_is_taken_out(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    send(client, study, "about", name="Tea\x00 time")
    study.refresh_from_db()
    assert study.name == "Tea\ufffd time"


def test_the_design_is_kept_and_noted(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    reply = send(
        client,
        study,
        "design",
        panel_rule="all",
        duplicates_rule="none",
        seed="9",
        conditions=["clean"],
        only="bakery/bakery-easy-0\n\nbakery/bakery-easy-0",
    )
    assert reply.status_code == 302
    study.refresh_from_db()
    assert (study.seed, study.version) == (9, 2)
    assert (study.design["panel"]["rule"], study.design["duplicates"]) == ("all", None)
    assert (study.design["conditions"], study.design["only"]) == (["clean"], ["bakery/bakery-easy-0"])
    entry = AuditEntry.objects.get(study=study)
    assert (entry.action, entry.before["seed"], entry.after["seed"]) == ("edit design", 42, 9)


def test_the_rating_is_ordered_by_its_places(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    reply = send(
        client,
        study,
        "rating",
        rows__0__DELETE="on",
        rows__1__place="99",
        rows__8__id="calm",
        rows__8__label="Calm?",
        rows__8__place="1",
        rows__8__points="7",
        rows__8__only="clean",
    )
    assert reply.status_code == 302
    study.refresh_from_db()
    ids = [item["id"] for item in study.instrument]
    assert (ids[0], ids[-1], "clarity" in ids) == ("calm", "realism", False)
    assert study.instrument[0] == {
        "id": "calm", "label": "Calm?", "kind": "scale", "low": "", "high": "", "points": 7, "only": "clean"
    }  # fmt: skip


def test_options_keep_what_other_pages_keep_there(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    Study.objects.filter(pk=study.pk).update(options=study.options | {"reference_policy": "first"})
    send(client, study, "options", time_limit_seconds="300", viewport_width="1280", show_verdict=None)
    study.refresh_from_db()
    kept = study.options
    assert (kept["time_limit_seconds"], kept["viewport"], kept["show_verdict"]) == (300, [1280, 600], False)
    assert kept["reference_policy"] == "first"


# ---- people


def test_people_are_added_changed_and_taken_away(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    Participation.objects.create(study=study, code="P9")  # the fourth row: nobody has taken it
    reply = send(
        client,
        study,
        "people",
        rows__0__capacity="5",
        rows__0__exclusions=["bakery"],
        rows__1__leaves="on",
        rows__3__leaves="on",
        rows__5__code="P7",
        rows__5__tier="duplicate",
    )
    assert reply.status_code == 302
    assert (part(study, "P1").capacity, part(study, "P1").exclusions) == (5, ["bakery"])
    assert part(study, "P2").is_active is False
    assert not study.participations.filter(code="P9").exists()
    assert (part(study, "P7").tier, part(study, "P7").person) == ("duplicate", None)
    actions = set(AuditEntry.objects.filter(study=study).values_list("action", "subject"))
    assert actions == {("edit person", "P1"), ("edit left", "P2"), ("edit left", "P9"), ("edit joined", "P7")}
    send(client, study, "people", rows__1__leaves=None)
    assert part(study, "P2").is_active


def test_the_people_of_a_large_study_are_one_form(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    rows = [Participation(study=study, code=f"X{number}", exclusions=["bakery", "toolshop"]) for number in range(200)]
    Participation.objects.bulk_create(rows)
    assert send(client, study, "people", rows__0__capacity="9").status_code == 302
    assert part(study, "P1").capacity == 9


def test_codes_may_be_exchanged_while_nobody_has_them(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    study.participations.update(person=None)
    one, two = part(study, "P1").pk, part(study, "P2").pk
    assert send(client, study, "people", rows__0__code="P2", rows__1__code="P1").status_code == 302
    assert (part(study, "P2").pk, part(study, "P1").pk) == (one, two)


def test_an_invitation_is_shown_once_and_to_owners_only(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    page = text(send(client, study, "people", rows__4__code="P7", rows__4__email="dora@example.org"))
    assert "/invitation/" in page
    assert Invitation.objects.get().person.email == "dora@example.org"
    assert "/invitation/" not in text(client.get(f"/studies/{study.slug}/edit/people/"))
    StudyRole.objects.filter(study=study).update(role="lead")
    send(client, study, "people", rows__5__code="P8", rows__5__email="ed@example.org")
    assert part(study, "P8").person is None
    assert not Person.objects.filter(email="ed@example.org").exists()
    assert "dora@example.org" not in text(client.get(f"/studies/{study.slug}/edit/people/"))


def test_somebody_who_cannot_be_invited_is_told_beside_the_address(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    reply = send(client, study, "people", rows__4__code="P7", rows__4__email="p1.plan-me@example.org")
    assert reply.status_code == 400
    assert "is P1 of plan-me already" in text(reply)
    assert not study.participations.filter(code="P7").exists()


@pytest.mark.parametrize("path", ["edit/people/", "edit/design/", "state/", "amendments/"])
def test_queries_do_not_grow_with_the_study(cast: Cast, client: Client, path: str) -> None:
    study, counts = running(cast), []
    for number in range(20):
        Participation.objects.create(study=study, code=f"X{number}")
        Amendment.objects.create(study=study, number=number + 1, kind="joined", subject=f"X{number}", reason="more")
        if number in (1, 19):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/studies/plan-me/{path}").status_code == 200
            counts.append(len(queries))
    assert counts[0] == counts[1]


# ---- a study that runs


def test_a_running_study_asks_for_a_reason_and_records_it(cast: Cast, client: Client) -> None:
    study = running(cast)
    reply = send(client, study, "options", grace_seconds="300")
    assert reply.status_code == 400
    assert "say why it changes" in text(reply)
    send(client, study, "options", grace_seconds="300", reason="slow trains")
    send(client, study, "about", name="Plan me well", reason="a better name")
    send(client, study, "texts", consent="New terms.", reason="the board asked")
    send(client, study, "people", rows__0__capacity="3", rows__1__leaves="on", rows__4__code="P8", reason="holidays")
    rows = list(Amendment.objects.filter(study=study).values_list("number", "kind", "subject", "reason"))
    assert rows == [
        (1, "option", "grace_seconds", "slow trains"),
        (2, "name", "name", "a better name"),
        (3, "text", "consent text", "the board asked"),
        (4, "person", "P1", "holidays"),
        (5, "left", "P2", "holidays"),
        (6, "joined", "P8", "holidays"),
    ]
    assert has_consented(part(study, "P1")) is False
    page = text(client.get(f"/studies/{study.slug}/amendments/"))
    assert "slow trains" in page
    assert "tier primary" in page


@pytest.mark.parametrize(
    ("section", "changes"),
    [
        ("options", {"hide_condition": None, "time_limit_seconds": "60", "viewport_width": "400"}),
        ("design", {"seed": "7", "panel_rule": "all"}),
        ("rating", {"rows__0__label": "Other"}),
        ("about", {"slug": "other"}),
        ("people", {"rows__0__code": "P77", "rows__0__tier": "duplicate"}),
    ],
)
def test_what_touches_measured_data_stays_as_it_is(
    cast: Cast, client: Client, section: str, changes: dict[str, Any]
) -> None:
    study = running(cast)
    before = Study.objects.filter(pk=study.pk).values("slug", "seed", "design", "options", "instrument").get()
    people = sorted(study.participations.values_list("code", "tier"))
    page = text(client.get(f"/studies/{study.slug}/edit/{section}/"))
    assert "Fixed while the study runs" in page or section == "people"
    send(client, study, section, reason="I want it", **changes)
    assert Study.objects.filter(pk=study.pk).values("slug", "seed", "design", "options", "instrument").get() == before
    assert sorted(study.participations.values_list("code", "tier")) == people
    assert not Amendment.objects.filter(study=study).exists()


def test_nothing_changes_in_a_closed_study(cast: Cast, client: Client) -> None:
    study = running(cast)
    sent = values(client, study, "about")
    Study.objects.filter(pk=study.pk).update(state="closed")
    reply = client.post(f"/studies/{study.slug}/edit/about/", {**sent, "name": "Late", "reason": "x"})
    assert reply.status_code == 409
    assert "closed" in text(reply)
    assert 'data-label="Save"' not in text(client.get(f"/studies/{study.slug}/edit/about/"))


def test_pages_without_any_website_say_how_to_get_one(cast: Cast, client: Client) -> None:
    study = Study.objects.create(slug="empty", name="Empty")
    StudyRole.objects.create(study=study, person=cast.lead, role="owner")
    assert "bakery" not in text(client.get("/studies/empty/edit/design/"))
    assert Environment.objects.exists()
    assert client.get("/studies/empty/plan/").status_code == 200
    assert client.get("/studies/empty/state/").status_code == 200
    assert StudyText.objects.filter(study=study).count() == 0
