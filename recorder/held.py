"""All that is held of recordings, read for many at once: a fixed number of queries, however many recordings and events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import StringAgg

from recorder import fast
from recorder.models import Document, Event, Recording, RefusedEvent, SiteRequest
from recorder.proof import Grounds, Proof, blind_spot, proof_from, refused_lines, unseen_requests
from recorder.recordings import SURROGATE, assemble, placed


@dataclass(frozen=True)
class Stored:
    """What is stored of recordings as it was read, nothing of it parsed: by recording its documents by pk, its refused lines and
    the site's requests that went without a recorder; by document its lines in order, with a line break between."""

    recordings: Sequence[Recording]
    documents: dict[int, list[Document]]
    refused: dict[int, list[RefusedEvent]]
    unseen: dict[int, list[SiteRequest]]
    lines: dict[int, str]

    def opened(self, recording: Recording) -> list[Document]:
        """The recording's documents as they were opened."""
        return sorted(self.documents.get(recording.pk, []), key=lambda page: (page.opened_at, page.pk))

    def proof(self, recording: Recording, blind: Sequence[dict[str, Any]], beyond: Callable[[int], set[int]]) -> Proof:
        """The recording's proof: `blind` are its blind spots, `beyond` gives the numbers that are stored of a document (by pk)
        beyond what it has without a gap."""
        pk = recording.pk
        documents = self.documents.get(pk, [])
        grounds = Grounds(
            documents, self.refused.get(pk, []), self.unseen.get(pk, []), blind, lambda page: beyond(page.pk)
        )
        return proof_from(recording, grounds)


@dataclass(frozen=True)
class Held:
    """A recording with its documents as they were opened, its raw events (not in order yet) and its proof."""

    recording: Recording
    documents: list[Document]
    events: list[dict[str, Any]]
    proof: Proof


@dataclass(frozen=True)
class Aside:
    """By recording its refused lines, and the site's requests that went without a recorder. Few have any."""

    refused: dict[int, list[RefusedEvent]]
    unseen: dict[int, list[SiteRequest]]


def aside_of(recordings: Sequence[Recording]) -> Aside:
    """What of the recordings lies aside."""
    aside = Aside(defaultdict(list), defaultdict(list))
    for line in refused_lines(recordings):
        aside.refused[line.recording_id].append(line)
    for request in unseen_requests(recordings):
        aside.unseen[request.recording_id].append(request)
    return aside


def stored_of(recordings: Sequence[Recording], aside: Aside | None = None) -> Stored:
    """What is stored of the recordings. All of it is in memory at once. `aside`, where it was read already, may be of more."""
    aside = aside or aside_of(recordings)
    documents: dict[int, list[Document]] = defaultdict(list)
    for document in Document.objects.filter(recording__in=recordings).defer("tab_keys", "clock").order_by("pk"):
        documents[document.recording_id].append(document)
    lines = lines_of([document.pk for pages in documents.values() for document in pages])
    return Stored(recordings, documents, aside.refused, aside.unseen, lines)


def held_of(recordings: Sequence[Recording]) -> Iterator[Held]:
    """What is held of each of the recordings, in their order."""
    stored = stored_of(recordings)
    for recording in recordings:
        pages = {page: events_of(page, stored.lines.pop(page.pk, "")) for page in stored.documents[recording.pk]}
        events = [event for of_page in pages.values() for event in of_page]
        blind = [blind_spot(event) for event in events if event["type"] == "blind"]
        beyond = {
            page.pk: {event["n"] for event in of_page if event["n"] > page.received} for page, of_page in pages.items()
        }
        yield Held(recording, stored.opened(recording), events, stored.proof(recording, blind, beyond.__getitem__))


def lines_of(documents: Sequence[int]) -> dict[int, str]:
    """{pk of a document: its stored lines in order, with a line break between}. Asked for by document, so that the index over
    (document, n) gives them in their order and nothing is sorted."""
    stored = Event.objects.filter(document__in=documents).order_by().values("document_id")
    joined = stored.annotate(lines=StringAgg("body", "\n", order_by="n"))
    return dict(joined.values_list("document_id", "lines"))


def events_of(document: Document, lines: str) -> list[dict[str, Any]]:
    """A document's stored lines as events on the recording's clock."""
    if not lines:
        return []
    if SURROGATE.search(lines):
        return [assemble(line, document) for line in lines.split("\n")]
    return [placed(fast.parsed(line), document) for line in lines.split("\n")]
