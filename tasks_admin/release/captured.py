"""The captures of attempts, for whoever clears them: how much there is, and what looks private in the texts of the pages.

Texts, values and addresses in the page are looked through, style sheets and pictures are not. Of a large capture only the first
LOOKED_THROUGH characters are, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotate.models import Attempt
from recorder.capture.query import events_of, pages_of
from tasks_admin.exports.rows import attempt_id
from tasks_admin.release import items
from tasks_admin.release.detector import found

LOOKED_THROUGH = 1_000_000  # characters of texts
NO_TEXTS = frozenset(
    {"_cssText", "cssText", "rr_dataURL", "style", "class", "id", "d", "srcset", "tagName", "type", "source"}
    | {"viewBox", "points", "transform"}  # drawings
)


@dataclass(frozen=True)
class Item:
    """An attempt's capture: its size, (what it looks like, the piece of text), and whether only a part was looked through."""

    attempt: Attempt
    name: str
    state: str
    pages: int
    events: int
    size: int
    suspicions: list[tuple[str, str]]
    in_part: bool


def item_of(attempt: Attempt, names: list[str]) -> Item:
    """The capture of an attempt that `items.rows` gave."""
    assert attempt.recording is not None
    pages = pages_of(attempt.recording)
    size = sum(page.size for page in pages)
    told: dict[str, str] = {}
    read = 0
    for text in texts_of(attempt):
        read += len(text)
        if read > LOOKED_THROUGH:
            break
        for words, piece in found(text, names):
            told.setdefault(words, piece)
    suspicions = sorted(told.items())
    counts = len(pages), sum(page.events for page in pages), size
    return Item(attempt, attempt_id(attempt), items.state_of(attempt), *counts, suspicions, read > LOOKED_THROUGH)


def texts_of(attempt: Attempt) -> Iterator[str]:
    """The texts of the capture's pages."""
    assert attempt.recording is not None
    for _, events in events_of(attempt.recording):
        for event in events:
            yield from texts_in(event.get("data"))


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a piece of a page that people may read, or may have had a hand in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, dict) and not value.get("isStyle"):
        for name, one in value.items():
            if name not in NO_TEXTS and not (isinstance(one, str) and one.startswith("data:")):
                yield from texts_in(one)
