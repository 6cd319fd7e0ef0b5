"""Shorthand taken in: what it is like is found in the database, of this recording and document alone."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from recorder import memory, recordings
from recorder.errors import FootpathError
from recorder.ingest import Reply, ingest_together
from recorder.models import Event, Recording, RefusedEvent
from tests.recorder.test_ingest import body, event, new_recording, post
from tests.recorder.test_ingest_together import posted
from tests.recorder.test_shorthand import code, signed

pytestmark = pytest.mark.django_db(transaction=True)


def line(n: int, doc: str = "d1", **fields: Any) -> str:
    return json.dumps(event(n, doc) | {"p": n} | fields, separators=(",", ":"))


def short(
    *groups: Any, lines: list[str], who: Any = "d1", order: str | None = None, own: tuple[str, ...] = ()
) -> bytes:
    """The body that means `lines`, which are of one group each where `order` does not say otherwise."""
    events = [json.loads(one) for one in lines]
    check = zlib.adler32("\n".join(lines).encode()) % 1_000_003
    numbers = "".join(map(signed, (events[0]["n"], 0, 1, 42, check, 0)))
    placed = order if order is not None else "".join(code(i + 1) for i in range(len(lines)))
    coded = [one["p"] * 10 for one, group in zip(events, placed, strict=True) if group != "#"]
    times = "".join(code(int(time - before)) for before, time in zip([0, *coded], coded, strict=False))
    return "\n".join([json.dumps([2, who, numbers + times, placed, *groups]), *own]).encode()


def taken(recording: Recording, raw: bytes) -> Reply:
    (outcome,) = ingest_together([posted(recording, raw=raw)])
    if not isinstance(outcome, Reply):
        raise outcome
    return outcome


def refusal(recording: Recording, raw: bytes) -> tuple[int, str]:
    with pytest.raises(FootpathError) as caught:
        taken(recording, raw)
    return caught.value.status, caught.value.code


def bodies(recording: Recording) -> list[str]:
    return list(recording.events.order_by("n").values_list("body", flat=True))


def test_a_first_post_names_its_document_and_later_ones_are_like_it() -> None:
    recording = new_recording()
    whole = {"type": "click", "origin": "user", "x": 1, "later": "ü%s"}
    first, second = line(0, x=1, later="ü%s").replace("\\u00fc", "ü"), line(1, x=3, later="ü%s").replace("\\u00fc", "ü")
    entry = {"doc": "d1", "tab": {"keys": ["k"]}, "frame": "", "meta": {"url": "http://x/"}}
    assert taken(recording, short([whole], lines=[first], who=entry)).ack == {"d1": 0}
    assert taken(recording, short([1, "%a'"], lines=[second], who="d")).ack == {"d1": 1}
    assert bodies(recording) == [first, second]
    document = recording.documents.get()
    assert (document.meta, document.last, document.left, document.clock["rtt"]) == ({"url": "http://x/"}, 1, 1, 4.2)
    assert taken(recording, short([1, "%a'"], lines=[second], who="d")).stored == 0


def test_what_it_is_like_must_be_of_this_recording_and_document() -> None:
    mine, other = new_recording(), new_recording()
    post(mine, line(0, "d1"))
    post(mine, line(0, "x2"), docs=[{"doc": "x2", "last": 0}])
    post(other, line(0, "d1"), line(1, "d1"))
    like_the_second = short([1], lines=[line(2)])
    assert refusal(mine, like_the_second) == (409, "unlike")
    assert taken(other, like_the_second).ack == {"d1": 2}
    assert refusal(mine, short([1], lines=[line(1, "y3")], who="y3")) == (409, "unlike")
    assert Event.objects.filter(recording=mine).count() == 2


def test_a_beginning_that_two_documents_share_is_not_understood() -> None:
    recording = new_recording()
    for doc in ("abc1", "abc2"):
        post(recording, line(0, doc), docs=[{"doc": doc, "last": 0}])
    assert refusal(recording, short([1], lines=[line(1, "abc1")], who="abc")) == (409, "unlike")
    assert taken(recording, short([1], lines=[line(1, "abc1")], who="abc1")).ack == {"abc1": 1}


def test_a_refused_event_and_a_long_one_cannot_be_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = new_recording()
    post(recording, line(0, type="teleport"), line(1, text="x" * memory.MAX_LIKE))
    for back in (2, 1):
        assert refusal(recording, short([back], lines=[line(2)])) == (409, "unlike")


def test_events_that_break_the_schema_are_refused_one_by_one() -> None:
    recording = new_recording()
    post(recording, line(0))
    lines = [line(1), line(2, type="teleport"), line(3), "{broken", line(5, x="far")]
    groups = [[1], [{"type": "teleport", "origin": "user"}], [{"type": "click", "origin": "user", "x": "far"}]]
    raw = short(*groups, lines=[*lines[:3], line(4), lines[4]], order="$%$#&", own=(line(4),))
    reply = taken(recording, raw)
    assert [(one["n"], one["code"]) for one in reply.refused] == [(2, "schema"), (5, "schema")]
    assert reply.ack == {"d1": 5}
    assert bodies(recording) == [line(0), line(1), line(3), line(4)]
    assert RefusedEvent.objects.count() == 2
    assert not recordings.proof(recording).complete


def test_one_that_follows_a_bad_event_is_looked_at_itself() -> None:
    recording = new_recording()
    post(recording, line(0))
    lines = [line(1, x=1, origin="nobody"), line(2, x=2, origin="nobody")]
    reply = taken(recording, short([{"type": "click", "origin": "nobody", "x": 1}, "%a%"], lines=lines, order="$$"))
    assert [one["n"] for one in reply.refused] == [1, 2]


def test_many_posts_are_understood_with_one_query_and_one_bad_one_keeps_none_back() -> None:
    all_of_them = [new_recording() for _ in range(6)]
    for recording in all_of_them:
        post(recording, line(0))
    posts = [posted(recording, raw=short([1], lines=[line(1)])) for recording in all_of_them]
    posts[2] = posted(all_of_them[2], raw=short([1], lines=[line(7)]))
    posts[3] = posted(all_of_them[3], raw=b'[2,"d1","~",""]')
    posts[4] = posted(all_of_them[4], raw=body(line(1)))
    outcomes = ingest_together(posts)
    assert [getattr(one, "code", "stored") for one in outcomes] == [
        "stored",
        "stored",
        "unlike",
        "malformed",
        "stored",
        "stored",
    ]
    assert [len(bodies(recording)) for recording in all_of_them] == [2, 2, 1, 1, 2, 2]
    asked: list[str] = []
    real = memory.psycopg.Cursor.execute
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            memory.psycopg.Cursor,
            "execute",
            lambda own, query, *a, **k: (asked.append(query), real(own, query, *a, **k))[1],
        )
        memory.batches({post.recording: post.body for post in posts})
    assert asked == [memory.HELD]


@pytest.mark.parametrize(
    "raw",
    [b'[2,"d\\u0000","######",""]', b'[2,"\\ud800","######",""]', b"[2,\xff", b'[2,"d1","######","$",[2147483650]]'],
)
def test_forged_posts_never_reach_the_database(raw: bytes) -> None:
    recording = new_recording()
    with CaptureQueriesContext(connection) as queries:
        assert refusal(recording, raw) == (400, "malformed")
    assert not queries
