"""Whether every trace, cleaned again, is what it says, and what the tables say of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from annotate.timing import active_ms
from recorder.cleaning.registry import CLEANERS, clean_events
from tasks_admin.exports.verify.files import misfits, schema_of
from tasks_admin.exports.verify.manifest import ANYTHING, FLAG, TEXT, list_of, with_all
from tasks_admin.exports.verify.parts import Parts, of_events, of_steps
from tasks_admin.exports.verify.reading import Manifest, lines_of, trace_of

NEEDED = Draft202012Validator(  # of a trace in a bundle, beside what each trace file has
    with_all(
        **dict.fromkeys(("environment", "task", "condition", "attempt"), {"type": ["string", "null"]}),
        counts=ANYTHING,
        cleaner=ANYTHING,
        verdict={
            "anyOf": [
                {"type": "null"},
                with_all(score={}, passed={}, checks=list_of(with_all(name=TEXT, passed=FLAG))),
            ]
        },
    )
)
Checks = tuple[tuple[str, bool], ...]


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
        yield from _same_verdict(f"{name}.json", trace["verdict"], attempt, checks.get(name, ()))
        yield from _same_attempt(f"{name}.json", trace, attempt, cleaner)
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


def checks_of(folder: Path) -> dict[str, Checks]:
    """{attempt: (name, passed) of each of its checks}. The same checks are held once, for the attempts of a task have the same."""
    once: dict[Checks, Checks] = {}
    found: dict[str, Checks] = {}
    for _, row in lines_of(folder, "verdict_checks"):
        checks = (*found.get(row["attempt_id"], ()), (row["name"], row["passed"]))
        found[row["attempt_id"]] = once.setdefault(checks, checks)
    return found


def _same_attempt(name: str, trace: dict[str, Any], attempt: dict[str, Any], cleaner: dict[str, Any]) -> Iterator[str]:
    """What a trace tells beside its events is what the attempt's row tells, and what its events come to."""
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
    lists = {"raw_events": "events", "cleaned_events": "cleaned", "steps": "steps"}
    if trace["counts"] != {count: len(trace[items]) for count, items in lists.items()}:
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


def _same_verdict(name: str, verdict: dict[str, Any] | None, attempt: dict[str, Any], checks: Checks) -> Iterator[str]:
    told = verdict or {"score": None, "passed": None, "checks": []}
    if (told["score"], told["passed"]) != (attempt["score"], attempt["passed"]):
        yield f"traces/{name}: its verdict is not that of its attempt"
    if tuple((check["name"], check["passed"]) for check in told["checks"]) != checks:
        yield f"traces/{name}: its checks are not those of verdict_checks"
