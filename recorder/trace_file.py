"""Reading `footpath.trace/1` files: what is wrong with one is said precisely, and nothing is guessed. Pure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recorder.cleaning.order import check, order_key
from recorder.errors import FootpathError

SCHEMA = "footpath.trace/1"
STEP_TYPES = frozenset(
    [
        "click",
        "dblclick",
        "contextmenu",
        "fill",
        "press",
        "select_option",
        "set_value",
        "check",
        "upload",
        "paste",
        "copy",
        "scroll",
        "hover",
        "drag",
        "goto",
        "back",
        "forward",
        "reload",
        "tab",
        "dialog",
        "wait",
    ]
)


class BadTrace(FootpathError):
    """The file is no trace that this version reads; the message says where and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_trace", 400, message)


def read_trace_file(path: Path) -> dict[str, Any]:
    """The trace in a file, checked. Raises BadTrace."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTrace(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadTrace(f"{path} is not whole JSON, it may be cut off ({error}); copy or record it again") from error
    return check_trace(document, str(path))


def check_trace(document: Any, name: str = "the trace") -> dict[str, Any]:
    """The same document, if its parts fit together. Raises BadTrace that names what does not.

    `events` may be empty where only the steps were kept; then nothing is checked against them.
    """
    if not isinstance(document, dict):
        raise BadTrace(f"{name} is not a trace: a JSON object with 'schema' is needed")
    if document.get("schema") != SCHEMA:
        raise BadTrace(f"{name} is {document.get('schema') or 'without a schema'}; this version reads {SCHEMA}")
    for part in ("documents", "events", "steps"):
        if not isinstance(document.get(part), list):
            raise BadTrace(f"{name} has no list of {part}")
    check_events(document["events"], name)
    for number, step in enumerate(document["steps"], 1):
        check_step(step, number, len(document["events"]), name)
    return document


def check_events(events: list[Any], name: str) -> None:
    """Refuse events that are no events or are not in the order that every `raw` range refers to."""
    for index, event in enumerate(events):
        try:
            check(event, index)
        except FootpathError as error:
            raise BadTrace(f"{name}: {error.message}") from error
        if index and order_key(event) < order_key(events[index - 1]):
            raise BadTrace(
                f"{name}: event {index} comes before event {index - 1} in time; order the events, then clean them again"
            )


def check_step(step: Any, number: int, events: int, name: str) -> None:
    """Refuse a step that is none, or that points outside the events."""
    if not isinstance(step, dict) or not isinstance(step.get("t"), int | float) or isinstance(step.get("t"), bool):
        raise BadTrace(f"{name}: step {number} is not an object with a time 't' in milliseconds")
    if step.get("type") not in STEP_TYPES:
        raise BadTrace(f"{name}: step {number} is of the unknown type {step.get('type')!r}")
    raw = step.get("raw")
    if not (isinstance(raw, list) and len(raw) == 2 and all(isinstance(i, int) for i in raw)):
        raise BadTrace(f"{name}: step {number} has no range 'raw' of two indexes")
    if events and not 0 <= raw[0] <= raw[1] < events:
        raise BadTrace(
            f"{name}: step {number} stands for events {raw[0]} to {raw[1]}, but there are {events}: the file was cut"
        )
