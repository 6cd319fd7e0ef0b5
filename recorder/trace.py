"""The trace file, `footpath.trace/1`: one recording with its cleaned events, steps and proof."""

from __future__ import annotations

from typing import Any

from recorder.cleaning.registry import DEFAULT, clean_events, get_cleaner
from recorder.held import Held, held_of
from recorder.models import Document, Recording
from recorder.proof import Proof
from recorder.schema import FLAG, NUMBER, NUMBER_FROM_0, TEXT, json_schema
from recorder.version import SOFTWARE

SCHEMA = "footpath.trace/1"


def build_trace(
    recording: Recording,
    *,
    condition: str | None = None,
    attempt: str | None = None,
    verdict: dict[str, Any] | None = None,
    cleaner: str = DEFAULT,
) -> dict[str, Any]:
    """The whole trace. `condition` is clean or intervention, `attempt` cold or warm, `verdict` as the environment gave it."""
    (held,) = held_of([recording])
    return trace_of(held, condition=condition, attempt=attempt, verdict=verdict, cleaner=cleaner)


def trace_of(
    held: Held,
    *,
    condition: str | None = None,
    attempt: str | None = None,
    verdict: dict[str, Any] | None = None,
    cleaner: str = DEFAULT,
) -> dict[str, Any]:
    """The same of what was read already."""
    result = clean_events(held.events, cleaner)
    documents = [document_entry(document) for document in held.documents]
    told = frame_of(
        held.recording,
        documents,
        held.proof,
        result.counts(),
        cleaner,
        condition=condition,
        attempt=attempt,
        verdict=verdict,
    )
    return told | {"events": result.events, "cleaned": result.cleaned, "steps": result.steps}


def frame_of(
    recording: Recording,
    documents: list[dict[str, Any]],
    proof: Proof,
    counts: dict[str, int],
    cleaner: str,
    *,
    condition: str | None,
    attempt: str | None,
    verdict: dict[str, Any] | None,
) -> dict[str, Any]:
    """A trace without its `events`, `cleaned` and `steps`, whose places are there. `documents` are their entries."""
    by = get_cleaner(cleaner)
    return {
        "schema": SCHEMA,
        "recording": recording.key,
        "environment": recording.environment or None,
        "task": recording.task or None,
        "condition": condition,
        "attempt": attempt,
        "seed": recording.seed,
        "documents": documents,
        "events": [],
        "cleaned": [],
        "steps": [],
        "proof": proof.as_dict(),
        "verdict": verdict,
        "counts": counts,
        "cleaner": {"name": by.name, "version": by.version},
        "software": SOFTWARE,
    }


def document_entry(document: Document) -> dict[str, Any]:
    """A document as the trace has it; `opened` and `closed` are ms since the recording's start."""
    meta = {name: value for name, value in document.meta.items() if name not in {"opened", "closed", "time_origin"}}
    return {
        "doc": document.doc,
        "tab": document.tab,
        "frame": document.frame,
        "url": meta.pop("url", None),
        "title": meta.pop("title", None),
        "viewport": meta.pop("viewport", None),
        "opened": on_recording_clock(document, "opened"),
        "closed": on_recording_clock(document, "closed"),
    } | meta


def on_recording_clock(document: Document, name: str) -> float | None:
    """A time that the page told on its own clock, or None."""
    value = document.meta.get(name)
    return round(value + document.offset_ms, 1) if isinstance(value, int | float) else None


def trace_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a trace file."""
    text, number, whole, flag = TEXT[2], NUMBER[2], NUMBER_FROM_0[2], FLAG[2]
    raw_range = {"type": "array", "items": whole, "minItems": 2, "maxItems": 2}
    timed = {
        "type": "object",
        "required": ["type", "t", "raw"],
        "properties": {"type": text, "t": number, "raw": raw_range},
    }
    maybe_text = {"type": ["string", "null"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "type": "object",
        "required": ["schema", "recording", "documents", "events", "cleaned", "steps", "proof", "software"],
        "properties": {
            "schema": {"const": SCHEMA},
            "recording": text,
            "environment": maybe_text,
            "task": maybe_text,
            "condition": {"enum": ["clean", "intervention", None]},
            "attempt": {"enum": ["cold", "warm", None]},
            "seed": {"type": ["integer", "null"]},
            "documents": {"type": "array", "items": document_schema(text, number, whole)},
            "events": {"type": "array", "items": json_schema(stored=True)},
            "cleaned": {"type": "array", "items": timed},
            "steps": {"type": "array", "items": timed},
            "proof": proof_schema(flag),
            "verdict": {"type": ["object", "null"]},
            "software": text,
        },
    }


def document_schema(text: Any, number: Any, whole: Any) -> dict[str, Any]:
    instant = {"anyOf": [number, {"type": "null"}]}
    return {
        "type": "object",
        "required": ["doc", "tab", "frame", "opened", "closed"],
        "properties": {"doc": text, "tab": whole, "frame": text, "opened": instant, "closed": instant},
    }


def proof_schema(flag: Any) -> dict[str, Any]:
    cursor = {
        "type": "object",
        "required": ["last", "received"],
        "properties": {"last": {"type": "integer", "minimum": -1}, "received": {"type": "integer", "minimum": -1}},
    }
    return {
        "type": "object",
        "required": ["complete", "documents", "gaps", "blind"],
        "properties": {
            "complete": flag,
            "documents": {"type": "object", "additionalProperties": cursor},
            "gaps": {"type": "array", "items": {"type": "object"}},
            "blind": {"type": "array", "items": {"type": "object"}},
        },
    }
