"""The body of a post: one header line, then one event a line. Parsing only; nothing here knows a database.

The worker says most of its batches shorter than by lines: `recorder.shorthand`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from recorder import fast
from recorder.errors import FootpathError
from recorder.schema import DOC, MAX_CLOCK, MAX_N, is_number, is_whole, oddity, problem

VERSION = 1
MAX_DOCS, MAX_KEYS, MAX_FRAME, MAX_META = 200, 200, 500, 64 * 1024


@dataclass(frozen=True)
class DocumentNote:
    """What the header says of one document; `meta` is scrubbed of what PostgreSQL's JSON cannot hold."""

    doc: str
    last: int
    keys: tuple[str, ...]
    frame: str
    meta: dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One event line: verbatim, and parsed where it could be. `reason` says why the schema refuses it."""

    text: str
    doc: str = ""
    n: int | None = None
    code: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Batch:
    """A parsed post. `sent` is on the sending document's clock, ms; the first of `docs` is the sender."""

    sent: float
    rtt: float | None
    docs: tuple[DocumentNote, ...]
    final: bool
    left: int = 0  # documents before the sender whose events are still in the browser's store
    lines: list[Line] = field(default_factory=list)


def parse(body: bytes) -> Batch:
    """Read a post. Raises FootpathError (400) where the header or the encoding is broken; broken events are only marked."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise malformed(f"not UTF-8 at byte {error.start}") from error
    header, *lines = text.split("\n")
    return read_header(header, [read_line(line) for line in lines if line.strip()])


def read_header(text: str, lines: list[Line]) -> Batch:
    """The header line, checked."""
    header = loaded(text)
    if not isinstance(header, dict):
        raise malformed("the first line is not a JSON object")
    if header.get("v") != VERSION:
        raise malformed(f"protocol version {header.get('v')!r}; this server speaks {VERSION}")
    return batch_of(header, lines)


def batch_of(header: dict[str, Any], lines: list[Line]) -> Batch:
    """A header and its lines, the header checked field by field."""
    if not is_number(header.get("sent")) or abs(header["sent"]) > MAX_CLOCK:
        raise malformed(f"'sent' must be milliseconds since the document began, at most {MAX_CLOCK:.0f}")
    docs = header.get("docs")
    if not isinstance(docs, list) or not 1 <= len(docs) <= MAX_DOCS:
        raise malformed(f"'docs' must list 1 to {MAX_DOCS} documents")
    rtt: Any = header.get("rtt")
    known_rtt = float(rtt) if is_number(rtt) and rtt >= 0 else None
    left: Any = header.get("left")
    waiting = min(int(left), 10_000) if is_whole(left) and left > 0 else 0
    notes = tuple(map(read_note, docs))
    return Batch(float(header["sent"]), known_rtt, notes, header.get("final") is True, waiting, lines)


def read_note(entry: Any) -> DocumentNote:
    """One entry of `docs`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("doc"), str) or not DOC.match(entry["doc"]):
        raise malformed("each of 'docs' needs an id 'doc' of 1 to 40 letters, digits, - or _")
    last = entry.get("last", -1)
    if isinstance(last, bool) or not isinstance(last, int) or not -1 <= last <= MAX_N:
        raise malformed(f"'last' must be a whole number from -1 to {MAX_N}")
    tab, meta = entry.get("tab") or {}, entry.get("meta") or {}
    if not isinstance(tab, dict) or not isinstance(meta, dict):
        raise malformed("'tab' and 'meta' must be objects")
    if not is_finite(meta):
        raise malformed("'meta' has a number that is none")
    keys = tab.get("keys") or []
    if not isinstance(keys, list):
        raise malformed("'tab.keys' must be a list")
    frame = entry.get("frame") or ""
    if not isinstance(frame, str):
        raise malformed("'frame' must be text")
    kept = tuple(storable(key)[:100] for key in keys[-MAX_KEYS:] if isinstance(key, str))
    return DocumentNote(entry["doc"], last, kept, storable(frame)[:MAX_FRAME], small(storable_json(meta)))


def is_finite(value: Any) -> bool:
    """True where every number in it is one that JSON and other programs can hold."""
    if isinstance(value, dict):
        return all(map(is_finite, value.values()))
    if isinstance(value, list):
        return all(map(is_finite, value))
    return isinstance(value, bool) or not isinstance(value, int | float) or is_number(value)


def read_line(text: str) -> Line:
    """One event line, marked with what is wrong with it."""
    if (known := fast.check(text)) is not None:
        return Line(text, *known)
    try:
        event = json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        return Line(text, code="not_json", reason=f"not JSON: {error}"[:300])
    doc = event.get("doc") if isinstance(event, dict) else None
    n = event.get("n") if isinstance(event, dict) else None
    wrong = oddity(text) or problem(event)
    known_doc = doc if isinstance(doc, str) and DOC.match(doc) else ""
    known_n = int(n) if n is not None and is_whole(n) and 0 <= n <= MAX_N else None
    return Line(text, known_doc, known_n, "schema" if wrong else "", storable(wrong or ""))


def refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def loaded(text: str) -> Any:
    """JSON, or a FootpathError (400)."""
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise malformed(f"the first line is not JSON: {error}") from error


def malformed(what: str) -> FootpathError:
    return FootpathError("malformed", 400, f"The batch is malformed: {storable(what)}. Nothing of it was stored.")


def small(meta: dict[str, Any]) -> dict[str, Any]:
    """`meta` if it is of a sensible size; else only its short fields."""
    if len(json.dumps(meta)) <= MAX_META:
        return meta
    return {name: value for name, value in meta.items() if len(json.dumps(value)) <= 2000}


def storable(text: str) -> str:
    """Text without NUL and lone surrogates, which PostgreSQL cannot hold."""
    return text.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable_json(value: Any) -> Any:
    """The same for every text within a JSON value."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_json(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable_json(item) for name, item in value.items()}
    return value
