"""The completeness proof: per document what its page made and what is held, what is missing, what could not be seen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from recorder.models import UNSEEN, Document, Event, Recording, RefusedEvent, SiteRequest

# A living page posts at least every 1.5 s; one that says nothing for this long is gone.
HEARD_S = 6.0


@dataclass(frozen=True)
class Proof:
    """`documents`: {doc: {last, received}}; `gaps`: what is missing and why; `blind`: what could not be seen."""

    complete: bool
    documents: dict[str, dict[str, int]] = field(default_factory=dict)
    gaps: list[dict[str, Any]] = field(default_factory=list)
    blind: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The proof as it stands in a trace."""
        return asdict(self)


def proof_of(recording: Recording) -> Proof:
    """The proof of a recording. It is complete only where every page said how far it came and all of that is held."""
    documents = list(recording.documents.order_by("pk"))
    gaps = [gap for document in documents for gap in gaps_of(document, recording)] + refused_of(recording)
    cursors = {document.doc: {"last": document.last, "received": document.received} for document in documents}
    return Proof(bool(documents) and not gaps, cursors, gaps, blind_of(recording))


def gaps_of(document: Document, recording: Recording) -> Iterable[dict[str, Any]]:
    """Runs of numbers that are missing, and the open end of a page that died."""
    if document.received < document.last:
        for first, last in missing_runs(document):
            yield {"doc": document.doc, "from": first, "to": last, "why": "not received"}
    if died(document, recording):
        why = "the page was not heard again; what it made after this is unknown"
        yield {"doc": document.doc, "from": document.last + 1, "to": None, "why": why}


def died(document: Document, recording: Recording) -> bool:
    """True where a page neither said farewell nor was heard after closing began."""
    if document.closed_at is not None or recording.closing_at is None:
        return False
    return document.seen_at < recording.closing_at


def missing_runs(document: Document) -> Iterable[tuple[int, int]]:
    """[first, last] of each run of numbers that is neither stored nor refused."""
    stored = set(Event.objects.filter(document=document, n__gt=document.received).values_list("n", flat=True))
    aside = RefusedEvent.objects.filter(recording_id=document.recording_id, doc=document.doc, n__isnull=False)
    held = stored | {n for n in aside.values_list("n", flat=True) if n is not None}
    start = None
    for n in range(document.received + 1, document.last + 2):
        gone = n <= document.last and n not in held
        if gone and start is None:
            start = n
        elif not gone and start is not None:
            yield start, n - 1
            start = None


def refused_of(recording: Recording) -> list[dict[str, Any]]:
    """Events that the schema refused: kept aside, but not in the list."""
    rows = RefusedEvent.objects.filter(recording=recording).order_by("doc", "n", "pk")
    return [{"doc": row.doc, "from": row.n, "to": row.n, "why": f"refused: {row.reason}"} for row in rows[:1000]]


def blind_of(recording: Recording) -> list[dict[str, Any]]:
    """What the recorder said it could not see, in order."""
    rows = Event.objects.filter(recording=recording, body__contains='"type":"blind"').select_related("document")
    spots = [(row.document, json.loads(row.body)) for row in rows]
    listed = [
        {"doc": document.doc, "t": round(event["p"] + document.offset_ms, 1), "reason": event["reason"]}
        | ({"detail": event["detail"]} if event.get("detail") is not None else {})
        for document, event in spots
        if event["type"] == "blind"
    ]
    return sorted(listed + unseen_of(recording), key=lambda spot: (spot["t"], spot["doc"] or ""))


def unseen_of(recording: Recording) -> list[dict[str, Any]]:
    """Documents that went to the browser without a recorder that could run in them."""
    rows = SiteRequest.objects.filter(recording=recording, error__startswith=UNSEEN)
    return [{"doc": None, "t": row.t, "reason": row.error, "detail": row.path} for row in rows]
