"""Events' texts, checked and parsed fast. What the fast way refuses is asked again the slow way, which takes more."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from pydantic_core import SchemaValidator, ValidationError, core_schema, from_json, to_json

from recorder import schema

# No JSON, but the fast parser takes them; or spaces after a name, which is then not counted.
ODD = ("NaN", "Infinity", '" ', '"\t', '"\r')


def parsed(text: str | bytes) -> Any:
    """What JSON says. Raises ValueError where it is none."""
    try:
        return from_json(text)
    except ValueError:  # no JSON; or nested deeper than the fast parser goes, or with halves of characters
        return json.loads(text)


def check(text: str) -> tuple[str, int] | None:
    """(doc, n) of an event line that keeps the schema for certain and says nothing twice; None where the slow check must say."""
    if any(odd in text for odd in ODD):
        return None
    try:
        event = validator().validate_json(text)
    except ValidationError:
        return None
    if names_in(event) != text.count('":'):  # a name stands twice, or a text has one in it
        return None
    return event["doc"], event["n"]


def names_in(event: dict[str, Any]) -> int:
    """How many names stand in an event, which is known to the last of its fields."""
    named = len(event)
    if target := event.get("target"):
        named += len(target) + len(target.get("matches") or ())
    if event["type"] == "drag":
        named += len(event.get("from") or ()) + len(event.get("to") or ())
    return named


def written(value: Any) -> str:
    """JSON of plain data without spaces, characters as they are."""
    try:
        return to_json(value).decode()
    except ValueError:  # nested deeper than the fast writer goes
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def validator() -> SchemaValidator:
    """A validator for raw events, made from the table of types."""
    choices = {name: event_schema(name, fields) for name, fields in schema.TYPES.items()}
    return SchemaValidator(core_schema.tagged_union_schema(choices, discriminator="type", strict=True))


def event_schema(name: str, fields: dict[str, schema.Kind]) -> core_schema.CoreSchema:
    """All fields of one type of event."""
    target = core_schema.nullable_schema(object_of(schema.TARGET))
    own = {label: kind for label, kind in (schema.COMMON | fields).items() if label != "type!"}
    known = {label.removesuffix("!"): field(label, of_kind(kind)) for label, kind in own.items()}
    known["type"] = core_schema.typed_dict_field(core_schema.literal_schema([name]))
    known["target"] = core_schema.typed_dict_field(target, required=False)
    return core_schema.typed_dict_schema(known, extra_behavior="forbid", strict=True)


def object_of(fields: dict[str, schema.Kind]) -> core_schema.CoreSchema:
    known = {label.removesuffix("!"): field(label, of_kind(kind)) for label, kind in fields.items()}
    return core_schema.typed_dict_schema(known, extra_behavior="forbid", strict=True)


def field(label: str, kind: core_schema.CoreSchema) -> core_schema.TypedDictField:
    if label.endswith("!"):
        return core_schema.typed_dict_field(kind)
    return core_schema.typed_dict_field(core_schema.nullable_schema(kind), required=False)


def of_kind(kind: schema.Kind) -> core_schema.CoreSchema:
    """The strict core schema of a kind; never wider than the kind's own check."""
    json_schema: dict[str, Any] = kind[2]
    number = core_schema.float_schema(strict=True, ge=-schema.MAX_NUMBER, le=schema.MAX_NUMBER)
    text = core_schema.str_schema(strict=True)
    flat = core_schema.nullable_schema(core_schema.union_schema([text, core_schema.bool_schema(strict=True), number]))
    anything = core_schema.list_schema(flat, strict=True)
    if "enum" in json_schema:
        return core_schema.literal_schema(json_schema["enum"])
    known: dict[int, core_schema.CoreSchema] = {
        id(schema.TEXT): text,
        id(schema.NUMBER): number,
        id(schema.CLOCK): core_schema.float_schema(strict=True, ge=-schema.MAX_CLOCK, le=schema.MAX_CLOCK),
        id(schema.WHOLE): core_schema.int_schema(strict=True, ge=-(2**53), le=2**53),
        id(schema.FLAG): core_schema.bool_schema(strict=True),
        id(schema.LIST): anything,
        id(schema.OBJECT): core_schema.dict_schema(text, flat, strict=True),
        id(schema.TEXTS): core_schema.list_schema(text, strict=True),
        id(schema.VALUE): core_schema.union_schema([text, core_schema.bool_schema(strict=True), number, anything]),
        id(schema.NUMBER_FROM_0): core_schema.int_schema(strict=True, ge=0, le=schema.MAX_N),
        id(schema.DOCUMENT_ID): core_schema.str_schema(strict=True, pattern=r"^[A-Za-z0-9_-]{1,40}$"),
        id(schema.PATH): core_schema.list_schema(
            core_schema.list_schema(number, min_length=2, strict=True), strict=True
        ),
        id(schema.POINT): core_schema.list_schema(number, min_length=2, max_length=2, strict=True),
        id(schema.BOX): core_schema.list_schema(number, min_length=4, max_length=4, strict=True),
    }
    return known[id(kind)]
