"""What the attempt page is told of a capture: pages, what is missing, why there is none, pieces on the recording's clock."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.models import Attempt
from recorder.capture.ingest import ingest
from recorder.models import CapturedPage, Recording
from tasks_admin.viewer import seen as viewing
from tasks_admin.viewer.seen import seen_of
from tests.annotate.test_rounds import complete
from tests.cast import Cast
from tests.recorder.capture.test_ingest import body, seen

pytestmark = pytest.mark.django_db


@pytest.fixture
def attempt(cast: Cast) -> Attempt:
    found = complete(cast, cast.ann).attempts.get(kind="cold")
    assert found.recording is not None
    Recording.objects.filter(pk=found.recording.pk).update(capture=True)
    return Attempt.objects.select_related("recording").get(pk=found.pk)


def post(attempt: Attempt, n: int, *events: Any, **header: Any) -> None:
    assert attempt.recording is not None
    ingest(attempt.recording.pk, body(n, *events, **header))


def test_why_there_is_nothing(cast: Cast, attempt: Attempt) -> None:
    assert "Nothing was recorded" in seen_of(None).why
    assert "Nothing of it has arrived" in seen_of(attempt.recording).why
    attempt.recording.capture = False  # type: ignore[union-attr]
    assert "did not keep pages" in seen_of(attempt.recording).why


def test_pages_and_what_is_missing(attempt: Attempt) -> None:
    post(attempt, 0, seen(10.0, 4, href="/"), seen(11.0, 2, node={}), url="http://k.env.localhost/cart?secret=1")
    post(attempt, 2, seen(5000.0))
    found = seen_of(attempt.recording)
    (page,) = found.pages
    assert (found.why, page["tab"], [chunk[0] for chunk in page["chunks"]]) == ("", None, [0, 2])
    assert found.until == page["last"] == page["chunks"][1][2]
    assert page["last"] - page["first"] == 4990.0
    assert len(found.missing) == 1
    assert "1 of 3 pieces never arrived" in found.missing[0]


def test_many_pages_ask_the_database_no_more_often(
    attempt: Attempt, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for place in range(12):
        post(attempt, 0, seen(10.0, 4, href="/"), page=f"p{place}", time_origin=1e12 + place)
    with django_assert_num_queries(3):
        assert len(seen_of(attempt.recording).pages) == 12


def test_the_pages_of_the_player(client: Client, cast: Cast, attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    post(attempt, 0, seen(10.0, 4, href="/"), seen(11.0, 2, node={"text": "</script><b>é"}))
    client.force_login(cast.lead)
    base = f"/studies/tea/attempts/{attempt.pk}/"
    whole = client.get(base)
    assert f'data-player="{base}seen/"' in whole.content.decode()
    player = client.get(base + "seen/")
    assert player.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "img-src data:" in player.headers["Content-Security-Policy"]
    page = CapturedPage.objects.get()
    piece = client.get(f"{base}seen/{page.pk}/0/")
    events = [json.loads(line) for line in piece.content.decode().split("\n")]
    assert [event["type"] for event in events] == [4, 2]
    assert events[1]["data"]["node"]["text"] == "</script><b>é"
    post(attempt, 1, seen(20.0))
    more = client.get(f"{base}seen/{page.pk}/0/?to=1").content.decode()
    assert more == piece.content.decode() + "\n" + client.get(f"{base}seen/{page.pk}/1/").content.decode()
    monkeypatch.setattr(viewing, "MOST_BYTES", 10)
    assert client.get(f"{base}seen/{page.pk}/0/?to=1").status_code == 400
    assert client.get(f"{base}seen/{page.pk}/7/").status_code == 404
    assert client.get(f"{base}seen/{page.pk + 1}/0/").status_code == 404
