"""Tabs that the person closed are told once the recording is closed; what only looks like it is not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from recorder import recordings
from recorder.models import Document, Recording
from tests.recorder.test_ingest import START, event, new_recording, note, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def recording() -> Recording:
    opened = new_recording()
    recordings.start_recording(opened, START)
    return opened


def two_tabs(recording: Recording, **end: Any) -> None:
    """Two tabs; the second says farewell at 3 s, the first is heard after that."""
    post(recording, event(0), docs=[note("d1", 0, ("k1",))], after=1)
    post(recording, event(0, "d2"), docs=[note("d2", 0, ("k2",))], after=2)
    post(recording, docs=[note("d2", 0, ("k2",), closed=1900.0, **end)], after=3, final=True)
    post(recording, docs=[note("d1", 0, ("k1",))], after=4)
    Recording.objects.filter(pk=recording.pk).update(closing_at=START + timedelta(seconds=5))


def closings(recording: Recording) -> list[tuple[int, str, float]]:
    recordings.close_recording(recording)
    return [(e["tab"], e["origin"], e["n"]) for e in recordings.raw_events(recording) if e["type"] == "tab"]


def test_a_tab_that_was_closed(recording: Recording) -> None:
    two_tabs(recording)
    assert closings(recording) == [(2, "user", 1)]
    page = Document.objects.get(doc="d2")
    assert (page.last, page.received) == (1, 1)
    assert closings(recording) == [(2, "user", 1)]  # closing again adds nothing


@pytest.mark.parametrize("end", ["closed", "kept", "navigation"])
def test_a_tab_that_went_otherwise(recording: Recording, end: str) -> None:
    two_tabs(recording, end=end)
    assert closings(recording) == []


def test_a_farewell_that_came_late_counts_from_when_it_was_said(recording: Recording) -> None:
    two_tabs(recording)
    Recording.objects.filter(pk=recording.pk).update(closing_at=START + timedelta(seconds=2.95))
    assert closings(recording) == [(2, "user", 1)]  # said at 2.9 s, heard at 3 s


def test_one_closed_after_closing_began_is_not_the_persons(recording: Recording) -> None:
    two_tabs(recording)
    Recording.objects.filter(pk=recording.pk).update(closing_at=START + timedelta(seconds=2.8))
    assert closings(recording) == []


def test_the_last_tab_is_the_end_of_the_recording(recording: Recording) -> None:
    two_tabs(recording)
    post(recording, docs=[note("d1", 0, ("k1",), closed=4400.0)], after=4.5, final=True)
    assert closings(recording) == [(2, "user", 1)]


def test_a_tab_that_went_on(recording: Recording) -> None:
    two_tabs(recording)
    post(recording, event(0, "d3"), docs=[note("d3", 0, ("k2", "k3"))], after=4.5)
    assert closings(recording) == []


def test_earlier_pages_are_those_of_living_pages_without_themselves(recording: Recording) -> None:
    post(recording, event(0), docs=[note("d1", 0)], left=1)
    assert recordings.earlier_pages(recording) == 0
    post(recording, event(0), docs=[note("d1", 0)], left=3)
    assert recordings.earlier_pages(recording) == 2


def gaps(recording: Recording, *, closing: float) -> list[str]:
    recordings.close_recording(recording)
    Recording.objects.filter(pk=recording.pk).update(closing_at=START + timedelta(seconds=closing))
    recording.refresh_from_db()
    return [gap["why"] for gap in recordings.proof(recording).gaps if gap["doc"] == "d2"]


AWAY = {"url": "http://site.example/a", "left_for": "http://other.example/"}


def test_a_tab_that_left_for_a_page_nobody_heard_is_a_gap(recording: Recording) -> None:
    two_tabs(recording, end="navigation", **AWAY)
    assert gaps(recording, closing=3.5) == []  # the next page may be on its way
    assert gaps(recording, closing=60) == ["left for a page that was not recorded: http://other.example/"]


@pytest.mark.parametrize(
    ("end", "where", "count"),
    [
        ("kept", "http://site.example:8000/", 1),
        ("kept", "", 0),  # by hand
        ("navigation", "http://site.example/b", 0),  # which the gateway answers
        ("navigation", "mailto:ada@other.example", 0),
        ("closed", "http://other.example/", 0),
    ],
)
def test_what_only_looks_like_leaving_is_none(recording: Recording, end: str, where: str, count: int) -> None:
    two_tabs(recording, end=end, url=AWAY["url"], left_for=where)
    assert len(gaps(recording, closing=60)) == count


def test_a_tab_in_which_a_page_followed_is_no_gap(recording: Recording) -> None:
    two_tabs(recording, end="navigation", **AWAY)
    post(recording, event(0, "d3"), docs=[note("d3", 0, ("k2",))], after=3.2)
    assert gaps(recording, closing=60) == []
