"""What the attempt page shows of the capture: the pages in order, which tab was in front when, and why there is nothing."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from recorder.capture.query import Page, page_events, pages_of
from recorder.models import CaptureChunk, Event, Recording
from recorder.recordings import assemble
from tasks_admin.viewer.rows import clock, path_of


@dataclass(frozen=True)
class Seen:
    """`pages` as the player takes them; `why` says why there are none, "" where there are; `missing` what is lacking in them."""

    pages: list[dict[str, Any]] = field(default_factory=list)
    why: str = ""
    missing: list[str] = field(default_factory=list)

    @property
    def until(self) -> float:
        """When the last page was last seen to change, ms; 0 without any."""
        return max((page["last"] for page in self.pages), default=0.0)


def seen_of(recording: Recording | None) -> Seen:
    """The capture of a recording."""
    if recording is None:
        return Seen(why="Nothing was recorded.")
    if not recording.capture:
        return Seen(why="The study did not keep pages as the person saw them when this attempt was recorded.")
    pages = [page for page in pages_of(recording) if page.chunks]
    if not pages:
        return Seen(
            why="Nothing of it has arrived: the website's own policy may forbid it, or its pages were gone too soon."
        )
    missing = [f"{name_of(page)}: {page.missing}" for page in pages if page.missing]
    pieces = defaultdict(list)
    rows = CaptureChunk.objects.filter(page__recording=recording).order_by("n")
    for page_id, *piece_ in rows.values_list("page_id", "n", "first", "last"):
        pieces[page_id].append(piece_)
    return Seen([described(page, pieces[page.row.pk]) for page in pages], "", missing)


def described(page: Page, pieces: list[list[Any]]) -> dict[str, Any]:
    """A page for the player: {id, tab, name, first, last, chunks: [[n, first, last]]}, times in ms since the recording's start."""
    times = [[n, round(first + page.offset_ms, 1), round(last + page.offset_ms, 1)] for n, first, last in pieces]
    return {
        "id": page.row.pk,
        "tab": page.tab,
        "name": name_of(page),
        "first": page.first,
        "last": page.last,
        "chunks": times,
    }


def name_of(page: Page) -> str:
    """A page in words: when it began, its tab, its path."""
    return f"{clock(page.first)} · tab {page.tab or '?'} · {path_of(page.url)[:80]}"


def tabs_in_front(recording: Recording) -> list[list[float]]:
    """[t, tab] of every opening of and switch to a tab, in order."""
    documents = {document.pk: document for document in recording.documents.all()}
    rows = Event.objects.filter(recording=recording, body__contains='"type":"tab"').values_list("document_id", "body")
    events = [assemble(body, documents[document_id]) for document_id, body in rows]
    moves = [[event["t"], event["tab"]] for event in events if event.get("action") in ("open", "switch")]
    return sorted(moves)


def piece(recording: Recording, page_id: int, n: int) -> str | None:
    """The events of one piece of a page, one JSON object a line, times in ms since the recording's start; None without one."""
    page = next((page for page in pages_of(recording) if page.row.pk == page_id), None)
    if page is None or not page.row.chunks.filter(n=n).exists():
        return None
    return "\n".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in page_events(page, n))
