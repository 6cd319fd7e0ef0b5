"""The request log holds a request's values only where the pages that were open vouch for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recorder.gateway.log import Seen, add_values, write
from recorder.gateway.vouch import Told, may_keep, told
from recorder.models import UNSEEN, Recording, SiteRequest
from recorder.recordings import start_recording
from tests.recorder.test_ingest import START, new_recording, note, post

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


LIVING = Told(at(2), None, None)
WORDS = {
    "no page was heard": ([], 10, None),
    "a page told later": ([LIVING], 10, True),
    "it is too soon": ([LIVING], 2, None),
    "a page was heard before it alone": ([LIVING, Told(at(0.5), None, None)], 10, None),
    "it never came to be certain": ([LIVING, Told(at(0.5), None, None)], 40, False),
    "a page that crashed long ago": ([LIVING, Told(at(-60), None, None)], 10, True),
    "a page that held a secret": ([LIVING, Told(at(2), None, at(-20))], 10, False),
    "one that held it later": ([Told(at(9), None, at(5))], 10, True),
    "one that has just gone": ([LIVING, Told(at(-2), at(-2), at(-20))], 10, False),
    "one that went before": ([LIVING, Told(at(-9), at(-9), at(-20))], 10, True),
    "one that said farewell": ([Told(at(0.2), at(0.2), None)], 10, True),
}


@pytest.mark.parametrize("case", WORDS)
def test_pages_vouch(case: str) -> None:
    pages, now, kept = WORDS[case]
    assert may_keep(at(0), at(0.1), at(now), pages) is kept


def ask(recording: Recording, after: float) -> Seen:
    seen = Seen(recording.pk, START + timedelta(seconds=after), "POST", "/in?word=Tr0ub4dor", 200, 5.0)
    seen.request_body = b'{"word":"Tr0ub4dor","q":"tea","password":"x"}'
    seen.error = "InvalidURL: http://127.0.0.1/in?word=Tr0ub4dor"
    return seen


@pytest.mark.django_db
def test_values_follow_the_request_once_a_page_has_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recorder.gateway.vouch.GIVE_UP", timedelta.max)
    silent, plain, secret = new_recording(), new_recording(), new_recording()
    for recording in (silent, plain, secret):
        start_recording(recording, START)
    for recording in (plain, secret):
        post(recording, docs=[note()])
    post(plain, docs=[note()], sent=4000.0, after=4)
    post(secret, docs=[note(secret=1900.0)], sent=4000.0, after=4)
    waiting = write([ask(silent, 2), ask(plain, 2), ask(secret, 2), ask(secret, 0.2)])
    assert "Tr0ub4dor" not in str(list(SiteRequest.objects.values()))
    assert [one.seen.recording for one in add_values(waiting)] == [silent.pk]
    rows = SiteRequest.objects.order_by("pk")
    masked, open_ = '{"word":"***","q":"***","password":"***"}', '{"word":"Tr0ub4dor","q":"tea","password":"***"}'
    assert [row.request_body for row in rows] == [masked, open_, masked, open_]
    assert [row.path for row in rows] == [f"/in?word={word}" for word in ("***", "Tr0ub4dor", "***", "Tr0ub4dor")]
    assert {row.error for row in rows} == {"InvalidURL: http://127.0.0.1/in?word=***"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("the page's policy forbids all scripts", False),
        ("the document is encoded as zstd", False),
        ("a document of type application/xml", False),
        ("a document of type image/png", True),
        ("a document of type application/pdf", True),
    ],
)
def test_a_page_without_a_recorder_vouches_for_nothing(reason: str, kept: bool) -> None:
    recording = new_recording()
    start_recording(recording, START)
    post(recording, docs=[note()])
    shown = ask(recording, after=0.5)
    shown.error = f"{UNSEEN}: {reason}"
    write([shown])
    waiting = write([ask(recording, after=1)])
    post(recording, docs=[note()], sent=4000.0, after=4)
    pages = told([recording.pk], START)[recording.pk]
    assert may_keep(waiting[0].seen.arrived, waiting[0].seen.ended, START + timedelta(seconds=9), pages) is kept
