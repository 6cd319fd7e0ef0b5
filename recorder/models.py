"""What the recorder keeps: recordings, their documents, raw events as they came, the site's own requests, and captures."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import MD5


class Recording(models.Model):
    """One attempt's worth of recording, served on an origin of its own, `<key>.<ENV_HOST>`."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSING = "closing"  # no new input counts; what the pages still hold is awaited
        CLOSED = "closed"

    key = models.CharField(max_length=40, unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    adapter = models.CharField(max_length=40)
    environment = models.CharField(max_length=80, blank=True)
    task = models.CharField(max_length=120, blank=True)
    variant = models.CharField(max_length=120, null=True)
    seed = models.BigIntegerField(default=0)
    session = models.CharField(max_length=200)  # the environment's own session id
    upstream = models.URLField(max_length=500)  # origin only; comes from the environment, never from a request
    start_path = models.CharField(max_length=2000, default="/")
    refuse = models.JSONField(default=list)  # path patterns that belong to the harness: 404 for the browser
    watch = models.JSONField(null=True)  # {selector, predicate, when, ends}: what success looks like in the page
    foreign = models.JSONField(null=True)  # {allow, stub}: what may be loaded from other hosts; None: anything
    capture = models.BooleanField(default=False)  # whether its pages are also kept as the person saw them
    success_at = models.DateTimeField(null=True)  # when a page first showed success
    success_holds = models.BooleanField(default=False)  # whether it shows it now
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)  # t = 0
    closing_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["open", "closing", "closed"]), name="recording_state_known"),
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | ~Q(state="closed"),
                name="recording_closed_has_instant",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Document(models.Model):
    """One page load (or frame) seen by the recorder, with the cursor up to which its events are held."""

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="documents")
    doc = models.CharField(max_length=40)  # the page's random id
    tab = models.PositiveIntegerField()  # in order of opening, 1…
    tab_keys = models.JSONField(default=list)  # history entry keys by which the tab is known again
    frame = models.CharField(max_length=500, blank=True)
    last = models.IntegerField(default=-1)  # highest n the page said it produced
    received = models.IntegerField(default=-1)  # highest contiguous n that is settled (stored or refused)
    offset_ms = models.FloatField(default=0)  # t = p + offset_ms
    clock = models.JSONField(default=dict)  # what the offset was estimated from
    meta = models.JSONField(default=dict)  # url, title, viewport, DPR, user agent, initial scroll, opened, closed
    opened_at = models.DateTimeField()  # first post
    seen_at = models.DateTimeField()  # last post from the living page
    closed_at = models.DateTimeField(null=True)  # pagehide was heard
    left = models.PositiveIntegerField(default=0)  # documents before it whose events are still in the browser's store

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["recording", "doc"], name="one_document_per_id"),
            models.CheckConstraint(condition=Q(received__lte=F("last")), name="document_received_within_last"),
        ]

    def __str__(self) -> str:
        return self.doc


class Event(models.Model):
    """A raw event: the line exactly as the page sent it.

    Its row is cheap to write: its document, whose recording is the event's, vouches for the recording, and the unique
    (document, n) is the index by document.
    """

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="events", db_constraint=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="events", db_index=False)
    n = models.PositiveIntegerField()
    body = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "n"], name="event_stored_once")]

    def __str__(self) -> str:
        return f"{self.document_id}:{self.n}"


class RefusedEvent(models.Model):
    """A line the schema refused: kept aside with the reason, never silently dropped."""

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="refused_events")
    doc = models.CharField(max_length=40, blank=True)
    n = models.IntegerField(null=True)
    code = models.CharField(max_length=40)
    reason = models.CharField(max_length=500)
    body = models.TextField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["recording", "doc", "n"], name="refused_once"),
            models.UniqueConstraint("recording", MD5("body"), condition=models.Q(n=None), name="refused_text_once"),
        ]

    def __str__(self) -> str:
        return f"{self.doc}:{self.n} {self.code}"


# How a request's `error` begins where a document went to the browser in which the recorder cannot run.
UNSEEN = "not recorded"


class SiteRequest(models.Model):
    """One of the site's own requests as the gateway passed it on; secrets are masked before it is written."""

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="requests")
    t = models.FloatField()  # ms since the recording's start, when the request arrived
    ms = models.FloatField()  # until the last byte of the reply
    method = models.CharField(max_length=20)
    path = models.TextField()
    status = models.PositiveSmallIntegerField()  # 0 where the upstream gave no answer
    request_bytes = models.BigIntegerField(default=0)
    response_bytes = models.BigIntegerField(default=0)
    request_body = models.TextField(blank=True)  # JSON bodies up to 64 KiB
    response_body = models.TextField(blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [models.Index(fields=["recording", "t"], name="site_request_by_time")]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}"


class CapturedPage(models.Model):
    """One page load as the person saw it; the document whose `time_origin` is the same is the recorder's own of it."""

    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="captured_pages")
    page = models.CharField(max_length=40)  # the page's random id of its own
    time_origin = models.FloatField()  # when the page load began, ms since 1970 by the browser's clock
    url = models.CharField(max_length=2000, blank=True)
    last = models.IntegerField(default=-1)  # highest number of a chunk that the page said it made
    lost = models.PositiveIntegerField(default=0)  # events that the page had to drop
    fault = models.CharField(max_length=500, blank=True)  # what went wrong in the page, in its own words
    ended = models.BooleanField(default=False)  # it said farewell

    class Meta:
        constraints = [models.UniqueConstraint(fields=["recording", "page"], name="one_captured_page_per_id")]

    def __str__(self) -> str:
        return self.page


class CaptureChunk(models.Model):
    """A piece of a page's capture: some of rrweb's events, one a line, packed with gzip."""

    page = models.ForeignKey(CapturedPage, on_delete=models.CASCADE, related_name="chunks")
    n = models.PositiveIntegerField()
    events = models.PositiveIntegerField()
    first = models.FloatField()  # ms on the page's own clock of its first and last event
    last = models.FloatField()
    size = models.PositiveIntegerField()  # bytes unpacked
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["page", "n"], name="capture_chunk_stored_once")]

    def __str__(self) -> str:
        return f"{self.page_id}:{self.n}"
