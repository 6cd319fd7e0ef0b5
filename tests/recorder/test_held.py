"""What is held of many recordings, read at once, is what is held of each: events, documents, proof."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from recorder import fast, recordings
from recorder.cleaning.order import ordered
from recorder.held import held_of
from recorder.models import UNSEEN, Recording, SiteRequest
from tests.recorder.test_ingest import START, event, new_recording, note, post

pytestmark = pytest.mark.django_db


def recorded() -> Recording:
    """Two pages: one with a gap, a refused line and a blind spot, of which nothing more was heard, one with halves of characters."""
    recording = new_recording()
    recordings.start_recording(recording, START)
    blind = json.dumps(event(4, type="blind", reason="closed shadow root"), separators=(",", ":"))
    post(recording, event(0), event(1, type="teleport"), event(3), blind, docs=[note(last=6)])
    half = json.dumps(event(0, "d2", type="navigate", url="/\ud83d", how="load"))
    post(recording, half, event(1, "d2", frame="0"), docs=[note("d2", last=1, keys=("k2",))], after=2.0)
    SiteRequest.objects.create(
        recording=recording, t=12.0, ms=1, method="GET", path="/frame", status=200, error=f"{UNSEEN}: policy"
    )
    recordings.close_recording(recording)
    return recording


def test_it_is_what_is_held_of_each() -> None:
    mine = [recorded(), new_recording(), recorded()]
    for recording, held in zip(mine, held_of(mine), strict=True):
        assert held.recording.pk == recording.pk
        assert ordered(held.events) == recordings.raw_events(recording)
        assert held.proof == recordings.proof(recording)
        assert held.documents == list(recording.documents.order_by("opened_at", "pk"))
    assert [(gap["doc"], gap["from"], gap["to"]) for gap in held.proof.gaps][:2] == [("d1", 2, 2), ("d1", 5, 6)]
    assert [spot["reason"] for spot in held.proof.blind] == [f"{UNSEEN}: policy", "closed shadow root"]


def test_it_asks_no_more_for_more_recordings() -> None:
    def queries(mine: list[Recording]) -> int:
        with CaptureQueriesContext(connection) as caught:
            assert len(list(held_of(mine))) == len(mine)
        return len(caught)

    first = recorded()
    assert queries([first]) == queries([first, recorded(), recorded()])


def test_what_the_fast_parser_refuses_is_parsed_all_the_same() -> None:
    deep = "[" * 500 + "]" * 500
    assert fast.parsed(deep) == json.loads(deep)
    assert fast.parsed('["\\ud83d"]') == ["\ud83d"]
    assert fast.parsed(b'{"a": 1.5}') == {"a": 1.5}
    with pytest.raises(ValueError, match="Expecting"):
        fast.parsed("{")
