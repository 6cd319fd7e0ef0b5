"""The trace to replay, read and checked: what is wrong with a file is said, never guessed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recorder.errors import FootpathError

SCHEMA = "footpath.trace/1"
Step = dict[str, Any]
Event = dict[str, Any]
Key = tuple[int, str]  # tab, frame path
CLOCKS_MS = 60  # by which the clocks of two documents may differ
DEFAULT_VIEWPORT = {"width": 1280, "height": 720}
STEP_TYPES = frozenset(
    {
        "click", "dblclick", "contextmenu", "fill", "press", "select_option", "set_value", "check", "upload", "paste", "copy",
        "scroll", "hover", "drag", "goto", "back", "forward", "reload", "tab", "dialog", "wait",
    }
)  # fmt: skip


class BadTrace(FootpathError):
    """The file is no trace that this version can replay."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_trace", 400, message)


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
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTrace(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadTrace(f"{path} is not whole JSON ({error}); copy or record it again.") from error
    if not isinstance(document, dict):
        raise BadTrace(f"{path} is not a trace: it must be an object with schema {SCHEMA}.")
    return source_of(document, str(path))


def source_of(trace: dict[str, Any], name: str = "the trace") -> Source:
    """A trace's steps, events and documents. Raises BadTrace naming what is missing, of another version or out of order."""
    if trace.get("schema") != SCHEMA:
        raise BadTrace(f"{name} is of schema {trace.get('schema')!r}; this version replays {SCHEMA}.")
    for part in ("steps", "events", "documents"):
        if not isinstance(trace.get(part), list):
            raise BadTrace(f"{name} has no list of {part}.")
    times = [event.get("t") for event in trace["events"]]
    for index, (one, other) in enumerate(zip(times, times[1:], strict=False), start=1):
        if not isinstance(one, int | float) or not isinstance(other, int | float) or other < one:
            raise BadTrace(f"{name}: event {index} is out of order or without a time; run clean_trace on it first.")
    for index, step in enumerate(trace["steps"]):
        check_step(step, index, len(trace["events"]), name)
    return Source(trace["steps"], trace["events"], trace["documents"])


def check_step(step: Any, index: int, events: int, name: str) -> None:
    """Raises BadTrace where a step cannot be played for want of a field."""
    if not isinstance(step, dict) or step.get("type") not in STEP_TYPES:
        kind = step.get("type") if isinstance(step, dict) else step
        raise BadTrace(f"{name}: step {index} is of type {kind!r}, which this version does not know.")
    span = step.get("raw")
    if not (isinstance(span, list) and len(span) == 2 and all(isinstance(end, int) for end in span)):
        raise BadTrace(f"{name}: step {index} ({step['type']}) has no range 'raw'.")
    if events and not 0 <= span[0] <= span[1] < events:
        raise BadTrace(f"{name}: step {index} is made of events {span}, but there are {events}: the file was cut.")
    if not isinstance(step.get("t"), int | float):
        raise BadTrace(f"{name}: step {index} ({step['type']}) has no time 't'.")
