"""Posts as batches of lines, whatever they were written in: what shorthand is like is asked of the database, for many posts at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import psycopg
from django.conf import settings
from django.db import connection

from recorder import shorthand
from recorder.errors import FootpathError
from recorder.shorthand import Shorthand
from recorder.wire import VERSION, Batch, Line, batch_of, malformed, parse, read_line

MAX_SPELLED_OUT = 1024 * 1024  # bytes of a batch's lines: posts of many pages are spelled out at once
MAX_LIKE = 16 * 1024  # bytes of an event that others may be like
HELD = """
WITH wanted AS (SELECT * FROM unnest(%s::bigint[], %s::text[], %s::int[]) AS wanted (recording, who, n)),
named AS MATERIALIZED (
    SELECT DISTINCT wanted.recording, wanted.who, document.id, document.doc
    FROM wanted JOIN recorder_document document
    ON document.recording_id = wanted.recording AND starts_with(document.doc, wanted.who)
)
SELECT named.recording, named.doc, event.n, event.body
FROM named JOIN wanted USING (recording, who)
LEFT JOIN recorder_event event
ON event.document_id = named.id AND event.n = wanted.n AND octet_length(event.body) <= %s
"""
Held = dict[str, dict[int, str]]  # by document: lines by number


def batches(posts: Mapping[int, bytes]) -> dict[int, Batch | FootpathError]:
    """Bodies as batches, by recording; of one that cannot be had, why: 400, 409 or 413 (see `recorder.shorthand`)."""
    found: dict[int, Batch | FootpathError] = {}
    short: dict[int, Shorthand] = {}
    for recording, body in posts.items():
        try:
            read = read_body(body)
        except FootpathError as error:
            found[recording] = error
        else:
            if isinstance(read, Shorthand):
                short[recording] = read
            else:
                found[recording] = read
    known = held(short)
    for recording, said in short.items():
        try:
            found[recording] = spelled_out(said, known.get(recording, {}))
        except FootpathError as error:
            found[recording] = error
    return found


def read_body(body: bytes) -> Batch | Shorthand:
    """A post's body, within the limit."""
    if len(body) > settings.RECORDER_MAX_BATCH_BYTES:
        limit = settings.RECORDER_MAX_BATCH_BYTES
        raise FootpathError("too_large", 413, f"A batch may have {limit} bytes; this one has {len(body)}.", limit=limit)
    if not body.startswith(b"[2,"):
        return parse(body)
    try:
        return shorthand.read(body.decode())
    except UnicodeDecodeError as error:
        raise malformed(f"not UTF-8 at byte {error.start}") from error


def held(short: Mapping[int, Shorthand]) -> dict[int, Held]:
    """By recording, the documents and the lines that shorthand speaks of: what was acknowledged is there, for it was committed."""
    wanted = [(recording, said.doc, n) for recording, said in short.items() for n in asked_for(said)]
    found: dict[int, Held] = defaultdict(lambda: defaultdict(dict))
    if not wanted:
        return found
    connection.ensure_connection()
    given = [*map(list, zip(*wanted, strict=True)), MAX_LIKE]
    rows = psycopg.Cursor(connection.connection).execute(HELD, given, prepare=True)
    for recording, doc, n, line in rows.fetchall():
        lines = found[recording][doc]
        if n is not None:
            lines[n] = line
    return found


def asked_for(said: Shorthand) -> Iterable[int]:
    """Numbers of events that it is like; -1, which is none, where only the document is asked for."""
    return said.likes or ([-1] if isinstance(said.who, str) else [])


def spelled_out(said: Shorthand, known: Held) -> Batch:
    """The batch that is meant."""
    if isinstance(said.who, str):
        if len(known) != 1:
            raise shorthand.unlike("it is not certain which document it speaks of")
        (doc,) = known
        note = {"doc": doc, "last": said.last}
    else:
        note = said.who | {"last": said.last}
    header = {"v": VERSION, "sent": said.sent, "rtt": said.rtt, "left": said.left, "docs": [note]}
    batch = batch_of(header, [])
    doc = batch.docs[0].doc
    limit = min(settings.RECORDER_MAX_BATCH_BYTES, MAX_SPELLED_OUT)
    for place, (text, leader) in enumerate(shorthand.lines(said, doc, known.get(doc, {}), limit)):
        kept = leader < place and not batch.lines[leader].reason
        batch.lines.append(Line(text, doc, said.first + place) if kept else read_line(text))
    return batch
