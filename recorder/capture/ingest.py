"""Taking in what a page's capture posts. The one write path of captures; it takes no lock that the recorder's events need."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Sum, Value, When
from django.db.models.functions import Greatest, Length

from recorder.capture.wire import Piece, parse
from recorder.errors import FootpathError
from recorder.gateway.packed import unpacked
from recorder.models import CaptureChunk, CapturedPage, Recording

MAX_POST_BYTES = 16 * 1024 * 1024  # of one post, unpacked: the first picture of a very long page
MAX_KEPT_BYTES = 64 * 1024 * 1024  # of one recording, packed
MAX_PAGES = 2_000  # of one recording
PACKED = b"\x1f\x8b"  # how gzip begins, and no JSON does
LATE_S = 15.0  # the last piece of a page comes this much after the recording was closed: no proof waits for it


@dataclass(frozen=True)
class Taken:
    """What the page gets back: the recording's state, and whether the piece was new."""

    state: str
    stored: bool

    def as_json(self) -> dict[str, Any]:
        """The body of the reply."""
        return {"state": self.state}


def ingest(recording_id: int, body: bytes, received_at: datetime | None = None) -> Taken:
    """Store one post, packed with gzip or not (a header that says so would cost a question first); sent again it changes
    nothing and is answered as before.

    Raises FootpathError: 404 no such recording, or one without capture, 410 closed, 413 over the limit, 400 malformed; Django's
    DatabaseError where the database does not take it.
    """
    if len(body) > MAX_POST_BYTES:
        raise too_large("too_large", f"A piece of a capture may have {MAX_POST_BYTES} bytes; this one has {len(body)}.")
    piece = parse(unpacked(body, "gzip", MAX_POST_BYTES) if body.startswith(PACKED) else body)
    recording = Recording.objects.filter(pk=recording_id, capture=True).first()
    if recording is None:
        raise FootpathError("unknown_recording", 404, "There is no such recording, or it keeps no capture.")
    if is_over(recording, received_at or datetime.now(UTC)):
        raise FootpathError("closed", 410, "This recording is over.", state="closed")
    return store(recording, piece)


def is_over(recording: Recording, now: datetime) -> bool:
    """True for a recording that was closed so long ago that nothing of a page can still be on its way."""
    closed = recording.closed_at
    return recording.state == Recording.State.CLOSED and (closed is None or now - closed > timedelta(seconds=LATE_S))


@transaction.atomic
def store(recording: Recording, piece: Piece) -> Taken:
    """Everything a post changes, in one transaction. Two posts of one chunk meet at its unique key: the later one is none."""
    page = page_of(recording, piece)
    new = bool(piece.lines) and keep(recording, page, piece)
    CapturedPage.objects.filter(pk=page.pk).update(
        last=Greatest(F("last"), Value(piece.n)),
        lost=Greatest(F("lost"), Value(piece.lost)),
        fault=piece.fault or F("fault"),
        # Its last words come at once, in any order: only a piece that is newer than they are takes the farewell back.
        ended=Case(
            When(last__lt=piece.n, then=Value(value=piece.final)),
            default=F("ended") if not piece.final else Value(value=True),
        ),
    )
    return Taken(recording.state, new)


def keep(recording: Recording, page: CapturedPage, piece: Piece) -> bool:
    """Store the piece's events; False where they are there already. Raises FootpathError (413) where there is no room left."""
    if CaptureChunk.objects.filter(page=page, n=piece.n).exists():
        return False
    packed = gzip.compress("\n".join(piece.lines).encode(), 6, mtime=0)
    if held_bytes(recording) + len(packed) > MAX_KEPT_BYTES:
        raise too_large("full", f"A recording keeps {MAX_KEPT_BYTES} bytes of capture; this one has no room left.")
    size = sum(len(line) + 1 for line in piece.lines)
    chunk = CaptureChunk(
        page=page, n=piece.n, events=len(piece.lines), first=piece.first, last=piece.last, size=size, body=packed
    )
    CaptureChunk.objects.bulk_create([chunk], ignore_conflicts=True)
    return True


def page_of(recording: Recording, piece: Piece) -> CapturedPage:
    """The row of the page that posts, made at its first word. Raises FootpathError (413) where there are too many."""
    known = CapturedPage.objects.filter(recording=recording, page=piece.page).first()
    if known is not None:
        return known
    if CapturedPage.objects.filter(recording=recording).count() >= MAX_PAGES:
        raise too_large("full", f"A recording keeps captures of {MAX_PAGES} pages; this one has as many.")
    told = {"time_origin": piece.time_origin, "url": piece.url}
    return CapturedPage.objects.get_or_create(recording=recording, page=piece.page, defaults=told)[0]


def held_bytes(recording: Recording) -> int:
    """Packed bytes of the recording's capture."""
    chunks = CaptureChunk.objects.filter(page__recording=recording)
    return int(chunks.aggregate(total=Sum(Length("body")))["total"] or 0)


def too_large(code: str, message: str) -> FootpathError:
    return FootpathError(code, 413, message)
