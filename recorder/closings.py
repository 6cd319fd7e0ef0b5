"""How tabs ended: what no page can tell of itself, and the whole recording can. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from recorder.models import Document, Recording
from recorder.schema import is_clock

LEFT_OTHERWISE = (
    "closed",
    "kept",
    "navigation",
)  # closed by script and told so; in the back-forward cache; gone elsewhere

ON_ITS_WAY_S = 3.0  # a page after one that left may not have been heard yet when closing begins


def closed_tabs(recording: Recording, documents: Sequence[Document]) -> list[Document]:
    """The last page of each tab that was closed before the recording's closing began, while another tab stayed.

    A tab that was taken to an address outside the recording by hand looks the same: for the recording it is gone too.
    """
    pages = [document for document in documents if document.frame == ""]
    lasts = [max(group, key=lambda page: (page.opened_at, page.pk)) for group in by_tab(pages)]
    return [page for page in lasts if was_closed(page, pages, recording)]


def left_tabs(recording: Recording, documents: Sequence[Document]) -> list[Document]:
    """The last page of each tab that went on to another origin, where nothing was heard of it again, well before closing began."""
    if recording.closing_at is None:
        return []
    limit = recording.closing_at - timedelta(seconds=ON_ITS_WAY_S)
    found = []
    for pages in by_tab(document for document in documents if document.frame == ""):
        gone = [(at, page.pk, page) for page in pages if (at := gone_at(page, recording)) is not None]
        at, _, last = max(gone, default=(limit, 0, pages[0]))
        if len(gone) == len(pages) and at < limit and went_elsewhere(last):
            found.append(last)
    return found


def went_elsewhere(page: Document) -> bool:
    """True for a page that made way for one of another origin, whether or not the browser kept it. What its own origin answers
    comes through the gateway."""
    where = str(page.meta.get("left_for") or "")
    leads_away = where.startswith(("http://", "https://")) and origin_of(where) != origin_of(str(page.meta.get("url")))
    return leads_away and page.meta.get("end") in ("navigation", "kept")


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    return "/".join(url.split("/", 3)[:3]).lower()


def by_tab(pages: Iterable[Document]) -> list[list[Document]]:
    tabs: dict[int, list[Document]] = {}
    for page in pages:
        tabs.setdefault(page.tab, []).append(page)
    return list(tabs.values())


def was_closed(page: Document, pages: Sequence[Document], recording: Recording) -> bool:
    """True for a page that said farewell for good, with nothing after it in its tab and a page in another tab that lived on."""
    gone = gone_at(page, recording)
    if gone is None or page.meta.get("end") in LEFT_OTHERWISE:
        return False
    if recording.closing_at is not None and gone >= recording.closing_at:
        return False
    if any(other.tab == page.tab and other.closed_at is None for other in pages):
        return False
    others = [gone_at(other, recording) for other in pages if other.tab != page.tab]
    return any(other is None or other > gone for other in others)


def gone_at(page: Document, recording: Recording) -> datetime | None:
    """When a page went, by its own clock (its farewell may have come late); None while it is there."""
    closed = page.meta.get("closed")
    if page.closed_at is None or recording.started_at is None or not is_clock(closed):
        return page.closed_at
    return recording.started_at + timedelta(milliseconds=closed + page.offset_ms)


def closing_line(page: Document) -> str:
    """The event's line, numbered after all that the page made."""
    closed = page.meta.get("closed")
    p = closed if is_clock(closed) else 0.0
    event = {
        "doc": page.doc,
        "n": page.last + 1,
        "p": p,
        "type": "tab",
        "origin": "user",
        "action": "close",
        "by": "server",
    }
    return json.dumps(event, separators=(",", ":"))
