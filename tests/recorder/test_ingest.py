"""Ingest: one function, idempotent, honest about what it refuses, safe with two connections."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction

from recorder import recordings, schema
from recorder.environments.base import Session
from recorder.errors import FootpathError
from recorder.ingest import Reply, ingest
from recorder.models import Document, Event, Recording, RefusedEvent
from recorder.trace import build_trace, trace_schema

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def new_recording() -> Recording:
    session = Session("s1", "http://127.0.0.1:9", "/?session=s1", "Shop", None, ("/harness/*",))
    return recordings.open_recording(session=session, adapter="http", environment="shop", task="buy", seed=7)


@pytest.fixture
def recording() -> Recording:
    opened = new_recording()
    recordings.start_recording(opened, START)
    return opened


def event(n: int, doc: str = "d1", **fields: Any) -> dict[str, Any]:
    return {"doc": doc, "n": n, "p": 10.0 * n, "type": "click", "origin": "user"} | fields


def note(
    doc: str = "d1", last: int = -1, keys: tuple[str, ...] = ("k1",), frame: str = "", **meta: Any
) -> dict[str, Any]:
    return {"doc": doc, "last": last, "tab": {"keys": list(keys)}, "frame": frame, "meta": meta}


def body(*events: Any, docs: list[dict[str, Any]] | None = None, sent: float = 1000.0, **header: Any) -> bytes:
    docs = docs or [note(last=max((e["n"] for e in events if isinstance(e, dict)), default=-1))]
    lines = [json.dumps({"v": 1, "sent": sent, "rtt": None, "docs": docs} | header)]
    lines += [line if isinstance(line, str) else json.dumps(line) for line in events]
    return "\n".join(lines).encode()


def post(recording: Recording, *events: Any, after: float = 1.0, **options: Any) -> Reply:
    return ingest(recording, body(*events, **options), START + timedelta(seconds=after))


def test_lines_are_stored_verbatim_and_acknowledged(recording: Recording) -> None:
    line = '{"n": 0,  "doc":"d1","p":1.50,"type":"click","origin":"user","later":"\\u00e9"}'
    assert post(recording, line, docs=[note(last=0)]).as_json() == {
        "ack": {"d1": 0},
        "refused": [],
        "state": "open",
        "tab": {"d1": 1},
    }
    assert Event.objects.get().body == line


def test_sent_again_it_is_stored_once_and_acknowledged_the_same(recording: Recording) -> None:
    first = post(recording, event(0), event(1))
    again = post(recording, event(0), event(1))
    assert (first.stored, again.stored) == (2, 0)
    assert first.ack == again.ack == {"d1": 1}
    assert Event.objects.count() == 2


def test_what_the_database_says_is_told_as_django_does(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    post(recording, event(0))
    monkeypatch.setattr("recorder.ingest.STORE", "SELECT nonsense(%s, %s, %s, %s)")
    with pytest.raises(DatabaseError), transaction.atomic():
        post(recording, event(1))
    monkeypatch.undo()
    assert post(recording, event(1)).ack == {"d1": 1}


def test_the_acknowledgement_stops_at_a_gap_and_jumps_when_it_closes(recording: Recording) -> None:
    assert post(recording, event(0), event(2), event(3)).ack == {"d1": 0}
    assert post(recording, docs=[note(last=3)]).ack == {"d1": 0}
    assert post(recording, event(1)).ack == {"d1": 3}


def test_bad_events_are_refused_one_by_one_and_the_rest_taken(recording: Recording) -> None:
    reply = post(recording, event(0), event(1, type="teleport"), event(2), "{broken", docs=[note(last=2)])
    assert reply.ack == {"d1": 2}
    assert [(r["n"], r["code"]) for r in reply.refused] == [(1, "schema"), (None, "not_json")]
    assert "teleport" in reply.refused[0]["reason"]
    assert [e.n for e in Event.objects.order_by("n")] == [0, 2]
    assert RefusedEvent.objects.filter(n=1).count() == 1
    post(recording, event(1, type="teleport"), docs=[note(last=2)])
    assert RefusedEvent.objects.filter(n=1).count() == 1
    assert not recordings.proof(recording).complete


@pytest.mark.parametrize(
    ("lines", "last"),
    [([event(0, x="a")], 1), (['{"n":0,"n":7}'], 0), ([event(0, x="a"), event(1, x="b"), "{"], 2)],
)
def test_a_new_document_whose_first_events_are_all_refused(recording: Recording, lines: list[Any], last: int) -> None:
    reply = post(recording, *lines, docs=[note(last=last)])
    assert (len(reply.refused), reply.stored) == (len(lines), 0)
    assert Document.objects.get(recording=recording).doc == "d1"
    assert RefusedEvent.objects.filter(recording=recording).count() == len(lines)
    assert post(recording, event(last), docs=[note(last=last)]).stored == 1


def test_an_event_of_a_document_nobody_announced_is_refused(recording: Recording) -> None:
    reply = post(recording, event(0, doc="stranger"), docs=[note()])
    assert [(r["doc"], r["code"]) for r in reply.refused] == [("stranger", "unknown_document")]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "not a JSON object"),
        (b'{"v":2}', "protocol version 2"),
        (b'{"v":1,"sent":"x","docs":[]}', "'sent'"),
        (b'{"v":1,"sent":1e999,"docs":[]}', "'sent'"),
        (b'{"v":1,"sent":NaN,"docs":[]}', "NaN"),
        (b'{"v":1,"sent":1,"docs":[]}', "'docs'"),
        (b'{"v":1,"sent":1,"docs":[{"doc":"a b"}]}', "'doc'"),
        (b'{"v":1,"sent":1,"docs":[{"doc":"a","last":1.5}]}', "'last'"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_malformed_batch_stores_nothing(recording: Recording, raw: bytes, words: str) -> None:
    with pytest.raises(FootpathError) as raised:
        ingest(recording, raw)
    assert raised.value.status == 400
    assert words in raised.value.message
    assert not Document.objects.exists()


def test_over_the_limit_is_413(recording: Recording, settings: Any) -> None:
    settings.RECORDER_MAX_BATCH_BYTES = 100
    with pytest.raises(FootpathError) as raised:
        post(recording, event(0, text="x" * 200))
    assert raised.value.status == 413


def test_nul_and_half_characters_break_nothing(recording: Recording) -> None:
    odd = "a\x00b\ud800c\U0001f600"
    reply = post(
        recording, event(0, target={"name": odd}), docs=[note(last=0, keys=(odd,), frame=odd, title=odd, url="/")]
    )
    assert reply.ack == {"d1": 0}
    (stored,) = recordings.raw_events(recording)
    assert stored["target"]["name"] == "a\ufffdb\ufffdc\U0001f600"
    json.dumps(build_trace(recording), ensure_ascii=False).encode()


def test_a_closed_recording_answers_410_and_an_unknown_one_404(recording: Recording) -> None:
    recordings.close_recording(recording)
    for pk, status in ((recording.pk, 410), (recording.pk + 999, 404)):
        with pytest.raises(FootpathError) as raised:
            ingest(pk, body(event(0)))
        assert raised.value.status == status


def test_closing_waits_for_living_pages_and_proves_completeness(recording: Recording) -> None:
    now = datetime.now(UTC)
    recordings.start_recording(recording)
    ingest(recording, body(event(0), docs=[note(last=1)]), now)
    recordings.begin_closing(recording)
    assert not recordings.is_drained(recording)
    reply = ingest(recording, body(event(1), docs=[note(last=1)]), datetime.now(UTC))
    assert reply.state == "closing"
    assert recordings.is_drained(recording)
    proof = recordings.close_recording(recording)
    assert proof.as_dict() == {
        "complete": True,
        "documents": {"d1": {"last": 1, "received": 1}},
        "gaps": [],
        "blind": [],
    }


def test_a_page_that_has_not_spoken_yet_is_waited_for_a_little(recording: Recording) -> None:
    recordings.begin_closing(recording)
    assert not recordings.is_drained(recording)
    recording.closing_at = datetime.now(UTC) - timedelta(seconds=11)
    assert recordings.is_drained(recording)


def test_what_an_earlier_page_left_behind_is_waited_for(recording: Recording) -> None:
    now = datetime.now(UTC)
    ingest(recording, body(event(0, doc="old"), docs=[note("old")]), now - timedelta(seconds=60))
    recordings.begin_closing(recording)
    assert not recordings.is_drained(recording)  # a page may be loading that brings more
    ingest(recording, body(docs=[note("new")], left=1), datetime.now(UTC))
    assert not recordings.is_drained(recording)
    left = note("old", last=1, time_origin=1.0, closed=70.0)
    ingest(recording, body(event(1, doc="old"), docs=[note("new", time_origin=2.0), left]), datetime.now(UTC))
    assert recordings.is_drained(recording)
    assert recordings.close_recording(recording).complete


def test_a_page_that_could_not_reach_us_before_closing_is_waited_for(recording: Recording) -> None:
    now = datetime.now(UTC)
    for doc in ("away", "heard"):
        ingest(recording, body(event(0, doc=doc), docs=[note(doc, last=0, keys=(doc,))]), now - timedelta(seconds=60))
    recordings.begin_closing(recording)
    ingest(recording, body(docs=[note("heard", last=0, keys=("heard",))]), datetime.now(UTC))
    assert not recordings.is_drained(recording)
    recording.closing_at = datetime.now(UTC) - timedelta(seconds=11)
    assert recordings.is_drained(recording)


def test_a_page_that_follows_one_that_has_just_gone_is_waited_for(recording: Recording) -> None:
    now = datetime.now(UTC)
    ingest(recording, body(docs=[note("other", keys=("z",))]), now)
    ingest(recording, body(docs=[note("a")], final=True), now)
    recordings.begin_closing(recording)
    ingest(recording, body(docs=[note("other", keys=("z",))]), datetime.now(UTC))
    assert not recordings.is_drained(recording)
    ingest(recording, body(docs=[note("b")]), datetime.now(UTC))
    assert recordings.is_drained(recording)


def test_a_dead_page_whose_events_the_next_one_brings_is_still_dead(recording: Recording) -> None:
    post(recording, event(0, doc="dead"), docs=[note("dead", last=0, time_origin=1.0)])
    dead = note("dead", last=1, time_origin=1.0)
    post(recording, event(1, doc="dead"), docs=[note("live", keys=("z",), time_origin=2.0), dead], after=9.0)
    recordings.begin_closing(recording)
    gaps = recordings.close_recording(recording).gaps
    assert [(gap["doc"], gap["from"], gap["to"]) for gap in gaps if gap["doc"] == "dead"] == [("dead", 2, None)]


def test_what_was_on_its_way_when_the_page_left_does_not_bring_it_back(recording: Recording) -> None:
    post(recording, docs=[note(closed=4000.0)], sent=4000.5, final=True, after=4.0)
    post(recording, event(0), sent=3990.0, after=4.1)  # its worker's, by another connection
    document = Document.objects.get()
    assert (document.closed_at, document.received) == (START + timedelta(seconds=4.0), 0)
    assert recordings.is_whole(document)
    post(recording, event(1), sent=5200.0, after=5.2)  # out of the back-forward cache
    assert Document.objects.get().closed_at is None


def test_a_farewell_that_the_next_page_brings_keeps_the_tab(recording: Recording) -> None:
    post(recording, docs=[note("a", time_origin=1.0)])
    docs = [note("b", time_origin=2.0), note("a", time_origin=1.0, closed=50.0)]
    assert post(recording, docs=docs, after=2.0).tab == {"a": 1, "b": 1}
    assert Document.objects.get(doc="a").closed_at is not None


def test_the_proof_names_what_is_missing_and_the_page_that_died(recording: Recording) -> None:
    post(recording, event(0), event(3), event(4, type="blind", reason="closed shadow root"), docs=[note(last=6)])
    recordings.begin_closing(recording)
    proof = recordings.close_recording(recording)
    assert not proof.complete
    assert [(g["from"], g["to"]) for g in proof.gaps] == [(1, 2), (5, 6), (7, None)]
    body_of = json.loads(Event.objects.get(n=4).body)
    assert body_of["reason"] == "closed shadow root"


def test_time_comes_from_the_fastest_post_and_ignores_a_wrong_clock(recording: Recording) -> None:
    post(recording, event(0, p=100.0), after=1.500, sent=1000.0)  # came with 500 ms of lag
    post(recording, docs=[note(last=0)], after=2.040, sent=2000.0, rtt=20.0)
    post(recording, docs=[note(last=0)], after=9.0, sent=3000.0, rtt=4000.0)
    (only,) = recordings.raw_events(recording)
    assert only["t"] == 130.0
    assert "p" not in only


def test_a_dead_documents_events_are_placed_by_the_two_time_origins(recording: Recording) -> None:
    dead = note("dead", last=0, keys=("k1",), time_origin=50_000.0, closed=400.0)
    sender = note("live", keys=("k1",), time_origin=50_500.0)
    post(recording, event(0, doc="dead", p=300.0), docs=[sender, dead], after=1.0, sent=200.0)
    (only,) = recordings.raw_events(recording)
    assert only["t"] == 600.0  # the sender began at 800, the dead one 500 ms before it


def test_tabs_are_numbered_in_order_and_known_again_by_their_history(recording: Recording) -> None:
    assert post(recording, docs=[note("a", keys=("k1",))]).tab == {"a": 1}
    assert post(recording, docs=[note("b", keys=("x1",))]).tab == {"b": 2}
    post(recording, docs=[note("a", keys=("k1",))], final=True)
    assert post(recording, docs=[note("c", keys=("k1", "k2"))]).tab == {"c": 1}
    assert post(recording, docs=[note("f", keys=("k2",), frame="0")]).tab == {"f": 1}


def test_a_duplicated_tab_is_a_new_one_but_a_late_farewell_is_not(recording: Recording) -> None:
    post(recording, docs=[note("a", keys=("k1",))])
    assert post(recording, docs=[note("copy", keys=("k1",))]).tab == {"copy": 2}
    post(recording, docs=[note("a", keys=("k1",))], final=True, after=9.0)
    assert Document.objects.get(doc="copy").tab == 2
    post(recording, docs=[note("b", keys=("z",))], after=10.0)
    assert post(recording, docs=[note("next", keys=("z",))], after=11.0).tab == {"next": 4}
    post(recording, docs=[note("b", keys=("z",))], final=True, after=11.2)
    assert Document.objects.get(doc="next").tab == Document.objects.get(doc="b").tab


def test_a_farewell_that_comes_very_late_still_tells_by_the_browsers_clock(recording: Recording) -> None:
    old = {"keys": ("k",), "time_origin": 1000.0}
    new = {"keys": ("k",), "time_origin": 5000.0, "opened": 300.0}
    post(recording, docs=[note("old", **old)])
    assert post(recording, docs=[note("new", **new)]).tab == {"new": 2}
    assert post(recording, docs=[note("frame", keys=("k",), frame="0")]).tab == {"frame": 2}
    post(recording, docs=[note("old", **old, closed=4200.0)], final=True, after=60.0)
    assert set(Document.objects.values_list("doc", "tab")) == {("old", 1), ("new", 1), ("frame", 1)}


def test_the_page_that_came_after_may_bring_the_farewell(recording: Recording) -> None:
    old, new = {"keys": ("k",), "time_origin": 1000.0}, {"keys": ("k",), "time_origin": 5000.0, "opened": 300.0}
    post(recording, docs=[note("old", **old)])
    assert post(recording, docs=[note("new", **new)]).tab == {"new": 2}
    post(recording, docs=[note("new", **new), note("old", **old, closed=4200.0)], after=30.0)
    assert set(Document.objects.values_list("tab", flat=True)) == {1}


def test_a_duplicated_tab_stays_one_when_the_first_closes_soon(recording: Recording) -> None:
    old, copy = {"keys": ("k",), "time_origin": 1000.0}, {"keys": ("k",), "time_origin": 5000.0, "opened": 300.0}
    post(recording, docs=[note("old", **old)])
    assert post(recording, docs=[note("copy", **copy)]).tab == {"copy": 2}
    post(
        recording, docs=[note("old", **old, closed=5000.0)], final=True, after=1.0
    )  # at 6,000; the copy was up at 5,300
    assert Document.objects.get(doc="copy").tab == 2


def test_the_trace_keeps_its_schema(recording: Recording) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    post(
        recording,
        event(0, target={"css": "#go", "box": [0, 0, 1, 1]}),
        docs=[note(last=0, url="/", title="T", opened=1.0)],
    )
    trace = build_trace(recording, condition="clean", attempt="cold", verdict={"score": 1.0, "passed": True})
    jsonschema.Draft202012Validator(trace_schema()).validate(trace)
    assert [step["type"] for step in trace["steps"]] == ["click"]
    assert trace["counts"] == {"raw_events": 1, "cleaned_events": 1, "steps": 1}
    assert trace["documents"][0]["url"] == "/"


def in_threads(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls at the same moment, each on a database connection of its own."""
    barrier, results = threading.Barrier(len(calls)), [None] * len(calls)

    def run(place: int, call: Callable[[], Any]) -> None:
        try:
            barrier.wait(10)
            results[place] = call()
        except Exception as error:  # noqa: BLE001
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place, call)) for place, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


@pytest.mark.django_db(transaction=True)
def test_the_same_and_overlapping_batches_at_once_are_stored_once() -> None:
    recording = new_recording()
    batches = [range(40), range(40), range(20, 60), range(40, 80)]
    for _ in range(5):
        replies = in_threads(
            *(
                lambda numbers=numbers: ingest(recording.pk, body(*map(event, numbers), docs=[note(last=79)]))
                for numbers in batches
            )
        )
        assert all(isinstance(reply, Reply) for reply in replies), replies
    document = Document.objects.get()
    assert (document.last, document.received, Event.objects.count()) == (79, 79, 80)


@pytest.mark.django_db(transaction=True)
def test_two_documents_that_come_up_at_once_get_two_numbers() -> None:
    recording = new_recording()
    replies = in_threads(
        *(lambda name=name: ingest(recording.pk, body(docs=[note(name, keys=(name,))])) for name in ("a", "b", "c"))
    )
    assert sorted(number for reply in replies for number in reply.tab.values()) == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_closing_and_posting_at_once_never_loses_an_acknowledged_event() -> None:
    for _ in range(5):
        recording = new_recording()
        replies = in_threads(
            lambda pk=recording.pk: ingest(pk, body(*map(event, range(30)))),
            lambda which=recording: recordings.close_recording(which),
        )
        taken = isinstance(replies[0], Reply)
        assert taken or replies[0].status == 410
        assert recording.events.count() == (30 if taken else 0)


def test_ingest_costs_the_same_number_of_queries_for_any_number_of_events(
    recording: Recording, django_assert_max_num_queries: Any
) -> None:
    post(recording, event(0))
    with django_assert_max_num_queries(8):
        post(recording, *map(event, range(1, 500)))
    assert connection.vendor == "postgresql"


def test_an_unreadable_line_that_comes_again_is_kept_once(recording: Recording) -> None:
    for _ in range(3):
        post(recording, "no JSON", "neither", docs=[note()])
    assert sorted(RefusedEvent.objects.values_list("body", flat=True)) == ["neither", "no JSON"]


@pytest.mark.parametrize("number", ["1e400", "NaN", "-Infinity", "[1e301]"])
def test_a_number_that_is_none_in_what_is_said_of_a_page_is_refused(recording: Recording, number: str) -> None:
    text = body(docs=[note(zoom="@")]).decode().replace('"@"', number)
    with pytest.raises(FootpathError, match="malformed"):
        ingest(recording, text.encode(), START)
    assert not Document.objects.exists()


def test_no_number_is_so_large_that_a_recording_cannot_be_closed(recording: Recording) -> None:
    for last in (2_147_483_647, schema.MAX_N + 1):
        with pytest.raises(FootpathError, match="'last' must be"):
            post(recording, docs=[note(last=last)])
    post(recording, docs=[note("here", keys=("k2",))])
    post(recording, docs=[note("gone", last=schema.MAX_N, closed=1e300)], final=True)
    post(recording, docs=[note("here", keys=("k2",))], after=20.0)
    recordings.begin_closing(recording)
    proof = recordings.close_recording(recording)
    assert [(gap["from"], gap["to"]) for gap in proof.gaps if gap["doc"] == "gone"] == [(0, schema.MAX_N)]
