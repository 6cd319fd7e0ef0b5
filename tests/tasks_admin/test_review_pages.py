"""The queue's pages: filters, what is hidden, claims, decisions, rules; and that none asks more for more rows."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.actions import reviews, rounds
from annotate.flags import RULES
from annotate.models import Attempt, AuditEntry, Flag, Label, Person, Review, ReviewItem, Round, Study, StudyRole
from tests.annotate.test_rounds import complete
from tests.cast import Cast, person
from tests.tasks_admin.test_pages import more

QUEUE = "/studies/tea/review/"


def client(who: Person) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


@pytest.fixture
def two(cast: Cast) -> list[Round]:
    """Ann's clean round with a comment and Bob's under intervention with few points, both in the queue."""
    found = [complete(cast, cast.ann), complete(cast, cast.bob)]
    rounds.rate(found[0], {}, "hm")
    rounds.rate(found[1], {"clarity": 1}, "")
    return found


def role(cast: Cast, name: str, kind: str) -> Person:
    made = person(name)
    StudyRole.objects.create(study=cast.study, person=made, role=kind)
    return made


def set_options(cast: Cast, **options: object) -> None:
    Study.objects.filter(pk=cast.study.pk).update(options=cast.study.options | options)


def listed(cast: Cast, query: str) -> list[str]:
    """The codes of the rounds that the queue shows."""
    page = client(cast.lead).get(QUEUE + query)
    return [item.round.participation.code for item in page.context["items"]]


def test_filters_live_in_the_address(cast: Cast, two: list[Round]) -> None:
    assert listed(cast, "") == ["P1", "P2"]
    assert listed(cast, "?rule=low_rating") == ["P2"]
    assert listed(cast, "?person=P1&environment=toyshop") == ["P1"]
    assert listed(cast, "?condition=intervention") == ["P2"]
    assert listed(cast, "?state=claimed") == listed(cast, "?environment=none") == listed(cast, "?state=odd") == []
    reviews.claim(ReviewItem.objects.get(round=two[0]), cast.lead)
    reviews.decide(two[1], cast.lead, "exclude", "No.")
    assert listed(cast, "?state=claimed") == ["P1"]
    assert listed(cast, "?state=decided") == listed(cast, "?state=exclude") == ["P2"]
    assert listed(cast, "?state=all") == ["P1", "P2"]
    assert client(cast.lead).get(QUEUE + "?rule=%00").status_code == 400


def test_the_open_queue_leaves_out_what_a_faulty_task_settles(cast: Cast, two: list[Round]) -> None:
    reviews.decide(two[0], cast.lead, "task_faulty", "It sells no tea.")
    assert listed(cast, "") == []
    page = client(cast.lead).get(QUEUE).content.decode()
    assert "toyshop/buy-tea" in page
    item = ReviewItem.objects.get(round=two[1])
    assert "The task was found faulty" in client(cast.lead).get(f"{QUEUE}{item.pk}/").content.decode()


def test_an_item_shows_the_attempt_its_flags_and_the_next_one(cast: Cast, two: list[Round]) -> None:
    first, second = ReviewItem.objects.order_by("pk")
    page = client(cast.lead).get(f"{QUEUE}{first.pk}/").content.decode()
    assert "left a comment of 2 characters" in page
    assert f'<link rel="prefetch" href="{QUEUE}{second.pk}/?state=open">' in page
    assert first.claimed_by is None  # a GET claims nothing
    assert client(cast.lead).get(f"{QUEUE}{first.pk}/?attempt=cold").context["attempt"].kind == "cold"
    assert client(cast.other_lead).get(f"/studies/coffee/review/{first.pk}/").status_code == 404


def test_names_never_codes_and_conditions_only_where_the_study_shows_them(cast: Cast, two: list[Round]) -> None:
    item = ReviewItem.objects.get(round=two[1])
    paths = [QUEUE, f"{QUEUE}{item.pk}/", f"{QUEUE}{item.pk}/?attempt=cold"]
    open_pages = "".join(client(cast.lead).get(path).content.decode() for path in paths)
    assert "Bob.Annotator" not in open_pages
    assert "bob.annotator@" not in open_pages
    assert "P2" in open_pages
    assert "buy-tea-decoy" in open_pages
    set_options(cast, review_hide_code=True, review_hide_condition=True)
    for path in paths:
        page = client(cast.lead).get(path).content.decode()
        assert re.findall(r"\bP[12]\b|intervention|decoy|grounding", page) == [], path
    assert listed(cast, "?person=P1&condition=clean") == ["P1", "P2"]  # what is hidden can't be asked for


def test_start_claims_the_next_one_and_decisions_lead_on(cast: Cast, two: list[Round]) -> None:
    first, second = ReviewItem.objects.order_by("pk")
    lead = client(cast.lead)
    assert lead.post(f"{QUEUE}start/", {"filters": ""}).headers["Location"] == f"{QUEUE}{first.pk}/?state=open"
    other = client(role(cast, "lisa.lead", "lead"))
    assert other.post(f"{QUEUE}{first.pk}/claim/").status_code == 409
    assert other.post(f"{QUEUE}start/", {"filters": ""}).headers["Location"] == f"{QUEUE}{second.pk}/?state=open"
    assert lead.post(f"{QUEUE}{first.pk}/claim/").json()["until"].endswith("UTC")
    decided = lead.post(
        f"/studies/tea/rounds/{first.round_id}/decide/",
        {"decision": "accept", "item": first.pk, "filters": "rule=comment"},
    )
    assert decided.headers["Location"] == f"{QUEUE}?state=open&rule=comment"  # nothing else with a comment waits
    assert (
        client(cast.lead).post(f"{QUEUE}start/", {"filters": "state=open"}).headers["Location"].startswith(QUEUE + "?")
    )


def test_deciding_from_the_viewer_stays_there(cast: Cast, two: list[Round]) -> None:
    warm = two[0].attempts.get(kind="warm")
    url = f"/studies/tea/rounds/{two[0].pk}/decide/"
    form = {"decision": "exclude", "reason": "A cat <i>sat</i> on it.", "attempt": warm.pk}
    assert client(cast.lead).post(url, form | {"reason": ""}).status_code == 400
    assert client(cast.lead).post(url, form).headers["Location"] == f"/studies/tea/attempts/{warm.pk}/"
    page = client(cast.lead).get(f"/studies/tea/attempts/{warm.pk}/").content.decode()
    assert "A cat &lt;i&gt;sat&lt;/i&gt; on it." in page
    assert Review.objects.get().lead == cast.lead


def test_viewers_look_and_decide_nothing(cast: Cast, two: list[Round]) -> None:
    viewer = client(role(cast, "vera.viewer", "viewer"))
    item = ReviewItem.objects.get(round=two[0])
    page = viewer.get(f"{QUEUE}{item.pk}/").content.decode()
    assert 'name="decision"' not in page
    for url in (f"{QUEUE}start/", f"{QUEUE}{item.pk}/claim/", f"/studies/tea/rounds/{two[0].pk}/decide/"):
        assert viewer.post(url, {"decision": "accept"}).status_code == 404
    assert viewer.post(f"{QUEUE}rules/", {}).status_code == 404
    assert viewer.get(f"{QUEUE}rules/").status_code == 200


def test_leads_of_several_studies_go_from_queue_to_queue(cast: Cast, two: list[Round]) -> None:
    StudyRole.objects.create(study=Study.objects.get(slug="coffee"), person=cast.lead, role="lead")
    assert client(cast.lead).get(f"{QUEUE}?study=coffee").headers["Location"] == "/studies/coffee/review/"
    assert client(cast.other_lead).get("/studies/coffee/review/?study=tea").status_code == 404


def every_rule_on() -> dict[str, str]:
    """The form as the page sends it where nobody changed anything."""
    return {f"{name}.on": "1" for name in RULES}


def test_rules_are_set_on_their_page(cast: Cast, two: list[Round]) -> None:
    lead = client(cast.lead)
    form = every_rule_on() | {"low_rating.at_most": "0,5"}
    assert lead.post(f"{QUEUE}rules/", form | {"low_rating.at_most": "many"}).status_code == 400
    assert lead.post(f"{QUEUE}rules/", every_rule_on()).status_code == 302
    assert not AuditEntry.objects.exists()  # nothing changed
    form.pop("comment.on")
    assert lead.post(f"{QUEUE}rules/", form).status_code == 302
    told = AuditEntry.objects.get()
    assert told.after["flags"] == {"comment": {"on": False}, "low_rating": {"at_most": 0.5}}
    cast.work.run()
    assert not Flag.objects.filter(lifted_at=None).exists()


@pytest.mark.parametrize("path", ["duplicates/", "between-people/", "labels/", "references/"])
def test_audits_ask_no_more_for_more_rows(cast: Cast, path: str) -> None:
    lead, counts = client(cast.lead), []
    for start, count in ((0, 3), (10, 15)):
        more(cast.study, start, count)
        for attempt in Attempt.objects.filter(labels=None):
            Label.objects.create(attempt=attempt, lead=cast.lead, success=True)
        with CaptureQueriesContext(connection) as queries:
            assert lead.get(f"/studies/tea/{path}").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_queue_asks_no_more_for_more_rows(cast: Cast, two: list[Round]) -> None:
    counts = []
    for start, count in ((0, 2), (10, 20)):
        more(cast.study, start, count)
        for round_ in Round.objects.filter(review_item=None, state="complete"):
            ReviewItem.objects.create(round=round_, study=cast.study)
        with CaptureQueriesContext(connection) as queries:
            assert client(cast.lead).get(QUEUE).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
