"""The completeness proof: per document what its page made and what is held, what is missing, what could not be seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from recorder.closings import left_tabs
from recorder.models import UNSEEN, Document, Event, Recording, RefusedEvent, SiteRequest

# A living page posts at least every 3 s; one that says nothing for this long is gone.
HEARD_S = 6.0
MOST_REFUSED = 1000  # named one by one


@dataclass(frozen=True)
class Proof:
    """`documents`: {doc: {last, received}}; `gaps`: what is missing and why; `blind`: what could not be seen."""

    complete: bool
    documents: dict[str, dict[str, int]] = field(default_factory=dict)
    gaps: list[dict[str, Any]] = field(default_factory=list)
    blind: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The proof as it stands in a trace."""
        return {"complete": self.complete, "documents": self.documents, "gaps": self.gaps, "blind": self.blind}


@dataclass(frozen=True)
class Grounds:
    """What a proof is made of: documents by pk, refused lines by (doc, n, pk), the site's requests that went without a recorder,
    `blind` events as {doc, t, reason[, detail]}, and the numbers that are stored of a document beyond `received`."""

    documents: Sequence[Document]
    refused: Sequence[RefusedEvent]
    unseen: Sequence[SiteRequest]
    blind: Sequence[dict[str, Any]]
    stored: Callable[[Document], set[int]]


def proof_of(recording: Recording) -> Proof:
    """The proof of a recording. It is complete only where every page said how far it came and all of that is held."""
    grounds = Grounds(
        list(recording.documents.order_by("pk")),
        list(refused_lines([recording])),
        list(unseen_requests([recording])),
        blind_events(recording),
        stored_beyond,
    )
    return proof_from(recording, grounds)


def refused_lines(recordings: Sequence[Recording]) -> QuerySet[RefusedEvent]:
    """The lines of recordings that the schema refused, without their bodies."""
    return RefusedEvent.objects.filter(recording__in=recordings).defer("body").order_by("recording", "doc", "n", "pk")


def unseen_requests(recordings: Sequence[Recording] | Sequence[int]) -> QuerySet[SiteRequest]:
    """The requests of recordings by which a page came without a recorder that could run in it."""
    found = SiteRequest.objects.filter(recording__in=recordings, error__startswith=UNSEEN)
    return found.only("recording_id", "t", "error", "path").order_by("recording", "t", "pk")


def proof_from(recording: Recording, grounds: Grounds) -> Proof:
    """The same from what was read already."""
    documents = grounds.documents
    gaps = [gap for document in documents for gap in gaps_of(document, recording, grounds)] + refused_of(grounds)
    gaps += [left_gap(page) for page in left_tabs(recording, documents)]
    cursors = {document.doc: {"last": document.last, "received": document.received} for document in documents}
    blind = sorted([*grounds.blind, *unseen_of(grounds)], key=lambda spot: (spot["t"], spot["doc"] or ""))
    return Proof(bool(documents) and not gaps, cursors, gaps, blind)


def gaps_of(document: Document, recording: Recording, grounds: Grounds) -> Iterable[dict[str, Any]]:
    """Runs of numbers that are missing, and the open end of a page that died."""
    if document.received < document.last:
        for first, last in missing_runs(document, grounds):
            yield {"doc": document.doc, "from": first, "to": last, "why": "not received"}
    if died(document, recording):
        why = "the page was not heard again; what it made after this is unknown"
        yield {"doc": document.doc, "from": document.last + 1, "to": None, "why": why}


def died(document: Document, recording: Recording) -> bool:
    """True where a page neither said farewell nor was heard after closing began."""
    if document.closed_at is not None or recording.closing_at is None:
        return False
    return document.seen_at < recording.closing_at


def left_gap(page: Document) -> dict[str, Any]:
    """The open end of a tab that a page left for one without a recorder: another website, or an address beside the gateway."""
    why = f"left for a page that was not recorded: {page.meta['left_for']}"
    return {"doc": page.doc, "from": page.last + 1, "to": None, "why": why}


def missing_runs(document: Document, grounds: Grounds) -> Iterable[tuple[int, int]]:
    """[first, last] of each run of numbers that is neither stored nor refused."""
    aside = {row.n for row in grounds.refused if row.doc == document.doc and row.n is not None}
    start = document.received + 1
    for n in sorted(n for n in grounds.stored(document) | aside if start <= n <= document.last):
        if start < n:
            yield start, n - 1
        start = n + 1
    if start <= document.last:
        yield start, document.last


def stored_beyond(document: Document) -> set[int]:
    """Numbers that are stored of a document beyond what it has without a gap."""
    return set(Event.objects.filter(document=document, n__gt=document.received).values_list("n", flat=True))


def refused_of(grounds: Grounds) -> list[dict[str, Any]]:
    """Events that the schema refused: kept aside, but not in the list."""
    listed = grounds.refused[:MOST_REFUSED]
    return [{"doc": row.doc, "from": row.n, "to": row.n, "why": f"refused: {row.reason}"} for row in listed]


def blind_events(recording: Recording) -> list[dict[str, Any]]:
    """What the recorder said it could not see."""
    rows = Event.objects.filter(recording=recording, body__contains='"type":"blind"')
    rows = rows.select_related("document").order_by("document", "n")
    spots = [(row.document, json.loads(row.body)) for row in rows]
    return [
        blind_spot(event | {"doc": document.doc, "t": round(event["p"] + document.offset_ms, 1)})
        for document, event in spots
        if event["type"] == "blind"
    ]


def blind_spot(event: dict[str, Any]) -> dict[str, Any]:
    """A `blind` event as a proof has it."""
    detail = {"detail": event["detail"]} if event.get("detail") is not None else {}
    return {"doc": event["doc"], "t": event["t"], "reason": event["reason"]} | detail


def unseen_of(grounds: Grounds) -> list[dict[str, Any]]:
    """Documents that went to the browser without a recorder that could run in them."""
    return [{"doc": None, "t": row.t, "reason": row.error, "detail": row.path} for row in grounds.unseen]
