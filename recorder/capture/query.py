"""Reading a recording's capture: its pages in order, how whole each is, and rrweb's events of each, a piece at a time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, Sum
from django.db.models.functions import Coalesce

from recorder.models import CaptureChunk, CapturedPage, Document, Recording


@dataclass(frozen=True)
class Page:
    """One captured page load.

    `doc` and `tab` are those of the recorder's document of the same page load, None where the recorder never heard of it;
    `first` and `last` are ms since the recording's start, `offset_ms` what makes them of times on the page's own clock;
    `missing` says what is not there, in words, empty where all is.
    """

    row: CapturedPage
    doc: str | None
    tab: int | None
    offset_ms: float
    chunks: int
    events: int
    size: int
    first: float
    last: float
    missing: str

    @property
    def url(self) -> str:
        return self.row.url

    @property
    def complete(self) -> bool:
        return not self.missing


def pages_of(recording: Recording) -> list[Page]:
    """The captured pages in the order in which they were seen."""
    documents = {
        document.meta.get("time_origin"): document for document in recording.documents.filter(frame="").order_by("-pk")
    }
    rows = recording.captured_pages.annotate(
        held=Count("chunks"),
        many=Coalesce(Sum("chunks__events"), 0),
        bytes=Coalesce(Sum("chunks__size"), 0),
        earliest=Coalesce(Min("chunks__first"), 0.0),
        latest=Coalesce(Max("chunks__last"), 0.0),
    )
    return sorted(
        (page_of(recording, row, documents.get(row.time_origin)) for row in rows), key=lambda page: page.first
    )


def page_of(recording: Recording, row: Any, document: Document | None) -> Page:
    """A row with its counts, on the recording's clock."""
    offset = document.offset_ms if document else guessed_offset(recording, row)
    return Page(
        row,
        document.doc if document else None,
        document.tab if document else None,
        offset,
        row.held,
        row.many,
        row.bytes,
        round(row.earliest + offset, 1),
        round(row.latest + offset, 1),
        missing(recording, row),
    )


def guessed_offset(recording: Recording, row: CapturedPage) -> float:
    """By the browser's clock, which may differ from the server's: all there is of a page the recorder never heard of."""
    return row.time_origin - recording.started_at.timestamp() * 1000 if recording.started_at else 0.0


def missing(recording: Recording, row: Any) -> str:
    """What is not there of a page's capture, in words; "" where all is."""
    parts = []
    if row.held <= row.last:
        gone = row.last + 1 - row.held
        parts.append(f"{gone} of {row.last + 1} pieces never arrived")
    if row.lost:
        parts.append(f"{row.lost} events had to be dropped")
    if row.fault:
        parts.append(f"the capture said: {row.fault}")
    if not row.ended and recording.state == Recording.State.CLOSED:
        parts.append("the page ended without a word, so that its last seconds may be missing")
    return "; ".join(parts)


def events_of(recording: Recording) -> Iterator[tuple[Page, Iterator[dict[str, Any]]]]:
    """Each captured page with a stream of its events: rrweb's, whose `timestamp` is ms since the recording's start."""
    for page in pages_of(recording):
        yield page, page_events(page)


def page_events(page: Page, first: int = 0, last: int | None = None) -> Iterator[dict[str, Any]]:
    """A page's events in order, or those of its chunks from `first` to `last`."""
    wanted = CaptureChunk.objects.filter(page=page.row, n__gte=first)
    if last is not None:
        wanted = wanted.filter(n__lte=last)
    for body in wanted.order_by("n").values_list("body", flat=True).iterator(chunk_size=8):
        for line in gzip.decompress(body).split(b"\n"):
            if line:
                event = json.loads(line)
                event["timestamp"] = round(event["timestamp"] + page.offset_ms, 1)
                yield event
