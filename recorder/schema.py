"""The raw event schema, in one place: a table from which both the fast check at ingest and the JSON Schema are made.

A field that the table does not name may be there and is kept; a named one must have its kind. Fields are optional (absent
or null) unless marked with `!`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Kind = tuple[str, Callable[[Any], bool], dict[str, Any]]

MAX_N = 100_000_000  # at twenty events a second that page is open for two months
MAX_CLOCK = 1e11  # no document is older than three years
MAX_NUMBER = 1e300  # a larger number, or the sum of a few, is none that other languages can hold
MAX_DEPTH = 100  # of lists and objects within each other
DOC = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")


def is_number(value: Any) -> bool:
    """True for a JSON number of which others can hold a sum, too."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER


def is_whole(value: Any) -> bool:
    """True for a JSON number without a fraction (1.0 is one, as in JSON Schema)."""
    return is_number(value) and float(value).is_integer()


def is_clock(value: Any) -> bool:
    """True for a number of milliseconds that a document can be old."""
    return is_number(value) and abs(value) <= MAX_CLOCK


def one_of(*values: str) -> Kind:
    return (
        "one of " + ", ".join(values),
        lambda value: isinstance(value, str) and value in values,
        {"enum": list(values)},
    )


TEXT: Kind = ("text", lambda value: isinstance(value, str), {"type": "string"})
NUMBER: Kind = ("a number", is_number, {"type": "number"})
WHOLE: Kind = ("a whole number", is_whole, {"type": "integer"})
FLAG: Kind = ("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
LIST: Kind = ("a list", lambda value: isinstance(value, list), {"type": "array"})
OBJECT: Kind = ("an object", lambda value: isinstance(value, dict), {"type": "object"})
TEXTS: Kind = (
    "a list of texts",
    lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    {"type": "array", "items": {"type": "string"}},
)
# A value is text, the length of a secret one, a list (several options) or a box's state.
VALUE: Kind = (
    "text, a number, a list or true or false",
    lambda value: isinstance(value, str | bool | list) or is_number(value),
    {"type": ["string", "number", "boolean", "array"]},
)
NUMBER_FROM_0: Kind = (
    f"a whole number from 0 to {MAX_N}",
    lambda value: is_whole(value) and 0 <= value <= MAX_N,
    {"type": "integer", "minimum": 0, "maximum": MAX_N},
)
CLOCK: Kind = (
    f"a number of milliseconds up to {MAX_CLOCK:.0f}",
    is_clock,
    {"type": "number", "minimum": -MAX_CLOCK, "maximum": MAX_CLOCK},
)
DOCUMENT_ID: Kind = (
    "an id of 1 to 40 letters, digits, - or _",
    lambda value: isinstance(value, str) and bool(DOC.match(value)),
    {"type": "string", "pattern": r"^[A-Za-z0-9_-]{1,40}$"},
)
BOX: Kind = (
    "four numbers",
    lambda value: isinstance(value, list) and len(value) == 4 and all(is_number(item) for item in value),
    {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
)

POINT: Kind = (
    "two numbers",
    lambda value: isinstance(value, list) and len(value) == 2 and all(is_number(item) for item in value),
    {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
)

PATH: Kind = (
    "a list of points",
    lambda value: (
        isinstance(value, list)
        and all(isinstance(point, list) and len(point) >= 2 and all(map(is_number, point)) for point in value)
    ),  # noqa: PLR2004  (x and y)
    {"type": "array", "items": {"type": "array", "items": {"type": "number"}, "minItems": 2}},
)

TARGET: dict[str, Kind] = {
    "xpath": TEXT,
    "css": TEXT,
    "role": TEXT,
    "name": TEXT,
    "testid": TEXT,
    "tag": TEXT,
    "text": TEXT,
    "box": BOX,
    "offset": POINT,
    "editable": one_of("line", "block"),
    "matches": OBJECT,
    "secret": FLAG,
    "type": TEXT,
}

ORIGIN = one_of("user", "page")
COMMON: dict[str, Kind] = {
    "doc!": DOCUMENT_ID,
    "n!": NUMBER_FROM_0,
    "p!": CLOCK,
    "type!": TEXT,
    "origin!": ORIGIN,
    "frame": TEXT,
    "gesture": WHOLE,
}
POINTER: dict[str, Kind] = {
    "x": NUMBER,
    "y": NUMBER,
    "button": WHOLE,
    "detail": WHOLE,
    "modifiers": TEXTS,
    "by": TEXT,
    "opens": TEXT,
    "path": PATH,
    "heard": FLAG,
}
CLIPBOARD: dict[str, Kind] = {"text": TEXT, "length": NUMBER}
TYPES: dict[str, dict[str, Kind]] = {
    "click": POINTER,
    "dblclick": POINTER,
    "contextmenu": POINTER,
    "auxclick": POINTER,
    "mousemove": POINTER | {"effect": one_of("hover", "selection", "focus", "click")},
    "keydown": {"key!": TEXT, "code": TEXT, "modifiers": TEXTS, "repeat": FLAG},
    "input": {"value": VALUE, "inputType": TEXT, "data": VALUE, "before": VALUE, "by": TEXT},
    "composition": {"phase": TEXT, "data": VALUE, "value": VALUE},
    "change": {
        "value": VALUE,
        "label": TEXT,
        "index": WHOLE,
        "checked": FLAG,
        "files": TEXTS,
        "values": LIST,
        "by": TEXT,
    },
    "copy": CLIPBOARD,
    "cut": CLIPBOARD,
    "paste": CLIPBOARD,
    "scroll": {"dx": NUMBER, "dy": NUMBER, "top": NUMBER, "left": NUMBER},
    "focus": {},
    "blur": {},
    "selection": {"text": TEXT, "length": NUMBER},
    "submit": {"submitter": VALUE, "by": TEXT},
    "drag": {"from": OBJECT, "to": OBJECT, "path": PATH, "how": TEXT, "dropped": FLAG},
    "navigate": {
        "url!": TEXT,
        "how!": one_of("load", "push", "replace", "pop", "hash", "reload", "back", "forward", "bfcache"),
        "cause": one_of("typed", "link", "form", "script", "redirect", "traversal"),
        "delta": WHOLE,
    },
    "tab": {"action!": one_of("open", "close", "switch")},
    "dialog": {"kind!": TEXT, "text": TEXT, "answer": VALUE, "opened": NUMBER},
    "download": {"url": TEXT, "name": TEXT},
    "visibility": {"state": TEXT},
    "resize": {"viewport": LIST, "dpr": NUMBER, "zoom": NUMBER},
    "blind": {"reason!": TEXT},
}


Rule = tuple[str, bool, str, Callable[[Any], bool]]  # name, required, words, check


def rules(fields: dict[str, Kind]) -> tuple[Rule, ...]:
    """Fields as the fast check wants them."""
    return tuple(
        (label.removesuffix("!"), label.endswith("!"), words, holds) for label, (words, holds, _) in fields.items()
    )


COMMON_RULES, TARGET_RULES = rules(COMMON), rules(TARGET)
TYPE_RULES = {name: rules(fields) for name, fields in TYPES.items()}


def problem(event: Any) -> str | None:
    """What is wrong with a raw event as it comes from a page, in one sentence; None where it keeps the schema."""
    if not isinstance(event, dict):
        return "the line is not a JSON object"
    if found := misfit(event, COMMON_RULES, ""):
        return found
    own = TYPE_RULES.get(event["type"])
    if own is None:
        return f"there is no event type {event['type'][:40]!r}"
    return misfit(event, own, "") or target_problem(event.get("target"))


class Odd(ValueError):
    """What two readers of a line might read in two ways."""


def oddity(text: str) -> str | None:
    """What keeps JSON from being the same to every reader, in one sentence: a name twice in an object, a number that others cannot
    hold, lists within lists beyond MAX_DEPTH. None where nothing does. Raises ValueError where it is no JSON."""
    try:
        value = json.loads(text, object_pairs_hook=once, parse_float=held_by_others, parse_int=held_by_others)
    except Odd as odd:
        return str(odd)
    layer = [value]
    for _ in range(MAX_DEPTH):
        inside = (part.values() if isinstance(part, dict) else part for part in layer if isinstance(part, dict | list))
        layer = [item for items in inside for item in items]
    return f"there is something within more than {MAX_DEPTH} lists or objects" if layer else None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its pairs. Raises Odd where a name comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise Odd(f"the field {twice[:40]!r} stands twice")
    return found


def held_by_others(text: str) -> float:
    """The number that is written so. Raises Odd where other languages cannot hold it."""
    if not abs(float(text)) <= MAX_NUMBER:
        raise Odd(f"the number {text[:20]}{'…' if len(text) > 20 else ''} is too large")  # noqa: PLR2004
    return float(text)


def target_problem(target: Any) -> str | None:
    """What is wrong with a target, or None."""
    if target is None:
        return None
    return misfit(target, TARGET_RULES, "target.") if isinstance(target, dict) else "target must be an object"


def misfit(event: dict[str, Any], wanted: tuple[Rule, ...], prefix: str) -> str | None:
    """The first field of the wrong kind, or None."""
    for name, required, words, holds in wanted:
        value = event.get(name)
        if value is None:
            if required:
                return f"{prefix}{name} is missing"
        elif not holds(value):
            return f"{prefix}{name} must be {words}"
    return None


def json_schema(*, stored: bool = False) -> dict[str, Any]:
    """JSON Schema (2020-12) of a raw event: as sent by a page, or `stored` (with `t` and `tab` in place of `p`)."""
    common = {name: kind for name, kind in COMMON.items() if not (stored and name == "p!")}
    if stored:
        common |= {"t!": NUMBER, "tab!": NUMBER_FROM_0, "frame!": TEXT}
        common.pop("frame")
    schema = object_schema(common)
    schema["properties"]["type"] = {"enum": list(TYPES)}
    schema["properties"]["target"] = nullable(object_schema(TARGET))
    schema["allOf"] = [
        {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": object_schema(fields)}
        for name, fields in TYPES.items()
    ]
    return schema


def object_schema(fields: dict[str, Kind]) -> dict[str, Any]:
    """JSON Schema of an object with these fields."""
    properties = {
        label.removesuffix("!"): schema if label.endswith("!") else nullable(schema)
        for label, (_, _, schema) in fields.items()
    }
    required = [label[:-1] for label in fields if label.endswith("!")]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}
