"""All that is held of recordings, read for many at once: a fixed number of queries, however many recordings and events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import StringAgg

from recorder import fast
from recorder.models import Document, Event, Recording, RefusedEvent, SiteRequest
from recorder.proof import Grounds, Proof, blind_spot, proof_from, refused_lines, unseen_requests
from recorder.recordings import SURROGATE, assemble, placed


@dataclass(frozen=True)
class Held:
    """A recording with its documents as they were opened, its raw events (not in order yet) and its proof."""

    recording: Recording
    documents: list[Document]
    events: list[dict[str, Any]]
    proof: Proof


def held_of(recordings: Sequence[Recording]) -> Iterator[Held]:
    """What is held of each of the recordings, in their order. All of it is in memory at once."""
    documents, refused, unseen = defaultdict(list), defaultdict(list), defaultdict(list)
    for document in Document.objects.filter(recording__in=recordings).order_by("pk"):
        documents[document.recording_id].append(document)
    for line in refused_lines(recordings):
        refused[line.recording_id].append(line)
    for request in unseen_requests(recordings):
        unseen[request.recording_id].append(request)
    lines = lines_of(recordings)
    for recording in recordings:
        pages = {page: events_of(page, lines.pop(page.pk, "")) for page in documents[recording.pk]}
        grounds = grounds_of(pages, refused[recording.pk], unseen[recording.pk])
        in_order = sorted(pages, key=lambda page: (page.opened_at, page.pk))
        events = [event for of_page in pages.values() for event in of_page]
        yield Held(recording, in_order, events, proof_from(recording, grounds))


def grounds_of(
    pages: dict[Document, list[dict[str, Any]]], refused: list[RefusedEvent], unseen: list[SiteRequest]
) -> Grounds:
    """What the proof of a recording is made of; `pages` are its documents by pk with their events."""
    blind = [blind_spot(event) for events in pages.values() for event in events if event["type"] == "blind"]
    beyond = {page.pk: {event["n"] for event in events if event["n"] > page.received} for page, events in pages.items()}
    return Grounds(list(pages), refused, unseen, blind, lambda page: beyond[page.pk])


def lines_of(recordings: Sequence[Recording]) -> dict[int, str]:
    """{pk of a document: its stored lines in order, with a line break between}."""
    stored = Event.objects.filter(recording__in=recordings).order_by().values("document_id")
    joined = stored.annotate(lines=StringAgg("body", "\n", order_by="n"))
    return dict(joined.values_list("document_id", "lines"))


def events_of(document: Document, lines: str) -> list[dict[str, Any]]:
    """A document's stored lines as events on the recording's clock."""
    if not lines:
        return []
    if SURROGATE.search(lines):
        return [assemble(line, document) for line in lines.split("\n")]
    return [placed(fast.parsed(line), document) for line in lines.split("\n")]
