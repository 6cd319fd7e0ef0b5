"""Opening, closing and reading recordings: what the app above calls."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from recorder.cleaning.order import order_key
from recorder.closings import closed_tabs, closing_line
from recorder.environments.base import Session
from recorder.errors import FootpathError
from recorder.models import Document, Event, Recording
from recorder.news import publish
from recorder.proof import Proof, proof_of
from recorder.wire import storable_json

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
FIRST_WORD_S = 5.0  # a page that is just loading says its first word within this
GIVE_UP_S = 9.0  # a page that is alive is heard within this, also one that waits before it tries again (5 s at most)
SURROGATE = re.compile(r"\\u(?:d[89a-f]|0000)", re.IGNORECASE)

NOT_THE_PAGES = ("t", "tab", "t_end", "raw")  # what is told of an event in a recording: no page has a say in it


def new_key() -> str:
    """A recording's host label: 26 characters, 130 random bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(26))


def open_recording(
    *,
    session: Session,
    adapter: str,
    seed: int = 0,
    environment: str = "",
    task: str = "",
    variant: str | None = None,
    ends: bool = False,
    capture: bool = False,
) -> Recording:
    """A new recording of a prepared session, open on an origin of its own.

    `ends` says that success in the page ends the recording: its tab goes then, so that nobody works on in it. `capture` keeps
    its pages also as the person saw them.
    """
    return Recording.objects.create(
        key=new_key(),
        adapter=adapter,
        environment=environment,
        task=task,
        variant=variant,
        seed=seed,
        session=session.id,
        upstream=session.upstream.rstrip("/"),
        start_path=session.start_path,
        refuse=list(session.refuse),
        watch=asdict(session.watch) | {"ends": ends} if session.watch else None,
        foreign=asdict(session.foreign) if session.foreign else None,
        capture=capture,
    )


def recording_url(recording: Recording) -> str:
    """Where the browser goes: the recording's own origin and the session's first page."""
    return recording_origin(recording.key) + recording.start_path


def recording_origin(key: str) -> str:
    """`scheme://key.ENV_HOST[:port]`, with the scheme and port of PUBLIC_URL."""
    public = urlsplit(settings.PUBLIC_URL)
    port = f":{public.port}" if public.port else ""
    return f"{public.scheme}://{key}.{settings.ENV_HOST}{port}"


def start_recording(recording: Recording | int, at: datetime | None = None) -> None:
    """Make `at` (or now) the recording's t = 0, unless it has one."""
    pk = recording if isinstance(recording, int) else recording.pk
    at = at or datetime.now(UTC)
    if Recording.objects.filter(pk=pk, started_at=None).update(started_at=at) and isinstance(recording, Recording):
        recording.started_at = at


def note_success(pk: int, *, seen: bool) -> None:
    """A page of the recording says that it shows success, or no longer does. Once seen is kept; a closed one stays as it is."""
    now = datetime.now(UTC)
    alive = Recording.objects.filter(pk=pk).exclude(state=Recording.State.CLOSED).exclude(watch=None)
    if seen:
        alive.filter(success_at=None).update(success_at=now)
    if alive.update(success_holds=seen):
        publish([pk])


def begin_closing(recording: Recording) -> Recording:
    """Ask the pages to hand over what they hold; calling it again changes nothing."""
    now = datetime.now(UTC)
    open_now = Recording.objects.filter(pk=recording.pk, state=Recording.State.OPEN)
    open_now.update(state=Recording.State.CLOSING, closing_at=now)
    recording.refresh_from_db()
    return recording


def is_drained(recording: Recording) -> bool:
    """True once every living page was heard after closing began and everything it made is held.

    A page that says nothing for longer than living pages ever do is not waited for; it has that long from when closing began,
    for before it may have been us who could not be reached. Where nobody is heard, a page may just be loading that brings
    what the one before it could not deliver; where all have left with nothing open, only its first word is waited for.
    """
    now = datetime.now(UTC)
    documents = list(recording.documents.all())
    since = recording.closing_at
    if recording.started_at is not None and since is not None and not any(page.seen_at >= since for page in documents):
        all_left = bool(documents) and all(is_whole(page) and page.closed_at is not None for page in documents)
        return now - since > timedelta(seconds=FIRST_WORD_S if all_left else GIVE_UP_S)
    return all(is_settled(page, since, now) and not is_followed_soon(page, documents, now) for page in documents)


def is_settled(document: Document, closing_at: datetime | None, now: datetime) -> bool:
    """True where nothing more is to be waited for from this document."""
    if now - max(document.seen_at, closing_at or document.seen_at) > timedelta(seconds=GIVE_UP_S):
        return True
    heard = document.closed_at is not None or (closing_at is not None and document.seen_at >= closing_at)
    return heard and is_whole(document)


def is_whole(document: Document) -> bool:
    """True where all is held that the page made, and all that it knew of pages before it."""
    return document.received >= document.last and not document.left


def is_followed_soon(document: Document, documents: list[Document], now: datetime) -> bool:
    """True for a page that has just gone and whose tab has no other yet: the next one may be loading."""
    if document.frame or document.closed_at is None or now - document.closed_at > timedelta(seconds=FIRST_WORD_S):
        return False
    return not any(other.tab == document.tab and other.closed_at is None for other in documents)


def close_recording(recording: Recording) -> Proof:
    """Close for good; later posts are answered 410. Returns the completeness proof; calling it again gives the same."""
    now = datetime.now(UTC)
    still = Recording.objects.filter(pk=recording.pk).exclude(state=Recording.State.CLOSED)
    Recording.objects.filter(pk=recording.pk, closing_at=None).update(closing_at=now)
    with transaction.atomic():
        if still.update(state=Recording.State.CLOSED, closed_at=now):  # whoever closes it says which tabs were closed
            note_closed_tabs(recording.pk)
    recording.refresh_from_db()
    return proof(recording)


def note_closed_tabs(recording_id: int) -> None:
    """An event for each tab that the person closed, after the last of its page's own."""
    recording = Recording.objects.get(pk=recording_id)
    for page in closed_tabs(recording, list(recording.documents.all())):
        Event.objects.create(recording=recording, document=page, n=page.last + 1, body=closing_line(page))
        page.received += page.received == page.last
        page.last += 1
        page.save(update_fields=["received", "last"])


def proof(recording: Recording) -> Proof:
    """What of the recording is held, computed from what is stored."""
    return proof_of(recording)


def find_open(key: str) -> Recording:
    """The recording with this key. Raises FootpathError: 404 unknown, 410 closed."""
    recording = Recording.objects.filter(key=key).first()
    if recording is None:
        raise FootpathError("unknown_recording", 404, "There is no such recording.")
    if recording.state == Recording.State.CLOSED:
        raise FootpathError("closed", 410, "This recording is over.", state="closed")
    return recording


def raw_events(recording: Recording) -> list[dict[str, Any]]:
    """All raw events with `t` (ms, one decimal), `tab` and `frame`, ordered by t, tab, doc, n."""
    documents = {document.pk: document for document in recording.documents.all()}
    rows = Event.objects.filter(recording=recording).values_list("document_id", "body")
    return sorted(assembled(rows.iterator(5000), documents), key=order_key)


def assembled(rows: Iterator[tuple[int, str]], documents: dict[int, Document]) -> Iterator[dict[str, Any]]:
    """Stored lines as events on the recording's clock."""
    for document_id, body in rows:
        yield assemble(body, documents[document_id])


def assemble(body: str, document: Document) -> dict[str, Any]:
    """One stored line as an event: `p` on the document's clock becomes `t` on the recording's."""
    event: dict[str, Any] = json.loads(body)
    if SURROGATE.search(body):  # halves of characters, which no other file format can hold
        event = storable_json(event)
    return placed(event, document)


def placed(event: dict[str, Any], document: Document) -> dict[str, Any]:
    """A page's event with its time and place in the recording; it takes the event's own fields over."""
    t = round(event.pop("p") + document.offset_ms, 1)
    if event["type"] == "dialog" and isinstance(event.get("opened"), int | float):
        event["opened"] = round(event["opened"] + document.offset_ms, 1)
    frame = event.pop("frame", None)
    for name in NOT_THE_PAGES:
        event.pop(name, None)
    place = {"doc": event.pop("doc"), "n": int(event.pop("n")), "t": t, "tab": document.tab}
    place["frame"] = document.frame if frame is None else frame
    place |= event
    return place


def earlier_pages(recording: Recording) -> int:
    """How many pages have gone of which a living one still finds events in the browser's store, by its last word.

    A page counts itself too until it is asked, at closing, to hand over what it holds back.
    """
    itself = 1 if recording.state == Recording.State.OPEN else 0
    living = recording.documents.filter(closed_at=None).values_list("left", flat=True)
    return max((left - itself for left in living if left > itself), default=0)


def counts(recording: Recording) -> dict[str, int]:
    """How many raw events are held, and how many the pages still wait to hand over."""
    documents = recording.documents.values_list("last", "received")
    waiting = sum(last - received for last, received in documents)
    return {"raw_events": recording.events.count(), "waiting": waiting}
