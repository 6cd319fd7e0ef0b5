"""The body of a capture's post: one header line, then one of rrweb's events a line. Parsing only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from recorder.errors import FootpathError
from recorder.schema import DOC, MAX_CLOCK, is_number, is_whole
from recorder.wire import refuse_constant, storable

VERSION = 1
MAX_N = 1_000_000
KINDS = range(7)  # rrweb's types of events


@dataclass(frozen=True)
class Piece:
    """A parsed post: what its header says of the page, and its events' lines with the time of the first and last (ms).

    `n` numbers the posts that hold events; one without any names the number of the last that did, -1 before the first.
    """

    page: str
    n: int
    time_origin: float
    url: str
    lost: int
    fault: str
    final: bool
    lines: tuple[str, ...]
    first: float
    last: float


def parse(body: bytes) -> Piece:
    """Read a post. Raises FootpathError (400) where anything of it is broken."""
    try:
        header, *lines = body.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise malformed(f"not UTF-8 at byte {error.start}") from error
    told = loaded(header)
    if told.get("v") != VERSION:
        raise malformed(f"version {told.get('v')!r}; this server speaks {VERSION}")
    page: Any = told.get("page")
    n: Any = told.get("n")
    origin: Any = told.get("time_origin")
    lost: Any = told.get("lost", 0)
    if not isinstance(page, str) or not DOC.match(page):
        raise malformed("'page' must be an id of 1 to 40 letters, digits, - or _")
    if not is_number(origin) or not 0 < origin < 1e14:
        raise malformed("'time_origin' must be milliseconds since 1970")
    if not is_whole(lost) or not 0 <= lost < 2**31:
        raise malformed("'lost' must be a whole number from 0")
    kept = tuple(line for line in lines if line.strip())
    if not is_whole(n) or not (0 if kept else -1) <= n < MAX_N:
        raise malformed(f"'n' must be a whole number from 0, below {MAX_N}")
    times = [time_of(line) for line in kept] or [0.0]
    return Piece(
        page,
        int(n),
        float(origin),
        text(told.get("url"))[:2000],
        int(lost),
        text(told.get("fault"))[:500],
        told.get("final") is True,
        kept,
        times[0],
        times[-1],
    )


def time_of(line: str) -> float:
    """The time of an event's line, ms on the page's clock."""
    event = loaded(line)
    kind: Any = event.get("type")
    at: Any = event.get("timestamp")
    if not isinstance(kind, int) or isinstance(kind, bool) or kind not in KINDS or "data" not in event:
        raise malformed("an event needs 'data' and a 'type' from 0 to 6")
    if not is_number(at) or abs(at) > MAX_CLOCK:
        raise malformed("an event's 'timestamp' must be milliseconds since its page began")
    return float(at)


def loaded(line: str) -> dict[str, Any]:
    """A line's JSON object. Raises FootpathError (400)."""
    try:
        value = json.loads(line, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise malformed(f"not JSON: {str(error)[:200]}") from error
    if not isinstance(value, dict):
        raise malformed("a line is not a JSON object")
    return value


def text(value: Any) -> str:
    return storable(value) if isinstance(value, str) else ""


def malformed(what: str) -> FootpathError:
    return FootpathError("malformed", 400, f"The capture is malformed: {storable(what)}. Nothing of it was stored.")
