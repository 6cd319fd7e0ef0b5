"""Posts of several recordings in one transaction: none keeps another back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DataError, connections, transaction

from recorder import recordings
from recorder.errors import FootpathError
from recorder.ingest import Post, RecordingHeld, Reply, ingest_together
from recorder.models import Event, Recording
from tests.recorder.test_ingest import body, event, new_recording, note

pytestmark = pytest.mark.django_db(transaction=True)


def posted(recording: Recording | int, *events: Any, raw: bytes | None = None) -> Post:
    pk = recording if isinstance(recording, int) else recording.pk
    return Post(pk, raw if raw is not None else body(*events), datetime.now(UTC))


@contextmanager
def held_elsewhere(recording: Recording) -> Iterator[None]:
    """The recording's row is held by another connection."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                Recording.objects.select_for_update().get(pk=recording.pk)
                held.set()
                done.wait(30)
        finally:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(30)
    try:
        yield
    finally:
        done.set()
        thread.join(30)


def test_each_gets_its_own_reply() -> None:
    first, second = new_recording(), new_recording()
    outcomes = ingest_together([posted(second, event(0), event(1)), posted(first, event(0))])
    assert [(one.ack, one.stored) for one in outcomes if isinstance(one, Reply)] == [({"d1": 1}, 2), ({"d1": 0}, 1)]
    assert [recording.events.count() for recording in (first, second)] == [1, 2]


def test_one_that_cannot_be_stored_keeps_none_back() -> None:
    good, over = new_recording(), new_recording()
    recordings.close_recording(over)
    outcomes = ingest_together([posted(over, event(0)), posted(10**9, raw=b"no header"), posted(good, event(0))])
    codes = [one.code if isinstance(one, FootpathError) else type(one).__name__ for one in outcomes]
    assert codes == ["closed", "malformed", "Reply"]
    assert [event.recording_id for event in Event.objects.all()] == [good.pk]


def test_nobody_waits_for_a_recording_that_is_held() -> None:
    free, busy = new_recording(), new_recording()
    with held_elsewhere(busy):
        outcomes = ingest_together([posted(busy, event(0)), posted(free, event(0))])
        assert [type(one) for one in outcomes] == [RecordingHeld, Reply]
        assert [recording.events.count() for recording in (busy, free)] == [0, 1]
    (reply,) = ingest_together([posted(busy, event(0))])
    assert isinstance(reply, Reply)


def test_one_that_is_unknown_is_told_so_by_itself() -> None:
    known = new_recording()
    outcomes = ingest_together([posted(10**9, event(0)), posted(known, event(0))])
    assert [type(one) for one in outcomes] == [RecordingHeld, Reply]
    (error,) = ingest_together([posted(10**9, event(0))])
    assert isinstance(error, FootpathError)
    assert (error.code, error.status) == ("unknown_recording", 404)


def test_what_the_database_refuses_of_one_is_stored_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = new_recording(), new_recording()
    posts = [posted(first, event(0)), posted(second, event(0))]
    store = "INSERT INTO recorder_event (recording_id, document_id, n, body) SELECT %s, %s, %s::int, %s"
    monkeypatch.setattr("recorder.ingest.STORE", store.replace("%s::int", "(%s || 'x')::int"))
    assert [type(one) for one in ingest_together(posts)] == [RecordingHeld, RecordingHeld]
    with pytest.raises(DataError):
        ingest_together(posts[:1])
    assert not Event.objects.exists()


def test_two_posts_of_one_recording_take_turns() -> None:
    recording = new_recording()
    with pytest.raises(ValueError, match="take turns"):
        ingest_together([posted(recording, event(0)), posted(recording, event(1))])


def test_a_new_document_beside_a_known_one() -> None:
    first, second = new_recording(), new_recording()
    ingest_together([posted(first, event(0)), posted(second, event(0))])
    frame = body(event(0, doc="f1"), docs=[note("f1", last=0, frame="0")])
    outcomes = ingest_together([posted(first, event(1)), posted(second, raw=frame)])
    assert [one.ack for one in outcomes if isinstance(one, Reply)] == [{"d1": 1}, {"f1": 0}]
    assert second.documents.count() == 2
