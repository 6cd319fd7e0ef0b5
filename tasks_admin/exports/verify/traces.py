"""Whether every trace, cleaned again, is what it says, and what the tables say of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from annotate.timing import active_ms
from recorder.cleaning.registry import CLEANERS, clean_events
from recorder.trace import trace_schema
from tasks_admin.exports.verify.files import misfits, schema_of
from tasks_admin.exports.verify.manifest import ANYTHING, FLAG, TEXT, list_of, with_all
from tasks_admin.exports.verify.parts import Parts, of_events, of_steps
from tasks_admin.exports.verify.proofs import proof_holds
from tasks_admin.exports.verify.reading import Manifest, lines_of, trace_of
from tasks_admin.exports.verify.verdicts import checks_of, verdict_holds

VERDICT = with_all(score={}, passed={}, checks=list_of(with_all(name=TEXT, kind=TEXT, passed=FLAG)))
BESIDE = with_all(  # what a trace in a bundle has beside what each trace file has
    **dict.fromkeys(("environment", "task", "condition", "attempt"), {"type": ["string", "null"]}),
    seed={"type": ["integer", "null"]},
    counts=ANYTHING,
    cleaner=ANYTHING,
    verdict={"anyOf": [{"type": "null"}, VERDICT]},
)
OF_ALL = dict.fromkeys(trace_schema()["properties"], True)
NEEDED = Draft202012Validator(
    BESIDE | {"properties": OF_ALL | BESIDE["properties"], "additionalProperties": False}
)  # and there is nothing else in it
COUNTS = {"raw_events": "events", "cleaned_events": "cleaned", "steps": "steps"}
EVALUATED = ("complete", "excluded", "task_faulty")  # states of attempts that came to Evaluate
KNOWN_THEN = ("score", "passed", "wall_ms", "active_ms", *COUNTS, "proof_complete", "cleaner")


def traces_clean_to_what_they_say(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every trace fits its schema, and its raw events, cleaned again, give its cleaned events, its steps and the counts of its row."""
    cleaner = manifest["cleaner"]
    known = CLEANERS.get(cleaner.get("name", ""))
    if known is None or known.version != cleaner.get("version"):
        yield f"manifest.json: this version does not have cleaner {cleaner.get('name')} {cleaner.get('version')}"
        return
    checks = checks_of(folder)
    validator = Draft202012Validator(schema_of(folder, "trace"))
    parts = (Parts(folder, "events", "event", of_events), Parts(folder, "steps", "step", of_steps))
    for _, attempt in lines_of(folder, "attempts"):
        name = attempt["attempt_id"]
        if attempt["status"] in EVALUATED:
            for column in (column for column in KNOWN_THEN if attempt[column] is None):
                yield f"attempts: {name} is called {attempt['status']}, but has no {column}"
        if not (folder / "traces" / f"{name}.json").exists():  # it was never started
            if attempt["raw_events"] is not None:
                yield f"traces/{name}.json: missing, though attempts says that it has {attempt['raw_events']} raw events"
            continue
        trace, unfit = _read(folder, name, validator)
        if unfit:
            yield from unfit
            for part in parts:
                part.take(name)
            continue
        yield from _recleaned(f"{name}.json", trace, attempt, known.name)
        yield from verdict_holds(f"{name}.json", trace["verdict"], attempt, checks.get(name, ()))
        yield from proof_holds(f"{name}.json", trace, attempt)
        yield from _same_attempt(f"{name}.json", trace, attempt, manifest)
        for part in parts:
            if not part.say(name, trace[part.table]):
                yield f"{part.table}: the rows of {name} are not those of its trace"
    for part in parts:
        if left := part.left():
            yield f"{part.table}: rows of {left} stand where none should"


def _read(folder: Path, name: str, validator: Draft202012Validator) -> tuple[Any, list[str]]:
    """An attempt's trace, and what of it does not fit its schema."""
    try:
        trace = trace_of(folder, name)
    except ValueError as error:
        return None, [f"traces/{name}.json: it is no JSON ({error})"]
    where = f"traces/{name}.json"
    return trace, [*misfits(validator, trace, where), *misfits(NEEDED, trace, where)]


def _same_attempt(name: str, trace: dict[str, Any], attempt: dict[str, Any], manifest: Manifest) -> Iterator[str]:
    """What a trace tells beside its events is what the attempt's row and the manifest tell, and what its events come to."""
    cleaner, seed = manifest["cleaner"], manifest["study"]["seed"]
    if trace["seed"] != seed:
        yield f"traces/{name}: its seed is {trace['seed']!r}, that of the study {seed!r}"
    for field in ("environment", "task", "condition", "attempt"):
        if trace[field] != attempt[field]:
            yield f"traces/{name}: its {field} is {trace[field]!r}, that of its attempt {attempt[field]!r}"
    if trace["cleaner"] != cleaner:
        yield f"traces/{name}: its cleaner is not the manifest's"
    if attempt["cleaner"] not in (None, f"{cleaner['name']}/{cleaner['version']}"):
        yield f"attempts: {attempt['attempt_id']} says cleaner {attempt['cleaner']}, which is not the manifest's"
    by_person = (event["t"] for event in trace["events"] if event["origin"] == "user")
    if attempt["active_ms"] is not None and attempt["active_ms"] != active_ms(by_person, attempt["wall_ms"] or 0):
        yield f"attempts: {attempt['attempt_id']} says {attempt['active_ms']} active_ms, its trace and wall_ms give others"
    if trace["counts"] != {count: len(trace[items]) for count, items in COUNTS.items()}:
        yield f"traces/{name}: its counts are not those of its lists"


def _recleaned(name: str, trace: dict[str, Any], attempt: dict[str, Any], cleaner: str) -> Iterator[str]:
    result = clean_events(trace["events"], cleaner)
    if result.events != trace["events"]:
        yield f"traces/{name}: its raw events are not in order"
    if result.cleaned != trace["cleaned"]:
        yield f"traces/{name}: cleaning its raw events gives other cleaned events"
    if result.steps != trace["steps"]:
        yield f"traces/{name}: its raw events give other steps"
    for column, count in result.counts().items():
        if attempt[column] is not None and attempt[column] != count:
            yield f"attempts: {attempt['attempt_id']} says {attempt[column]} {column}, its trace has {count}"
    if trace["proof"]["complete"] != attempt["proof_complete"] and attempt["proof_complete"] is not None:
        yield f"traces/{name}: its proof says complete={trace['proof']['complete']}, its attempt says otherwise"
