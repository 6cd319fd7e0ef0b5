"""The bundle's tables: an allow-list of columns with their types and meanings. What is not here does not leave the house."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

SCHEMA_VERSION = "footpath.bundle/1"
TYPES: dict[str, tuple[pa.DataType, dict[str, Any]]] = {
    "text": (pa.string(), {"type": "string"}),
    "integer": (pa.int64(), {"type": "integer"}),
    "count": (pa.int64(), {"type": "integer", "minimum": 0}),
    "number": (pa.float64(), {"type": "number"}),
    "share": (pa.float64(), {"type": "number", "minimum": 0, "maximum": 1}),
    "flag": (pa.bool_(), {"type": "boolean"}),
    "texts": (pa.list_(pa.string()), {"type": "array", "items": {"type": "string"}}),
}


AMONG = {  # the texts that a column may have
    "attempt": ("cold", "warm"),
    "change": ("name", "text", "option", "person", "joined", "left", "returned", "plan"),
    "condition": ("clean", "intervention"),
    "decision": ("accept", "accept_alternate", "return", "exclude", "task_faulty"),
    "difficulty": ("easy", "medium", "hard", "expert", "frontier"),
    "moment": ("before", "after"),
    "origin": ("user", "page"),
    "outcome": ("verified", "fails_check", "breaks", "not_played"),
    "pace": ("fast", "original"),
    "picture": ("image/png", "image/webp"),
    "role": ("primary", "duplicate", "practice"),
    "status": ("complete", "rolled_back", "abandoned", "void", "superseded", "withdrawn", "excluded", "task_faulty"),
    "tier": ("primary", "duplicate"),
    "words": ("comment", "reason"),
}


@dataclass(frozen=True)
class Column:
    """One column: its name, kind (a key of TYPES), meaning, whether it may be null, and of what texts it is one, where they are few."""

    name: str
    kind: str
    meaning: str
    nullable: bool = False
    among: tuple[str, ...] = ()


def _columns(*rows: tuple[str, str, str]) -> tuple[Column, ...]:
    """(name, kind, meaning); a kind that ends in "?" may be null, one that is a key of AMONG is a text of these."""
    return tuple(_column(*row) for row in rows)


def _column(name: str, told: str, meaning: str) -> Column:
    kind = told.rstrip("?")
    return Column(name, "text" if kind in AMONG else kind, meaning, told.endswith("?"), AMONG.get(kind, ()))


TABLES: dict[str, tuple[Column, ...]] = {
    "attempts": _columns(
        ("attempt_id", "text", "code, environment, task, condition, round and kind, joined; unique"),
        ("environment", "text", "environment slug"),
        ("task", "text", "task slug"),
        ("difficulty", "difficulty", "easy, medium, hard, expert or frontier"),
        ("primitive", "text?", "the variant's primitive, else the task's first"),
        ("condition", "condition", "clean or intervention"),
        ("attempt", "attempt", "cold or warm"),
        ("role", "role", "primary, duplicate or practice"),
        ("annotator", "text", "the person's code"),
        ("round", "count", "number of the round within its assignment, from 1"),
        (
            "status",
            "status",
            "the round's: complete, rolled_back, abandoned, void; superseded (a lead returned it, and a later round is "
            "complete), withdrawn (its assignment was withdrawn), excluded (a review excluded it) or task_faulty (a review "
            "found its task faulty). Only complete ones count",
        ),
        ("cause", "text?", "why the round ended early"),
        ("score", "share?", "0..1 as the environment scored it"),
        ("passed", "flag?", "every obligation held and nothing protected changed"),
        ("wall_ms", "count?", "ms from the recording's start to Evaluate, by the server's clock"),
        (
            "active_ms",
            "count?",
            "wall_ms without idle time: of a stretch without a person's event only the first 30 s",
        ),
        (
            "reading_ms",
            "count?",
            "ms from the website being ready, with the instruction shown, to the recording's start; not in wall_ms",
        ),
        ("time_up", "flag", "the study's time limit ended it, not the person"),
        ("raw_events", "count?", "raw events stored"),
        ("cleaned_events", "count?", "events after cleaning"),
        ("steps", "count?", "operations an agent could also do"),
        ("proof_complete", "flag?", "the server holds every event the pages produced"),
        ("cleaner", "text?", "name/version of the cleaner"),
        ("started_at", "text?", "ISO 8601, UTC"),
    ),
    "task_conditions": _columns(
        ("environment", "text", "environment slug"),
        ("task", "text", "task slug"),
        ("condition", "condition", "clean or intervention"),
        ("variant", "text?", "variant slug under intervention"),
        ("layer", "text?", "where the intervention acts: seed, server, network or client"),
        ("primitive", "text?", "the variant's primitive, else the task's first"),
        ("primitives", "texts", "the task's primitives"),
        ("title", "text", "the task's title"),
        ("instruction", "text", "what annotators were told"),
        ("difficulty", "difficulty", "easy, medium, hard, expert or frontier"),
        ("expected_steps", "count?", "the author's estimate"),
        ("seed", "integer", "the study's seed"),
    ),
    "participations": _columns(
        ("code", "text", "the person's code"),
        ("tier", "tier", "primary or duplicate"),
        ("exclusions", "texts", "environments the person may not get"),
        ("consent_version", "count?", "version of the consent text accepted last"),
    ),
    "ratings": _columns(
        ("annotator", "text", "the person's code"),
        ("environment", "text", "environment slug"),
        ("task", "text", "task slug"),
        ("condition", "condition", "clean or intervention"),
        ("round", "count", "number of the round within its assignment"),
        ("revision", "count", "1 for the first answer; the highest one counts"),
        ("item", "text", "id of the question"),
        ("value", "integer", "scale point, or 1 for a ticked box"),
    ),
    "comments": _columns(
        ("annotator", "text", "the person's code"),
        ("environment", "text", "environment slug"),
        ("task", "text", "task slug"),
        ("condition", "condition", "clean or intervention"),
        ("round", "count", "number of the round within its assignment"),
        ("kind", "words", "comment (of a rating) or reason (for abandoning the round)"),
        ("text", "text", "their words, cleared for release one by one"),
    ),
    "references": _columns(
        ("environment", "text", "environment slug"),
        ("task", "text", "task slug"),
        ("condition", "condition", "clean or intervention"),
        ("attempt_id", "text", "the attempt that stands for the task-condition"),
        ("policy", "text", "name of the study's policy"),
        ("overruled", "flag", "a lead chose it against the policy"),
        ("reason", "text?", "why this one; where overruled the lead's words, if cleared for release"),
        ("runners_up", "texts", "attempts that could have been chosen, best first"),
    ),
    "replays": _columns(
        ("attempt_id", "text", "whose trace was replayed in a fresh session of the same task, variant and seed"),
        ("replay", "count", "number of the replay of this attempt, from 1; the highest one counts"),
        ("outcome", "outcome", "verified, fails_check, breaks or not_played"),
        ("pace", "pace?", "fast, or original where only the person's own pace gave the result"),
        ("broke_at", "count?", "number of the first step that could not be played, from 1"),
        ("diagnosis", "text?", "missing locator, changed page, lost step, timing, secret or not played"),
        ("why", "text?", "what points to it"),
        ("score", "share?", "0..1 as the environment scored the replay"),
        ("passed", "flag?", "whether the replay passed the environment's check"),
        ("done", "count", "steps played as recorded"),
        ("healed", "count", "steps played in another way than recorded"),
        ("failed", "count", "steps that could not be played"),
        ("skipped", "count", "steps not tried after a failed one"),
        ("ms", "count?", "how long the replay took"),
        ("cleaner", "text?", "name/version of the cleaner whose steps were played"),
        ("software", "text?", "what played them"),
    ),
    "screenshots": _columns(
        ("attempt_id", "text", "whose replay it was taken in"),
        ("replay", "count", "number of the replay of this attempt: the newest one"),
        ("step", "count", "place in the list of steps, from 0"),
        ("moment", "moment", "before or after the step"),
        (
            "file",
            "text",
            "named by the SHA-256 of the picture's size and RGB pixels; one file may be named several times",
        ),
        ("media_type", "picture", "image/png or image/webp"),
        ("width", "count", "CSS pixels"),
        ("height", "count", "CSS pixels"),
    ),
    "captures": _columns(
        ("attempt_id", "text", "whose pages they are"),
        ("page", "count", "number of the page load within the attempt, from 0, as they were seen"),
        ("doc", "text?", "the document of the trace that is the same page load"),
        ("tab", "count?", "tab number"),
        ("url", "text", "the page's address, masked"),
        ("first", "number", "ms since the recording's start of the first event"),
        ("last", "number", "ms since the recording's start of the last event"),
        (
            "events",
            "count",
            "rrweb's events in the file, one a line; their timestamp is ms since the recording's start",
        ),
        ("missing", "text?", "what is not there of the page, in words"),
        ("file", "text", "JSON lines, packed with gzip"),
    ),
    "reviews": _columns(
        ("attempt_id", "text", "what was reviewed; a decision is on a round, so on both of its attempts"),
        (
            "decision",
            "decision",
            "accept, accept_alternate (solved in another way than intended), return, exclude or task_faulty",
        ),
        ("stands", "flag", "no later decision took its place"),
        ("flags", "texts", "the rules whose flags were open when it was decided"),
        ("reason", "text?", "the lead's words, where cleared for release"),
    ),
    "amendments": _columns(
        ("number", "count", "in the order they were made, from 1"),
        ("at", "text", "ISO 8601, UTC"),
        (
            "kind",
            "change",
            "name, text, option, person (capacity or exclusions), joined, left, returned or plan (of the open rest)",
        ),
        ("subject", "text", "what was changed: a person's code, an option, a text"),
        ("reason", "text?", "why, in the lead's words, where cleared for release"),
        ("before", "text?", "JSON of what it was"),
        ("after", "text?", "JSON of what it became"),
    ),
    "verdict_checks": _columns(
        ("attempt_id", "text", "whose verdict"),
        ("index", "count", "place in the verdict, from 0"),
        ("name", "text", "what was checked"),
        ("kind", "text", "obligation, invariant or page"),
        ("passed", "flag", "whether it held"),
        ("weight", "number", "share in the score"),
        ("detail", "text?", "what was found"),
    ),
    "events": _columns(
        ("attempt_id", "text", "whose event"),
        ("index", "count", "place in the ordered list of raw events, from 0"),
        ("doc", "text", "document id"),
        ("n", "count", "number within the document"),
        ("t", "number", "ms since the recording's start"),
        ("tab", "count", "tab number"),
        ("frame", "text", "frame path, empty for the top document"),
        ("type", "text", "event type"),
        ("origin", "origin", "user or page"),
        ("event", "text", "the whole raw event as JSON"),
    ),
    "steps": _columns(
        ("attempt_id", "text", "whose step"),
        ("index", "count", "place in the list of steps, from 0"),
        ("type", "text", "step type"),
        ("t", "number", "ms since the recording's start"),
        ("t_end", "number", "when it ended"),
        ("raw_first", "count", "first raw event it was made of"),
        ("raw_last", "count", "last raw event it was made of"),
        ("step", "text", "the whole step as JSON"),
    ),
}
FREE_TEXT: dict[str, tuple[str, ...]] = {  # the columns in which people's or pages' own words may stand
    "task_conditions": ("title", "instruction"),
    "comments": ("text",),
    "references": ("reason",),
    "replays": ("why",),
    "captures": ("url",),
    "reviews": ("reason",),
    "amendments": ("subject", "reason", "before", "after"),
    "verdict_checks": ("name", "detail"),
    "events": ("event",),
    "steps": ("step",),
}
SPLIT = ("events", "steps")  # written as numbered Parquet parts, without a JSONL twin: the traces hold them readably


def arrow_schema(table: str) -> pa.Schema:
    """The table's Parquet schema."""
    return pa.schema(
        [pa.field(column.name, TYPES[column.kind][0], nullable=column.nullable) for column in TABLES[table]]
    )


def json_schema(table: str) -> dict[str, Any]:
    """JSON Schema (2020-12) of one row, with the columns' meanings: the data dictionary."""
    properties = {}
    for column in TABLES[table]:
        schema = dict(TYPES[column.kind][1])
        if column.among:
            schema["enum"] = [*column.among, None] if column.nullable else [*column.among]
        if column.nullable:
            schema["type"] = [schema["type"], "null"]
        properties[column.name] = {**schema, "description": column.meaning}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": table,
        "type": "object",
        "properties": properties,
        "required": [column.name for column in TABLES[table]],
        "additionalProperties": False,
    }
