"""Whether the values in a request may be kept.

A page may send a secret under any name and in any form, and only the page knows it. So a value is kept once every page that
was open has told, after the request, that no secret field of it held anything; until then, and where one tells otherwise or
none is heard, the log holds the request without its values. A page that no recorder can run in tells nothing, so from the first
of them on no value is kept, but where it is of a type in which nothing can be typed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from recorder.models import UNSEEN, Document, SiteRequest
from recorder.schema import is_number

AT_LEAST = timedelta(seconds=3)  # a page that has just come up may not have been heard yet
TOLD_AFTER = timedelta(seconds=1)  # what a page says this much later was said after the request
GIVE_UP = timedelta(seconds=30)
LEAVING = timedelta(seconds=5)  # a page that has gone may still be the one that asked
SILENT = timedelta(seconds=30)  # a page not heard for so long has crashed
WITHOUT_FIELDS = re.compile(
    rf"{UNSEEN}: a document of type ((image|audio|video)/|(text/plain|application/(json|pdf))\b)"
)
CLOCK = timedelta(seconds=1)  # how far a page's clock may be off


@dataclass(frozen=True)
class Told:
    """What a page has told, and when: `secret` is since when it holds one, None where it never did."""

    heard: datetime
    closed: datetime | None
    secret: datetime | None

    def concerns(self, arrived: datetime) -> bool:
        """True where a request that arrived then may be this page's."""
        return (self.closed + LEAVING if self.closed else self.heard + SILENT) >= arrived

    def vouches(self, ended: datetime) -> bool:
        """True where it has told everything up to then."""
        return self.closed is not None or self.heard >= ended + TOLD_AFTER


def told(recordings: Iterable[int], since: datetime) -> dict[int, list[Told]]:
    """The pages of these recordings, without those that a request from then on cannot concern."""
    found: dict[int, list[Told]] = defaultdict(list)
    gone = Q(closed_at__lt=since - LEAVING) | Q(closed_at=None, seen_at__lt=since - SILENT)
    for page in Document.objects.filter(~gone, recording__in=recordings).select_related("recording"):
        found[page.recording_id].append(Told(page.seen_at, page.closed_at, secret_since(page)))
    for recording, came in unheard(recordings):
        found[recording].append(Told(datetime.now(UTC), None, came))
    return found


def unheard(recordings: Iterable[int]) -> Iterable[tuple[int, datetime]]:
    """(recording, when it came) of the pages that no recorder can run in."""
    shown = SiteRequest.objects.filter(recording__in=recordings, error__startswith=UNSEEN)
    for recording, begun, t, error in shown.values_list("recording", "recording__started_at", "t", "error"):
        if not WITHOUT_FIELDS.match(error):
            yield recording, (begun or datetime.min.replace(tzinfo=UTC)) + timedelta(milliseconds=t)


def secret_since(page: Document) -> datetime | None:
    """Since when a page holds a secret, on our clock; from its first word on where it cannot be told."""
    since = page.meta.get("secret")
    if since is None:
        return None
    begun = page.recording.started_at
    if begun is None or not is_number(since):
        return page.opened_at - SILENT
    return begun + timedelta(milliseconds=since + page.offset_ms) - CLOCK


def may_keep(arrived: datetime, ended: datetime, now: datetime, pages: Iterable[Told]) -> bool | None:
    """Whether the values of a request are kept; None where it is not certain yet."""
    then = [page for page in pages if page.concerns(arrived)]
    if now - ended > GIVE_UP or any(page.secret is not None and page.secret <= ended for page in then):
        return False
    if now - ended >= AT_LEAST and then and all(page.vouches(ended) for page in then):
        return True
    return None
