"""Taking in what pages post. The one write path of events, whatever brought them.

Posts of several recordings are stored together, in one transaction: what a transaction costs is then paid once for all of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import JSONField
from psycopg.types.json import Jsonb

from recorder import memory, news
from recorder.document_notes import note_documents
from recorder.errors import FootpathError
from recorder.models import Document, Event, Recording, RefusedEvent
from recorder.wire import Batch, Line, storable

MAX_BEFORE_START_MS = 60_000.0
quoted = connection.ops.quote_name
FIELDS = [field.attname for field in Document._meta.concrete_fields]
JSON_FIELDS = {field.attname for field in Document._meta.concrete_fields if isinstance(field, JSONField)}
LOCK = "SELECT id, state, started_at FROM recorder_recording WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"
LOCK_FREE = f"{LOCK} SKIP LOCKED"
NAMED = (
    f"SELECT {', '.join(map(quoted, FIELDS))} FROM recorder_document "  # noqa: S608
    "WHERE (recording_id, doc) IN (SELECT * FROM unnest(%s::bigint[], %s::text[]))"
)
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


@dataclass(frozen=True)
class Post:
    """One post as it came: the recording's primary key, the unpacked body, and when it arrived (aware)."""

    recording: int
    body: bytes
    received_at: datetime


class RecordingHeld(Exception):
    """Somebody else holds the recording's row: the post was not looked at, and is to be stored by itself."""


@dataclass(frozen=True)
class Taken:
    """A post that will be stored: its recording, locked, the documents it speaks of, and its good lines by document."""

    batch: Batch
    documents: dict[str, Document]
    lines: dict[str, list[Line]]
    reply: Reply

    def touched(self) -> list[Document]:
        """The documents whose cursors it may move."""
        named = (
            {note.doc for note in self.batch.docs} | set(self.lines) | {entry["doc"] for entry in self.reply.refused}
        )
        return [document for doc, document in self.documents.items() if doc in named]


Outcome = Reply | FootpathError | RecordingHeld


def ingest(recording: Recording | int, body: bytes, received_at: datetime | None = None) -> Reply:
    """Store one post of `recording`; sent again it changes nothing and gets the same acknowledgement.

    `received_at` is when the post arrived (aware). Raises FootpathError: 400 malformed, 404 unknown, 409 where lines
    are wanted, 410 closed, 413 over the limit; Django's DatabaseError where the database does not take it.
    """
    pk = recording if isinstance(recording, int) else recording.pk
    (outcome,) = ingest_together([Post(pk, body, received_at or datetime.now(UTC))])
    if not isinstance(outcome, Reply):
        raise outcome
    return outcome


def ingest_together(posts: Sequence[Post]) -> list[Outcome]:
    """Store posts of different recordings in one transaction; what became of each, in order.

    One that cannot be stored (see `ingest`) keeps none of the others back: its error is its outcome. With two posts or more nobody
    waits for a recording that somebody else holds: the outcome is then `RecordingHeld`. Raises Django's DatabaseError where
    the database takes none of them, ValueError for two posts of one recording.
    """
    if len({post.recording for post in posts}) < len(posts):
        raise ValueError("Two posts of one recording cannot be stored together: they take turns.")
    by_recording = {post.recording: post for post in posts}
    with connection.wrap_database_errors:  # the driver's own errors, of its own cursors, as everybody else's
        read = memory.batches({post.recording: post.body for post in posts})
        batches = [(by_recording[pk], batch) for pk, batch in read.items() if isinstance(batch, Batch)]
        outcomes = store_or_part(batches) | {pk: error for pk, error in read.items() if not isinstance(error, Batch)}
    if changed := [pk for pk, outcome in outcomes.items() if isinstance(outcome, Reply)]:
        news.publish(changed)
    return [outcomes[post.recording] for post in posts]


def store_or_part(posts: Sequence[tuple[Post, Batch]]) -> dict[int, Outcome]:
    """Store together; where the database refuses what one of several holds, say of each that it is to be stored by itself."""
    if not posts:
        return {}
    try:
        return store(posts)
    except (DataError, IntegrityError):
        if len(posts) == 1:
            raise
        return {post.recording: RecordingHeld() for post, _ in posts}


@transaction.atomic
def store(posts: Sequence[tuple[Post, Batch]]) -> dict[int, Outcome]:
    """Everything that posts of different recordings change, in one transaction.

    Posts of one recording take turns at its row: two that overlap would otherwise both read the cursor before either moved
    it, and two documents that come up at once would get the same tab number. The lock is NO KEY, so that the rows of events
    that refer to the recording are not held up. Who stores several recordings waits for none of them, so no two that hold
    some wait for each other.
    """
    recordings, known = held(posts)
    outcomes: dict[int, Outcome] = {}
    taken: dict[int, Taken] = {}
    for post, batch in posts:
        recording = recordings.get(post.recording)
        if recording is None:
            outcomes[post.recording] = unknown() if len(posts) == 1 else RecordingHeld()
        elif recording.state == Recording.State.CLOSED:
            outcomes[post.recording] = FootpathError("closed", 410, "This recording is over.", state="closed")
        else:
            taken[post.recording] = take(recording, batch, known[post.recording], post.received_at)
    with connection.connection.pipeline():  # the rows of events and the cursors of their documents go out at once
        inserted = {
            pk: [insert(one.documents[doc], lines) for doc, lines in one.lines.items()] for pk, one in taken.items()
        }
        for one in taken.values():
            settle(one.touched(), one.lines, one.reply)
    for pk, one in taken.items():
        one.reply.stored = sum(cursor.rowcount for cursor in inserted[pk])
        outcomes[pk] = one.reply
    return outcomes


def unknown() -> FootpathError:
    return FootpathError("unknown_recording", 404, "There is no such recording.")


def take(recording: Recording, batch: Batch, known: dict[str, Document], received_at: datetime) -> Taken:
    """What a post changes, but for the events and the cursors."""
    if recording.started_at is None:  # no gateway saw the page load: its own clock began when it did
        recording.started_at = received_at - timedelta(milliseconds=min(max(batch.sent, 0.0), MAX_BEFORE_START_MS))
        recording.save(update_fields=["started_at"])
    documents = note_documents(recording, batch, known, received_at)
    reply = Reply(recording.state)
    return Taken(batch, documents, sort_lines(recording, documents, batch.lines, reply), reply)


def held(posts: Sequence[tuple[Post, Batch]]) -> tuple[dict[int, Recording], dict[int, dict[str, Document]]]:
    """The recordings, locked, and those of their documents that the posts speak of; all, where one is new or says farewell.

    Both questions go out at once. The second sees what was committed before the locks were had, for it is a statement of its own.
    """
    connection.ensure_connection()
    raw = connection.connection
    pks = [post.recording for post, _ in posts]
    pairs = [(post.recording, note.doc) for post, batch in posts for note in batch.docs]
    with raw.pipeline():
        lock = LOCK if len(posts) == 1 else LOCK_FREE
        locked = psycopg.Cursor(raw).execute(lock, [pks], prepare=True)
        wanted = [[pk for pk, _ in pairs], [doc for _, doc in pairs]]
        named = psycopg.Cursor(raw).execute(NAMED, wanted, prepare=True)
        rows, found = locked.fetchall(), named.fetchall()
    recordings = {row[0]: Recording.from_db(connection.alias, ["id", "state", "started_at"], row) for row in rows}
    known: dict[int, dict[str, Document]] = {pk: {} for pk in recordings}
    for document in map(read_document, found):
        known.get(document.recording_id, {})[document.doc] = document
    whole = [
        post.recording for post, batch in posts if post.recording in known and needs_all(batch, known[post.recording])
    ]
    for document in Document.objects.filter(recording_id__in=whole) if whole else ():
        known[document.recording_id][document.doc] = document
    return recordings, known


def needs_all(batch: Batch, known: dict[str, Document]) -> bool:
    """True where a document is new, or where its farewell may move others."""
    return batch.final or len(batch.docs) > 1 or len(known) < len(batch.docs)


def read_document(row: tuple[Any, ...]) -> Document:
    """A document from a row of `NAMED`, of which the JSON columns are text."""
    pairs = zip(FIELDS, row, strict=True)
    values = [json.loads(value) if name in JSON_FIELDS and isinstance(value, str) else value for name, value in pairs]
    return Document.from_db(connection.alias, FIELDS, values)


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
    """Numbers above `cursor` that were settled by earlier posts; a document that is new has refused lines at most."""
    stored = Event.objects.filter(document=document, n__gt=cursor).values_list("n", flat=True) if document.pk else ()
    aside = RefusedEvent.objects.filter(recording_id=document.recording_id, doc=document.doc, n__gt=cursor)
    return set(stored) | {n for n in aside.values_list("n", flat=True) if n is not None}
