"""The attempt viewer: its lists a piece at a time, the timeline, what stands beside it, and that it cleans nothing again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotate.actions import rounds
from annotate.models import Attempt, Cleaning, Person, Round
from recorder.models import SiteRequest
from tasks_admin.viewer import timeline, trace
from tasks_admin.viewer.lists import Lists
from tests.annotate.test_rounds import attempt_of, complete, ready
from tests.cast import Cast


def client(who: Person) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


@pytest.fixture
def done(cast: Cast) -> Round:
    return complete(cast, cast.ann)


def get(cast: Cast, attempt: Attempt, path: str) -> Any:
    return json.loads(client(cast.lead).get(f"/studies/tea/attempts/{attempt.pk}/{path}").content)


def test_the_lists_come_a_piece_at_a_time(cast: Cast, done: Round) -> None:
    cold = attempt_of(done, "cold")
    raw = get(cast, cold, "rows/raw/?from=1&count=5")
    assert (raw["total"], raw["first"], [row["index"] for row in raw["rows"]]) == (2, 1, [1])
    assert raw["rows"][0]["type"] == "click"
    assert get(cast, cold, "rows/steps/?raw=1&count=1")["place"] == 1
    lists = Lists(cold)
    assert lists.place("raw", at=lists.order.times[1]) == 1
    assert lists.place("steps", at=lists.order.times[1] + 1) is None
    assert get(cast, cold, "events/1/")["n"] == 1
    lead = client(cast.lead)
    base = f"/studies/tea/attempts/{cold.pk}/"
    assert lead.get(base + "rows/raw/?count=5000").status_code == 400
    assert lead.get(base + "rows/nonsense/").status_code == 404
    assert lead.get(base + "events/2/").status_code == 404
    assert client(cast.other_lead).get(f"/studies/coffee/attempts/{cold.pk}/rows/raw/").status_code == 404


def test_what_is_stored_is_shown_and_not_cleaned_again(
    cast: Cast, done: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "clean_events", lambda *_: pytest.fail("it was cleaned again"))
    assert client(cast.lead).get(f"/studies/tea/attempts/{attempt_of(done, 'cold').pk}/").status_code == 200


def test_an_attempt_that_runs_is_shown_too(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    cold = attempt_of(round_, "cold")
    assert client(cast.lead).get(f"/studies/tea/attempts/{cold.pk}/").status_code == 200
    rounds.start_attempt(round_, cast.ann)
    assert client(cast.lead).get(f"/studies/tea/attempts/{cold.pk}/").status_code == 200
    assert not Cleaning.objects.exists()


def test_the_order_is_that_of_cleaning(cast: Cast, done: Round) -> None:
    cold = attempt_of(done, "cold")
    assert cold.recording is not None
    order = Lists(cold).order
    events = trace.recordings.raw_events(cold.recording)
    assert [round(t, 1) for t in order.times] == [event["t"] for event in events]
    assert trace.raw_piece(cold.recording, order, 0, 9) == events


def test_lanes_hold_every_event_and_failed_requests_apart(cast: Cast, done: Round) -> None:
    cold = attempt_of(done, "cold")
    assert cold.recording is not None
    for t, status in ((1, 200), (2, 503), (3, 0)):
        SiteRequest.objects.create(recording=cold.recording, t=t, ms=1, method="GET", path="/a", status=status)
    lists = Lists(cold)
    found = timeline.timeline_of(cold.recording, lists.order, lists.steps, 60_000)
    assert {lane.name: lane.count for lane in found.lanes} == {"pointer": 2, "requests": 3}
    assert found.lanes[1].failed.count("M") == 1
    assert [one["label"] for one in found.ticks] == ["0:00", "0:10", "0:20", "0:30", "0:40", "0:50", "1:00"]
    assert len(found.firsts) == timeline.BINS
    assert found.firsts == sorted(found.firsts)
    assert found.firsts[-1] == 2
    assert get(cast, cold, "rows/requests/")["rows"][2]["type"] == "no answer"


def test_the_others_stand_beside_it_the_nearest_first(cast: Cast, done: Round) -> None:
    complete(cast, cast.bob)
    page = client(cast.lead).get(f"/studies/tea/attempts/{attempt_of(done, 'warm').pk}/")
    assert [other.words for other in page.context["others"]] == [
        "cold, same round",
        "warm, primary, intervention",
        "cold, primary, intervention",
    ]
    assert page.context["beside"].alignment.distance == 0
    theirs = page.context["others"][1].attempt
    page = client(cast.lead).get(f"/studies/tea/attempts/{attempt_of(done, 'warm').pk}/?against={theirs.pk}")
    assert page.context["beside"].other.attempt == theirs
    assert "Side by side with warm, primary, intervention" in page.content.decode()


def test_a_hundred_kilobytes_of_comment_are_shown_whole_as_text(cast: Cast, done: Round) -> None:
    text = "<img src=x onerror=alert(1)> \u05e9\u05dc\u05d5\u05dd \U0001f600 " + "long " * 20_000
    rounds.rate(done, {}, text)
    page = client(cast.lead).get(f"/studies/tea/attempts/{attempt_of(done, 'warm').pk}/").content.decode()
    assert "&lt;img src=x onerror=alert(1)&gt; \u05e9\u05dc\u05d5\u05dd \U0001f600 " + "long " * 20_000 in page
    assert "<img src=x" not in page
