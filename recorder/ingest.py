"""Taking in what a page posts. The one write path of events, whatever brought them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection, transaction
from django.db.models import JSONField
from psycopg.types.json import Jsonb

from recorder import clocks, news
from recorder.errors import FootpathError
from recorder.models import Document, Event, Recording, RefusedEvent
from recorder.tabs import Seen, tab_of
from recorder.wire import Batch, DocumentNote, Line, parse, storable

DUPLICATE_S = 3.0  # a page's farewell may come this much later than the first word of the page after it
CLOCK_SLACK_MS = 100.0  # between two pages' readings of one browser's clock
MAX_BEFORE_START_MS = 60_000.0
quoted = connection.ops.quote_name
FIELDS = [field.attname for field in Document._meta.concrete_fields]
JSON_FIELDS = {field.attname for field in Document._meta.concrete_fields if isinstance(field, JSONField)}
LOCK = "SELECT id, state, started_at FROM recorder_recording WHERE id = %s FOR NO KEY UPDATE"
NAMED = f"SELECT {', '.join(map(quoted, FIELDS))} FROM recorder_document WHERE recording_id = %s AND doc = ANY(%s)"  # noqa: S608
CHANGING = [name for name in FIELDS if name not in {"id", "recording_id", "doc", "frame", "opened_at"}]
UPDATE = f"UPDATE recorder_document SET {', '.join(f'{quoted(name)} = %s' for name in CHANGING)} WHERE id = %s"  # noqa: S608
STORE = (
    "INSERT INTO recorder_event (recording_id, document_id, n, body) SELECT %s, %s, * "
    "FROM unnest(string_to_array(%s, ',')::int[], string_to_array(%s, E'\n')) ON CONFLICT DO NOTHING"
)


@dataclass
class Reply:
    """What the page gets back. `ack`: highest contiguous settled n per document, after commit."""

    state: str
    ack: dict[str, int] = field(default_factory=dict)
    refused: list[dict[str, Any]] = field(default_factory=list)
    tab: dict[str, int] = field(default_factory=dict)
    stored: int = 0

    def as_json(self) -> dict[str, Any]:
        """The body of the reply."""
        return {"ack": self.ack, "refused": self.refused, "state": self.state, "tab": self.tab}


def ingest(recording: Recording | int, body: bytes, received_at: datetime | None = None) -> Reply:
    """Store one post of `recording`; sent again it changes nothing and gets the same acknowledgement.

    `received_at` is when the post arrived (aware). Raises FootpathError: 400 malformed, 410 closed, 413 over the limit, 404
    unknown; Django's DatabaseError where the database does not take it.
    """
    if len(body) > settings.RECORDER_MAX_BATCH_BYTES:
        limit = settings.RECORDER_MAX_BATCH_BYTES
        raise FootpathError("too_large", 413, f"A batch may have {limit} bytes; this one has {len(body)}.", limit=limit)
    batch = parse(body)
    pk = recording if isinstance(recording, int) else recording.pk
    with connection.wrap_database_errors:  # the driver's own errors, of its own cursors, as everybody else's
        reply = store(pk, batch, received_at or datetime.now(UTC))
    news.publish(pk)
    return reply


@transaction.atomic
def store(recording_id: int, batch: Batch, received_at: datetime) -> Reply:
    """Everything a post changes, in one transaction.

    Posts of one recording take turns at its row: two that overlap would otherwise both read the cursor before either moved
    it, and two documents that come up at once would get the same tab number. The lock is NO KEY, so that the rows of events
    that refer to the recording are not held up.
    """
    recording, known = held(recording_id, batch)
    if recording is None:
        raise FootpathError("unknown_recording", 404, "There is no such recording.")
    if recording.state == Recording.State.CLOSED:
        raise FootpathError("closed", 410, "This recording is over.", state="closed")
    if recording.started_at is None:  # no gateway saw the page load: its own clock began when it did
        recording.started_at = received_at - timedelta(milliseconds=min(max(batch.sent, 0.0), MAX_BEFORE_START_MS))
        recording.save(update_fields=["started_at"])
    documents = note_documents(recording, batch, known, received_at)
    reply = Reply(recording.state)
    by_document = sort_lines(recording, documents, batch.lines, reply)
    touched = {note.doc for note in batch.docs} | set(by_document) | {entry["doc"] for entry in reply.refused}
    with connection.connection.pipeline():  # the rows of events and the cursors of their documents go out at once
        inserted = [insert(documents[doc], lines) for doc, lines in by_document.items()]
        settle([document for doc, document in documents.items() if doc in touched], by_document, reply)
    reply.stored = sum(cursor.rowcount for cursor in inserted)
    return reply


def held(recording_id: int, batch: Batch) -> tuple[Recording | None, dict[str, Document]]:
    """The recording, locked, and those of its documents that the post speaks of; all, where one is new or says farewell.

    Both questions go out at once. The second sees what was committed before the lock was had, for it is a statement of its own.
    """
    connection.ensure_connection()
    raw = connection.connection
    with raw.pipeline():
        locked = psycopg.Cursor(raw).execute(LOCK, [recording_id], prepare=True)
        named = psycopg.Cursor(raw).execute(NAMED, [recording_id, [note.doc for note in batch.docs]], prepare=True)
        row, found = locked.fetchone(), named.fetchall()
    if row is None:
        return None, {}
    recording = Recording.from_db(connection.alias, ["id", "state", "started_at"], row)
    known = {document.doc: document for document in map(read_document, found)}
    if batch.final or len(batch.docs) > 1 or len(known) < len(batch.docs):
        known = {document.doc: document for document in Document.objects.filter(recording_id=recording_id)}
    return recording, known


def read_document(row: tuple[Any, ...]) -> Document:
    """A document from a row of `NAMED`, of which the JSON columns are text."""
    pairs = zip(FIELDS, row, strict=True)
    values = [json.loads(value) if name in JSON_FIELDS and isinstance(value, str) else value for name, value in pairs]
    return Document.from_db(connection.alias, FIELDS, values)


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
    hear(sender, received_at, final=final, known=known.values())
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


def hear(document: Document, received_at: datetime, *, final: bool, known: Iterable[Document]) -> None:
    """Note that a page is alive, or that it said farewell."""
    document.seen_at = max(document.seen_at, received_at)
    document.closed_at = received_at if final else None
    if final:
        join_successor(document, received_at, known)


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


def sort_lines(
    recording: Recording, documents: dict[str, Document], lines: Sequence[Line], reply: Reply
) -> dict[str, list[Line]]:
    """Good lines by document; the others are kept aside and named in the reply."""
    good: dict[str, list[Line]] = defaultdict(list)
    refused = []
    for line in lines:
        if not line.reason and line.doc not in documents:
            line = Line(line.text, line.doc, line.n, "unknown_document", "no header named this document")
        if line.reason:
            refused.append(line)
        else:
            good[line.doc].append(line)
    for document in documents.values():
        numbers = [line.n for line in lines if line.doc == document.doc and line.n is not None]
        document.last = max(document.last, *numbers, -1)
    keep_aside(recording, refused)
    reply.refused = [{"doc": line.doc, "n": line.n, "code": line.code, "reason": line.reason} for line in refused]
    return good


def keep_aside(recording: Recording, lines: Sequence[Line]) -> None:
    """Store refused lines with their reasons, each once."""
    rows = [
        RefusedEvent(
            recording=recording,
            doc=line.doc,
            n=line.n,
            code=line.code,
            reason=line.reason[:500],
            body=storable(line.text),
        )
        for line in lines
    ]
    if rows:
        RefusedEvent.objects.bulk_create(rows, ignore_conflicts=True)


def insert(document: Document, lines: Sequence[Line]) -> psycopg.Cursor[Any]:
    """Insert lines verbatim, skipping those that are there; the cursor's rowcount is how many were new."""
    if document.pk is None:
        document.save()
    # One text for all lines (none holds a line break) is many times cheaper to hand over than an array of texts.
    numbers, texts = ",".join(str(line.n) for line in lines), "\n".join(line.text for line in lines)
    cursor = psycopg.Cursor(connection.connection)
    return cursor.execute(STORE, [document.recording_id, document.pk, numbers, texts], prepare=True)


def settle(documents: Iterable[Document], by_document: dict[str, list[Line]], reply: Reply) -> None:
    """Move the cursors over what is stored or refused, save the documents and acknowledge."""
    refused: dict[str, set[int]] = defaultdict(set)
    for entry in reply.refused:
        if entry["n"] is not None:
            refused[entry["doc"]].add(entry["n"])
    for document in documents:
        fresh = {line.n for line in by_document.get(document.doc, ()) if line.n is not None} | refused[document.doc]
        document.received = contiguous(document, fresh)
        save(document)
        reply.ack[document.doc] = document.received
        reply.tab[document.doc] = document.tab


def save(document: Document) -> None:
    """Write a document back: what a post can change, by one prepared statement; a new one as a whole."""
    if document.pk is None:
        document.save()
        return
    values = [getattr(document, name) for name in CHANGING]
    given = [Jsonb(value) if name in JSON_FIELDS else value for name, value in zip(CHANGING, values, strict=True)]
    psycopg.Cursor(connection.connection).execute(UPDATE, [*given, document.pk], prepare=True)


def contiguous(document: Document, fresh: set[int]) -> int:
    """Highest n up to which every number is settled, given that `fresh` was settled just now."""
    cursor = document.received
    while cursor + 1 in fresh:
        cursor += 1
    if not fresh or cursor == document.last:
        return cursor
    later = settled_after(document, cursor)
    while cursor + 1 in later:
        cursor += 1
    return cursor


def settled_after(document: Document, cursor: int) -> set[int]:
    """Numbers above `cursor` that were settled by earlier posts."""
    stored = Event.objects.filter(document=document, n__gt=cursor).values_list("n", flat=True)
    aside = RefusedEvent.objects.filter(recording_id=document.recording_id, doc=document.doc, n__gt=cursor)
    return set(stored) | {n for n in aside.values_list("n", flat=True) if n is not None}
