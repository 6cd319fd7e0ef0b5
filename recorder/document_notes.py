"""What the header of a post says of its documents: made, brought up to date, given their tabs, related to their clocks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recorder import clocks
from recorder.models import Document, Recording
from recorder.schema import is_number
from recorder.tabs import Seen, tab_of
from recorder.wire import Batch, DocumentNote

DUPLICATE_S = 3.0  # a page's farewell may come this much later than the first word of the page after it
ON_ITS_WAY_MS = 500.0  # of what a page sent after its farewell; one that came back speaks every 3 s
CLOCK_SLACK_MS = 100.0  # between two pages' readings of one browser's clock


def note_documents(
    recording: Recording, batch: Batch, known: dict[str, Document], received_at: datetime
) -> dict[str, Document]:
    """The documents that the post speaks of, made or brought up to date but for their cursors; by id.

    Those whose events the sender delivers for them come first: where one of them said farewell, its tab is the sender's.
    """
    dead = {note.doc for note in batch.docs[1:]}
    for note in reversed(batch.docs):
        if note.doc not in known:
            known[note.doc] = new_document(recording, note, known.values(), dead, received_at)
        update(known[note.doc], note)
        if note.doc in dead and note.meta.get("closed") is not None:
            known[note.doc].closed_at = known[note.doc].closed_at or received_at
            join_successor(known[note.doc], received_at, known.values())
    sender = known[batch.docs[0].doc]
    elapsed = (received_at - (recording.started_at or received_at)).total_seconds() * 1000
    sender.clock = clocks.heard(sender.clock, elapsed, batch.sent, batch.rtt)
    sender.offset_ms = clocks.offset(sender.clock)
    sender.left = batch.left
    for doc in dead - {sender.doc}:
        relate(known[doc], sender)
    final = batch.final or batch.docs[0].meta.get("closed") is not None
    hear(sender, received_at, batch.sent, final=final, known=known.values())
    return known


def new_document(
    recording: Recording, note: DocumentNote, known: Iterable[Document], dead: set[str], received_at: datetime
) -> Document:
    """A document seen for the first time, with its tab; the `dead` ones are not in it any more."""
    seen = [as_seen(document, received_at, document.doc in dead) for document in known]
    tab, twin = tab_of(note.keys, top=note.frame == "", known=seen)
    clock = {"twin": twin} if twin else {}
    place = {"doc": note.doc, "tab": tab, "frame": note.frame, "clock": clock}
    return Document(recording=recording, opened_at=received_at, seen_at=received_at, **place)


def as_seen(document: Document, now: datetime, dead: bool) -> Seen:
    silence = (now - document.seen_at).total_seconds()
    keys = frozenset(document.tab_keys)
    return Seen(document.doc, document.tab, keys, document.frame == "", dead or document.closed_at is not None, silence)


def update(document: Document, note: DocumentNote) -> None:
    """Take over what the header says."""
    document.last = max(document.last, note.last)
    document.tab_keys = list(dict.fromkeys([*document.tab_keys, *note.keys]))[-200:]
    document.meta = document.meta | note.meta


def relate(document: Document, sender: Document) -> None:
    """Relate a silent document's clock to its sender's."""
    origins = document.meta.get("time_origin"), sender.meta.get("time_origin")
    document.clock = clocks.related(document.clock, sender.offset_ms, *origins)
    document.offset_ms = clocks.offset(document.clock)


def hear(document: Document, received_at: datetime, sent: float, *, final: bool, known: Iterable[Document]) -> None:
    """Note that a page is alive, or that it said farewell."""
    document.seen_at = max(document.seen_at, received_at)
    if final:
        document.closed_at = received_at
        join_successor(document, received_at, known)
    elif not was_on_its_way(document, sent):
        document.closed_at = None  # out of the back-forward cache


def was_on_its_way(document: Document, sent: float) -> bool:
    """True for what a page sent before its farewell (`sent`, ms on its clock) and what comes in after it: its worker and the page
    itself send at once, each by a connection of its own."""
    closed = document.meta.get("closed")
    return document.closed_at is not None and is_number(closed) and sent <= closed + ON_ITS_WAY_MS


def join_successor(document: Document, received_at: datetime, known: Iterable[Document]) -> None:
    """A page that took this one's place was heard before the farewell and looked like a duplicated tab: it was not.

    Whatever came up in the tab that it was taken for (its frames, pages after it) is in this one too.
    """
    everything = list(known)
    for other in everything:
        if (
            other.pk is None
            or other.clock.get("twin") != document.doc
            or not took_its_place(document, other, received_at)
        ):
            continue
        other.clock = {name: value for name, value in other.clock.items() if name != "twin"}
        mistaken = other.tab
        for one in everything:
            if one.pk is not None and (one is other or one.tab == mistaken):
                one.tab = document.tab
                one.save(update_fields=["tab", "clock"])


def took_its_place(document: Document, other: Document, received_at: datetime) -> bool:
    """True where `document` had closed before `other` came up: by the browser's clock, however late the farewell arrives.

    Pages that do not tell their origins are taken by when they were heard.
    """
    told = [
        document.meta.get("time_origin"),
        document.meta.get("closed"),
        other.meta.get("time_origin"),
        other.meta.get("opened"),
    ]
    if all(isinstance(value, int | float) for value in told):
        origin, closed, other_origin, opened = told
        return bool(origin + closed <= other_origin + opened + CLOCK_SLACK_MS)
    return 0 <= (received_at - other.opened_at).total_seconds() <= DUPLICATE_S
