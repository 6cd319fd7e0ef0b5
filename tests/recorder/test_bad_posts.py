"""Bad input over the wire: clear codes, nothing lost that was good, nothing stored twice."""

from __future__ import annotations

import gzip
import socket
import tracemalloc
from typing import Any

import pytest

from recorder import recordings
from recorder.capture.ingest import MAX_POST_BYTES
from recorder.capture.script import CAPTURE
from recorder.gateway import asgi
from recorder.models import CapturedPage, Document, Event, Recording, RefusedEvent
from tests.e2e.server import Live
from tests.recorder.conftest import Browser, Got
from tests.recorder.test_ingest import body, event, note

MIB = 1024 * 1024
PATH = "/__footpath__/events"


def post(browser: Browser, data: Any, **headers: str) -> Got:
    return browser.ask("POST", PATH, data, **({"Content_Type": "application/x-ndjson"} | headers))


def told(got: Got) -> tuple[int, str]:
    return got.status, got.json()["code"]


@pytest.mark.parametrize("key", ["a" * 26, "x", "a.b", "%00", "' or 1=1 --"])
def test_a_forged_key(live: Live, recording: Recording, settings: Any, key: str) -> None:
    forged = Browser(live.port, f"{key}.{settings.ENV_HOST}:{live.port}")
    assert told(post(forged, body(event(0)))) == (404, "unknown_recording")
    assert told(post(forged, b"x" * 10 * MIB, Connection="close")) == (404, "unknown_recording")
    assert not Event.objects.exists()


def test_a_closed_recording(browser: Browser, recording: Recording) -> None:
    assert post(browser, body(event(0))).status == 200
    recordings.close_recording(recording)
    assert told(post(browser, body(event(0), event(1)))) == (410, "closed")
    assert Event.objects.count() == 1


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe\n", b"[]\n", b'{"v":9}\n', b'{"v":1,"sent":1,"docs":[{}]}\n', b"\n" * 5]
)
def test_a_malformed_header(browser: Browser, raw: bytes) -> None:
    assert told(post(browser, raw)) == (400, "malformed")
    assert not Document.objects.exists()
    assert post(browser, body(event(0))).json()["ack"] == {"d1": 0}


def test_a_body_over_the_limit_that_says_so_is_not_read(live: Live, browser: Browser, settings: Any) -> None:
    limit = settings.RECORDER_MAX_BATCH_BYTES
    with socket.create_connection(("127.0.0.1", live.port), 10) as wire:
        head = f"POST {PATH} HTTP/1.1\r\nHost: {browser.host}\r\nContent-Length: {limit + 1}\r\n\r\n"
        wire.sendall(head.encode())
        assert wire.recv(4096).startswith(b"HTTP/1.1 413")
    assert not Document.objects.exists()


@pytest.mark.parametrize("path", [PATH, CAPTURE])
@pytest.mark.parametrize("told_length", [True, False])
def test_a_body_far_over_the_limit_gets_an_answer_that_its_sender_can_read(
    browser: Browser, recording: Recording, path: str, told_length: bool
) -> None:
    Recording.objects.filter(pk=recording.pk).update(capture=True)
    pieces = (b"x" * MIB for _ in range(40))
    length = {"Content_Length": str(40 * MIB)} if told_length else {}
    tracemalloc.start()
    got = browser.ask("POST", path, pieces, **length)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told(got) == (413, "too_large")
    assert got.header("connection") == "close"
    assert peak < (MIB if told_length else 2 * MAX_POST_BYTES) + 8 * MIB
    assert not Document.objects.exists()
    assert not CapturedPage.objects.exists()


def test_what_follows_a_refused_body_is_not_read_for_ever(
    live: Live, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi, "READ_ON", MIB)
    head = f"POST {PATH} HTTP/1.1\r\nHost: {browser.host}\r\nContent-Length: {10**12}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", live.port), 10) as wire, pytest.raises(ConnectionError):
        wire.sendall(head + b"x" * 32 * MIB)


def test_a_body_over_the_limit_that_does_not_say_so_is_cut_off(live: Live, browser: Browser, settings: Any) -> None:
    settings.RECORDER_MAX_BATCH_BYTES = 100_000
    head = f"POST {PATH} HTTP/1.1\r\nHost: {browser.host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", live.port), 10) as wire:
        wire.sendall(head + (b"2710\r\n" + b"x" * 10_000 + b"\r\n") * 11)  # it never ends, and is answered all the same
        assert wire.recv(4096).startswith(b"HTTP/1.1 413")
    assert post(browser, body(event(0))).status == 200


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "deflate, gzip"])
def test_a_body_packed_in_another_way_is_not_unpacked(browser: Browser, encoding: str) -> None:
    bomb = gzip.compress(b"0" * 3_000_000)
    assert told(post(browser, bomb, Content_Encoding=encoding)) == (415, "encoding")
    assert not Document.objects.exists()


def test_a_packed_body_is_unpacked_up_to_the_limit(browser: Browser, settings: Any) -> None:
    settings.RECORDER_MAX_BATCH_BYTES = 100_000
    whole = gzip.compress(body(event(0)))
    assert told(post(browser, gzip.compress(b"0" * 3_000_000), Content_Encoding="gzip")) == (413, "too_large")
    assert told(post(browser, whole[:-4], Content_Encoding="gzip")) == (400, "malformed")
    assert told(post(browser, b"no gzip", Content_Encoding="gzip")) == (400, "malformed")
    assert not Document.objects.exists()
    assert post(browser, whole, Content_Encoding="gzip").status == 200


def test_a_clock_in_the_future(browser: Browser, recording: Recording) -> None:
    assert post(browser, body(event(0, p=5.0), sent=10.0)).status == 200
    before = recordings.raw_events(recording)[0]["t"]
    assert told(post(browser, body(event(1), sent=1e15))) == (400, "malformed")
    reply = post(browser, body(event(1, p=1e15), event(2, p=6.0), sent=11.0)).json()
    assert [(entry["n"], entry["code"]) for entry in reply["refused"]] == [(1, "schema")]
    assert reply["ack"] == {"d1": 2}
    assert abs(recordings.raw_events(recording)[0]["t"] - before) < 1000


def test_another_documents_clock_in_the_future_moves_nobody_else(browser: Browser, recording: Recording) -> None:
    post(browser, body(event(0, p=5.0), sent=10.0))
    before = recordings.raw_events(recording)[0]["t"]
    docs = [note("ahead", last=0, keys=("z",))]
    assert post(browser, body(event(0, doc="ahead", p=9e9), docs=docs, sent=9e9)).status == 200
    events = {event["doc"]: event["t"] for event in recordings.raw_events(recording)}
    assert events["d1"] == before
    assert abs(events["ahead"] - before) < 60_000


def test_one_bad_event_in_a_batch_that_is_sent_twice(browser: Browser) -> None:
    batch = body(event(0), event(1, p="soon"), event(2), event(3) | {"n": 10**400}, docs=[note(last=2)])
    first, again = post(browser, batch).json(), post(browser, batch).json()
    assert first == again
    assert first["ack"] == {"d1": 2}
    assert [entry["code"] for entry in first["refused"]] == ["schema", "schema"]
    assert (Event.objects.count(), RefusedEvent.objects.filter(n=1).count()) == (2, 1)


def test_other_methods(browser: Browser) -> None:
    assert told(browser.ask("GET", PATH)) == (405, "method")
    assert told(browser.ask("PUT", PATH, b"x")) == (405, "method")
    assert browser.ask("OPTIONS", PATH).status == 204
