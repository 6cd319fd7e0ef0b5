"""Reading a trace file: what is wrong with it is said precisely, and nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recorder.cleaning.order import check, order_key
from recorder.errors import FootpathError
from recorder.formats.base import Trace

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


def read_trace(path: Path) -> Trace:
    """The trace in a file. Raises FootpathError (400)."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise refusal(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise refusal(f"{path} is not whole JSON, it may be cut off: {error}") from error
    return checked(document, str(path))


def checked(document: Any, name: str = "the trace") -> Trace:
    """A trace whose parts fit together. Raises FootpathError (400) that names what does not."""
    if not isinstance(document, dict):
        raise refusal(f"{name} is not a trace: a JSON object with 'schema' is needed")
    if document.get("schema") != SCHEMA:
        raise refusal(f"{name} is {document.get('schema') or 'without a schema'}; this version reads {SCHEMA}")
    for part in ("documents", "events", "steps"):
        if not isinstance(document.get(part), list):
            raise refusal(f"{name} has no list of {part}")
    check_events(document["events"], name)
    for number, step in enumerate(document["steps"], 1):
        check_step(step, number, len(document["events"]), name)
    return Trace(document, document["steps"])


def check_events(events: list[Any], name: str) -> None:
    """Refuse events that are no events or are not in the order that every `raw` range refers to."""
    for index, event in enumerate(events):
        try:
            check(event, index)
        except FootpathError as error:
            raise refusal(f"{name}: {error.message}") from error
        if index and order_key(event) < order_key(events[index - 1]):
            raise refusal(
                f"{name}: event {index} comes before event {index - 1} in time; order the events, then clean them again"
            )


def check_step(step: Any, number: int, events: int, name: str) -> None:
    """Refuse a step that is none, or that points outside the events."""
    if not isinstance(step, dict) or not isinstance(step.get("t"), int | float) or isinstance(step.get("t"), bool):
        raise refusal(f"{name}: step {number} is not an object with a time 't' in milliseconds")
    if step.get("type") not in STEP_TYPES:
        raise refusal(f"{name}: step {number} is of the unknown type {step.get('type')!r}")
    raw = step.get("raw")
    if not (isinstance(raw, list) and len(raw) == 2 and all(isinstance(i, int) for i in raw)):
        raise refusal(f"{name}: step {number} has no range 'raw' of two indexes")
    if not 0 <= raw[0] <= raw[1] < events:
        raise refusal(f"{name}: step {number} stands for events {raw[0]} to {raw[1]}, but there are {events}")


def refusal(message: str) -> FootpathError:
    return FootpathError("bad_trace", 400, message)
