"""The lead's pages: a number of queries that does not grow, filters, and text that stays text."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.actions import rounds
from annotate.models import Assignment, Attempt, Environment, Flag, Participation, Round, Study, Task, TaskCondition
from tests.annotate.test_rounds import complete
from tests.cast import Cast, person


def more(study: Study, start: int, count: int) -> None:
    """Fill the study with people, tasks and complete rounds."""
    environment = Environment.objects.get(slug="toyshop")
    for number in range(start, start + count):
        task = Task.objects.create(environment=environment, slug=f"t{number}", title=f"T{number}", difficulty="hard")
        condition = TaskCondition.objects.create(study=study, task=task, condition="clean")
        part = Participation.objects.create(study=study, person=person(f"extra{number}"), code=f"X{number}")
        assignment = Assignment.objects.create(
            participation=part, task_condition=condition, position=1, state="complete"
        )
        round_ = Round.objects.create(
            assignment=assignment,
            participation=part,
            person=part.person,
            number=1,
            state="complete",
            control_seen_at=study.created_at,
            ended_at=study.created_at,
        )
        Attempt.objects.create(round=round_, kind="cold", score=1, passed=True, evaluated_at=study.created_at)
        Flag.objects.create(round=round_, rule="comment", reason="left a comment")


@pytest.mark.parametrize("path", ["/studies/", "/studies/tea/", "/studies/tea/attempts/", "/studies/tea/cleaning/"])
def test_queries_do_not_grow_with_the_rows(cast: Cast, path: str) -> None:
    client = Client()
    client.force_login(cast.lead)
    counts = []
    for start in (0, 20):
        more(cast.study, start, 5 if start == 0 else 20)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_dashboards_queries_do_not_grow(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ann)
    part = Participation.objects.get(person=cast.ann)
    environment = Environment.objects.get(slug="toyshop")
    counts = []
    for start in (10, 100):
        for number in range(start, start + 12):
            task = Task.objects.create(
                environment=environment, slug=f"d{number}", title=f"D{number}", difficulty="easy"
            )
            condition = TaskCondition.objects.create(study=cast.study, task=task, condition="clean")
            Assignment.objects.create(participation=part, task_condition=condition, position=number, state="complete")
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/work/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_filters_live_in_the_address_and_pages_hold_all_rows(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.lead)
    more(cast.study, 0, 55)
    complete(cast, cast.ann)
    assert "57" in client.get("/studies/tea/attempts/").content.decode()
    assert "page 2 of 2" in client.get("/studies/tea/attempts/?page=2").content.decode()
    page = client.get("/studies/tea/attempts/?person=P1&attempt=cold").content.decode()
    assert 'Attempts <span class="soft small">1</span>' in page
    assert "No attempt fits" in client.get("/studies/tea/attempts/?state=void").content.decode()
    assert client.get("/studies/tea/attempts/?state=nonsense&page=x").status_code == 200
    assert client.get("/studies/tea/attempts/?person=%00").status_code == 400


def test_an_attempts_page_shows_what_is_known_and_text_stays_text(cast: Cast) -> None:
    round_ = complete(cast, cast.bob)
    rounds.rate(round_, {"clarity": 2}, "<script>alert(1)</script> \u05e9\u05dc\u05d5\u05dd")
    client = Client()
    client.force_login(cast.lead)
    page = client.get(f"/studies/tea/attempts/{round_.attempts.get(kind='cold').pk}/").content.decode()
    for words in (
        "the order exists",
        "one order",
        "server's own state",
        "buy-tea-decoy",
        "cold → between",
        "&lt;script&gt;",
    ):
        assert words in page
    assert "<script>alert" not in page
    assert "low rating" in page
