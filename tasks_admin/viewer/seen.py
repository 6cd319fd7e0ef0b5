"""What the attempt page shows of the capture: the pages in order, which tab was in front when, and why there is nothing."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from annotate.errors import BadInput
from recorder.capture.query import Page, page_events, pages_of
from recorder.models import CaptureChunk, Event, Recording
from recorder.recordings import assemble
from tasks_admin.viewer.rows import clock, path_of

MOST_BYTES = 4_000_000  # of a page's pieces that are asked for together


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
    for page_id, *piece_ in rows.values_list("page_id", "n", "first", "last", "size"):
        pieces[page_id].append(piece_)
    return Seen([described(page, pieces[page.row.pk]) for page in pages], "", missing)


def described(page: Page, pieces: list[list[Any]]) -> dict[str, Any]:
    """A page for the player: {id, tab, name, first, last, chunks: [[n, first, last, bytes]]}; times are ms since the start."""
    move = page.offset_ms
    times = [[n, round(first + move, 1), round(last + move, 1), size] for n, first, last, size in pieces]
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


def events_between(recording: Recording, page_id: int, first: int, last: int) -> str | None:
    """The events of a page's pieces from `first` to `last`, one JSON object a line, times in ms since the recording's start; None
    where there is no such piece. Raises BadInput where they are more than MOST_BYTES, if it is not one alone."""
    page = next((page for page in pages_of(recording) if page.row.pk == page_id), None)
    sizes = page.row.chunks.filter(n__gte=first, n__lte=last).values_list("size", flat=True) if page else ()
    if page is None or not sizes:
        return None
    if len(sizes) > 1 and sum(sizes) > MOST_BYTES:
        raise BadInput(f"At most {MOST_BYTES} bytes of a capture at once.", "to")
    events = page_events(page, first, last)
    return "\n".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in events)
