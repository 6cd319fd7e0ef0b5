"""The trace to replay: its steps, and what of its events and documents a replay asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recorder.trace_file import check_trace, read_trace_file

Step = dict[str, Any]
Event = dict[str, Any]
Key = tuple[int, str]  # tab, frame path
CLOCKS_MS = 60  # by which the clocks of two documents may differ
DEFAULT_VIEWPORT = {"width": 1280, "height": 720}


@dataclass(frozen=True)
class Source:
    """A trace as the replay reads it. `events` may be empty: then text is typed as its value says, not key by key."""

    steps: list[Step]
    events: list[Event]
    documents: list[dict[str, Any]]

    @property
    def url(self) -> str:
        """The address that the recording began with, or ''."""
        first = next((entry for entry in self.documents if not entry.get("frame")), {})
        return str(first.get("url") or "")

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""

    def tab(self, number: int) -> int:
        """Which tab, in order of opening, the recording's tab `number` is.

        A page that followed another very soon may have been given a tab of its own; it never said that a tab was opened.
        """
        return self._tabs.get(number, number)

    @cached_property
    def _tabs(self) -> dict[int, int]:
        opened = {event.get("tab") for event in self.events if event["type"] == "tab" and event.get("action") == "open"}
        tops = [entry for entry in self.documents if not entry.get("frame")]
        numbers: dict[int, int] = {}
        for place, entry in enumerate(tops):
            tab = entry.get("tab", 1)
            if tab in numbers:
                continue
            before = tops[place - 1] if place and opened and tab not in opened else None
            followed = (
                max(numbers.values(), default=0) + 1 if before is None else numbers[closed_last(tops[:place], entry)]
            )
            numbers[tab] = followed
        return numbers

    def window(self) -> dict[str, Any]:
        """Options of a browser context like the person's window."""
        first: dict[str, Any] = next((entry for entry in self.documents if entry.get("viewport")), {})
        size = first.get("viewport")
        viewport = {"width": int(size[0]), "height": int(size[1])} if size else dict(DEFAULT_VIEWPORT)
        ratio = first.get("dpr")
        return {"viewport": viewport} | ({"device_scale_factor": float(ratio)} if ratio else {})

    def raw(self, step: Step) -> list[Event]:
        """The person's raw events that the step was made of."""
        first, last = step["raw"]
        return [event for event in self.events[first : last + 1] if event.get("origin", "user") == "user"]

    def pointer_before(self, step: Step) -> tuple[float, float] | None:
        """Where the pointer was last seen in the step's own document before it, on that document's viewport."""
        for event in reversed(self.events[: step["raw"][0]]):
            if event.get("doc") == step.get("doc") and isinstance(event.get("x"), int | float):
                return float(event["x"]), float(event["y"])
        return None

    def way_to(self, index: int) -> list[tuple[float, float, float]]:
        """x, y, t of the pointer's moves between the step before and step `index`, in the step's own document."""
        step = self.steps[index]
        since = self.steps[index - 1]["raw"][1] if index else -1
        moves = [event for event in self.events[since + 1 : step["raw"][0]] if event["type"] == "mousemove"]
        return [
            (event["x"], event["y"], event["t"])
            for event in moves
            if event.get("doc") == step.get("doc") and "x" in event
        ]

    def url_of(self, doc: str | None) -> str:
        """The address of a document, or ''."""
        return next((str(entry.get("url") or "") for entry in self.documents if entry.get("doc") == doc), "")


def closed_last(before: list[dict[str, Any]], entry: dict[str, Any]) -> int:
    """The tab of the document that had closed when `entry` opened, the latest such; else of the one before it."""
    at = entry.get("opened")
    gone = [
        one for one in before if at is not None and one.get("closed") is not None and one["closed"] <= at + CLOCKS_MS
    ]
    return int((max(gone, key=lambda one: one["closed"]) if gone else before[-1]).get("tab", 1))


def read_source(path: Path) -> Source:
    """The trace in a file. Raises BadTrace saying what is wrong and what to do."""
    return of(read_trace_file(path))


def source_of(trace: dict[str, Any], name: str = "the trace") -> Source:
    """A trace's steps, events and documents. Raises BadTrace naming what is missing, of another version or out of order."""
    return of(check_trace(trace, name))


def of(trace: dict[str, Any]) -> Source:
    return Source(trace["steps"], trace["events"], trace["documents"])
