"""A capture's posts: each piece once, within limits, only where the recording asks for it, placed by the page's own clock."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections

from recorder import recordings
from recorder.capture import ingest as taking
from recorder.capture.ingest import ingest
from recorder.capture.query import events_of, page_events, pages_of
from recorder.environments.base import Session
from recorder.errors import FootpathError
from recorder.ingest import ingest as ingest_events
from recorder.models import CaptureChunk, CapturedPage, Recording
from tests.recorder.test_ingest import body as events_body
from tests.recorder.test_ingest import event, note

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ORIGIN = START.timestamp() * 1000 + 500


def new_recording(*, capture: bool = True) -> Recording:
    session = Session("s1", "http://127.0.0.1:9", "/", "Shop", None)
    recording = recordings.open_recording(session=session, adapter="http", capture=capture)
    recordings.start_recording(recording, START)
    return recording


@pytest.fixture
def recording() -> Recording:
    return new_recording()


def seen(at: float, kind: int = 3, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "timestamp": at}


def body(n: int, *events: Any, **header: Any) -> bytes:
    told = {"v": 1, "page": "p1", "n": n, "time_origin": ORIGIN, "url": "http://shop.test/"} | header
    return "\n".join([json.dumps(told), *map(json.dumps, events)]).encode()


def told(recording: Recording, raw: bytes, **options: Any) -> tuple[int, str]:
    with pytest.raises(FootpathError) as error:
        ingest(recording.pk, raw, **options)
    return error.value.status, error.value.code


def test_a_piece_is_stored_once_and_read_on_the_recordings_clock(recording: Recording) -> None:
    raw = body(0, seen(10.0, 4, href="/"), seen(12.5, 2, node={"id": 1}))
    ingest_events(recording, events_body(event(0), docs=[note(last=0, time_origin=ORIGIN)], sent=1000.0), START)
    assert [ingest(recording.pk, raw).stored for _ in range(2)] == [True, False]
    ingest(recording.pk, body(1, seen(700.0, source=1), final=True))
    (page,) = pages_of(recording)
    assert (page.doc, page.tab, page.events, page.chunks, page.missing) == ("d1", 1, 3, 2, "")
    times = [one["timestamp"] for one in page_events(page)]
    assert times == [round(at + page.offset_ms, 1) for at in (10.0, 12.5, 700.0)]
    assert (page.first, page.last) == (times[0], times[-1])
    assert [one["data"] for one in page_events(page, 1, 1)] == [{"source": 1}]


def test_two_connections_store_one_piece_once(transactional_db: Any) -> None:
    recording = new_recording()
    both = threading.Barrier(2)

    def post() -> None:
        both.wait()
        ingest(recording.pk, body(0, seen(1.0)))
        connections.close_all()

    threads = [threading.Thread(target=post) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (CapturedPage.objects.count(), CaptureChunk.objects.count()) == (1, 1)


def test_pages_come_in_the_order_in_which_they_were_seen(recording: Recording) -> None:
    for page, later in (("late", 9000), ("early", 0)):
        ingest(recording.pk, body(0, seen(5.0), page=page, time_origin=ORIGIN + later))
    assert [(page.row.page, page.doc, page.tab) for page, _ in events_of(recording)] == [
        ("early", None, None),
        ("late", None, None),
    ]
    assert [one["timestamp"] for _, events in events_of(recording) for one in events] == [505.0, 9505.0]


def test_what_is_missing_is_said(recording: Recording) -> None:
    ingest(recording.pk, body(0, seen(1.0)))
    ingest(recording.pk, body(3, seen(9.0), lost=7, fault="it broke"))
    recordings.close_recording(recording)
    missing = pages_of(recording)[0].missing
    assert "2 of 4 pieces never arrived" in missing
    assert "7 events had to be dropped" in missing
    assert "it broke" in missing
    assert "without a word" in missing


def test_a_post_without_events_only_says_how_far_the_page_came(recording: Recording) -> None:
    ingest(recording.pk, body(-1))
    assert (pages_of(recording)[0].chunks, pages_of(recording)[0].missing) == (0, "")
    ingest(recording.pk, body(0, final=True))
    assert pages_of(recording)[0].missing == "1 of 1 pieces never arrived"


def test_last_words_come_in_any_order_and_a_page_may_come_back(recording: Recording) -> None:
    for raw, ended in (
        (body(0, seen(1.0)), False),
        (body(2, final=True), True),
        (body(1, seen(2.0)), True),
        (body(2, seen(3.0)), True),
        (body(3, seen(9.0)), False),
    ):
        ingest(recording.pk, raw)
        assert CapturedPage.objects.get().ended is ended
    assert pages_of(recording)[0].missing == ""


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff",
        b"[]",
        body(0, v=2),
        body(0, page="a b"),
        body(-1, seen(1.0)),
        body(0, time_origin="soon"),
        body(0, lost=-1),
        body(0, seen(1.0), {"type": 9, "data": {}, "timestamp": 1}),
        body(0, {"type": 3, "data": {}, "timestamp": None}),
        body(0) + b"\nnot json",
    ],
)
def test_a_malformed_post_leaves_nothing(recording: Recording, raw: bytes) -> None:
    assert told(recording, raw) == (400, "malformed")
    assert not CapturedPage.objects.exists()


def test_a_recording_that_does_not_ask_for_it_takes_nothing() -> None:
    assert told(new_recording(capture=False), body(0, seen(1.0))) == (404, "unknown_recording")


def test_a_closed_recording_takes_the_last_piece_and_then_no_more(recording: Recording) -> None:
    recordings.close_recording(recording)
    recording.refresh_from_db()
    assert recording.closed_at is not None
    assert ingest(recording.pk, body(0, seen(1.0)), recording.closed_at + timedelta(seconds=5)).state == "closed"
    late = recording.closed_at + timedelta(seconds=taking.LATE_S + 1)
    assert told(recording, body(1, seen(2.0)), received_at=late) == (410, "closed")
    assert CaptureChunk.objects.count() == 1


def test_limits(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "MAX_PAGES", 1)
    monkeypatch.setattr(taking, "MAX_KEPT_BYTES", 200)
    ingest(recording.pk, body(0, seen(1.0)))
    noise = "".join(chr(48 + (i * 7919) % 75) for i in range(400))
    assert told(recording, body(1, seen(2.0, text=noise))) == (413, "full")
    assert told(recording, body(0, page="p2")) == (413, "full")
    monkeypatch.setattr(taking, "MAX_POST_BYTES", 20)
    assert told(recording, body(0, seen(1.0))) == (413, "too_large")


def test_a_capture_goes_with_its_recording(recording: Recording) -> None:
    ingest(recording.pk, body(0, seen(1.0)))
    recording.delete()
    assert not CaptureChunk.objects.exists()
