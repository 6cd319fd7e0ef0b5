"""Proving a bundle from its folder alone: hashes, schemas, counts, references between tables, and every trace re-cleaned."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.dataset as pads
import pyarrow.parquet as pq
from jsonschema import Draft202012Validator

from annotate.references import NEVER
from recorder.cleaning.registry import CLEANERS, clean_events
from recorder.errors import FootpathError
from tasks_admin.exports.figures import figures_of
from tasks_admin.exports.files import sha256
from tasks_admin.exports.rows import compact
from tasks_admin.exports.tables import SCHEMA_VERSION, SPLIT, TABLES, arrow_schema

Manifest = dict[str, Any]
Check = Callable[[Path, Manifest], Iterator[str]]
CHECKS: list[Check] = []
MOST = 50  # problems named per check


class NoBundle(FootpathError):
    """The folder is no bundle that this version can read."""

    def __init__(self, message: str) -> None:
        super().__init__("no_bundle", 400, message)


def check(function: Check) -> Check:
    """Register a check; it yields one sentence per problem. They run in the order they are written."""
    CHECKS.append(function)
    return function


def verify(folder: Path) -> list[str]:
    """Every problem found, each naming its file; empty where the bundle holds. Raises NoBundle."""
    manifest = read_manifest(folder)
    problems: list[str] = []
    for number, function in enumerate(CHECKS):
        found = list(_limited(function(folder, manifest)))
        problems += found
        if found and number < 3:  # the later checks read what these have found sound
            break
    return problems


def _limited(problems: Iterator[str]) -> Iterator[str]:
    for count, problem in enumerate(problems, start=1):
        yield problem
        if count == MOST:
            yield f"… and maybe more: only the first {MOST} of a kind are named"
            return


def read_manifest(folder: Path) -> Manifest:
    """The manifest. Raises NoBundle."""
    path = folder / "manifest.json"
    if not path.is_file():
        raise NoBundle(f"{folder} holds no manifest.json; name the folder that export_study wrote.")
    try:
        manifest: Manifest = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise NoBundle(f"{path} is not readable JSON: {error}.") from error
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA_VERSION:
        raise NoBundle(f"{path} is not of the schema {SCHEMA_VERSION}, which this version reads.")
    for name in ("files", "counts", "attempts_by_status", "cleaner"):
        if not isinstance(manifest.get(name), dict):
            raise NoBundle(f"{path} lacks {name}.")
    return manifest


@check
def files_are_those_listed(folder: Path, manifest: Manifest) -> Iterator[str]:
    """No file is missing, none is there that the manifest does not know."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {"manifest.json"}
    for name in sorted(set(manifest["files"]) - there):
        yield f"{name}: missing"
    for name in sorted(there - set(manifest["files"])):
        yield f"{name}: not in the manifest"
    needed = {f"{table}.parquet" for table in TABLES if table not in SPLIT} | {
        f"schema/{table}.json" for table in TABLES
    }
    for name in sorted(needed - set(manifest["files"])):
        yield f"{name}: a bundle must have it"


@check
def hashes_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every file has the SHA-256 of the manifest."""
    for name, wanted in sorted(manifest["files"].items()):
        if sha256(folder / name) != wanted:
            yield f"{name}: changed (its SHA-256 is not that of the manifest)"


def lines_of(folder: Path, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, row) of a table's JSON lines."""
    with (folder / f"{table}.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            yield number, json.loads(line)


@check
def rows_fit_their_schemas(folder: Path, manifest: Manifest) -> Iterator[str]:
    """JSON lines and traces fit the schemas that the bundle brings."""
    for table in TABLES:
        if table not in SPLIT:
            yield from _misfits(folder, table)
    validator = Draft202012Validator(json.loads((folder / "schema" / "trace.json").read_text(encoding="utf-8")))
    for path in traces_of(folder):
        for error in validator.iter_errors(json.loads(path.read_text(encoding="utf-8"))):
            yield f"traces/{path.name}: {error.json_path}: {error.message[:200]}"


def _misfits(folder: Path, table: str) -> Iterator[str]:
    validator = Draft202012Validator(json.loads((folder / "schema" / f"{table}.json").read_text(encoding="utf-8")))
    for number, row in lines_of(folder, table):
        for error in validator.iter_errors(row):
            yield f"{table}.jsonl line {number}: {error.json_path}: {error.message[:200]}"


def traces_of(folder: Path) -> list[Path]:
    """The trace files, by name."""
    return sorted((folder / "traces").glob("*.json"))


@check
def parquet_says_the_same(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each Parquet table has its schema and the same rows as its JSON lines."""
    for table in TABLES:
        if table in SPLIT:
            continue
        parquet = pq.read_table(folder / f"{table}.parquet")
        if parquet.schema != arrow_schema(table):
            yield f"{table}.parquet: its columns are not those of the schema"
        elif parquet.to_pylist() != [row for _, row in lines_of(folder, table)]:
            yield f"{table}.parquet: its rows are not those of {table}.jsonl"


@check
def counts_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Rows per table, and attempts per status, are those of the manifest."""
    for table in TABLES:
        rows = parts_of(folder, table).count_rows() if table in SPLIT else sum(1 for _ in lines_of(folder, table))
        if rows != manifest["counts"].get(table):
            yield f"{table}: {rows} rows, the manifest says {manifest['counts'].get(table)}"
    counted = Counter(row["status"] for _, row in lines_of(folder, "attempts"))
    count = sum(row["status"] == "complete" and row["role"] != "practice" for _, row in lines_of(folder, "attempts"))
    if count != manifest.get("counted_attempts"):
        yield f"attempts: {count} count, the manifest says {manifest.get('counted_attempts')}"
    for status in sorted({*counted, *manifest["attempts_by_status"]}):
        if counted[status] != manifest["attempts_by_status"].get(status, 0):
            yield f"attempts: {counted[status]} are {status}, the manifest says {manifest['attempts_by_status'].get(status, 0)}"


@check
def figures_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every figure of the manifest, made again from the tables, is the same."""
    told, found = manifest.get("figures"), figures_of(folder)
    if not isinstance(told, dict):
        yield "manifest.json: it has no figures"
        return
    yield from differences(told, json.loads(json.dumps(found)), "figures")


def differences(told: Any, found: Any, place: str) -> Iterator[str]:
    """Where two documents differ, by their paths; numbers may differ by 1e-9, as other machines round."""
    if isinstance(told, dict) and isinstance(found, dict):
        for name in sorted({*told, *found}):
            yield from differences(told.get(name), found.get(name), f"{place}.{name}")
    elif isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        for index, pair in enumerate(zip(told, found, strict=True)):
            yield from differences(*pair, f"{place}[{index}]")
    elif not same(told, found):
        yield f"manifest.json: {place} is {told!r}, its tables give {found!r}"


def same(told: Any, found: Any) -> bool:
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (told, found))
    return math.isclose(told, found, rel_tol=1e-9, abs_tol=1e-9) if numbers else bool(told == found)


@check
def faulty_tasks_are_left_out(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The attempts called task_faulty are those of the manifest's faulty tasks."""
    faulty = {(one["environment"], one["task"]) for one in manifest.get("faulty_tasks", [])}
    for _, row in lines_of(folder, "attempts"):
        is_faulty = (row["environment"], row["task"]) in faulty
        if row["status"] == "task_faulty" and not is_faulty:
            yield f"attempts: {row['attempt_id']} is called task_faulty, but its task is not among the faulty ones"
        elif row["status"] in ("complete", "excluded") and is_faulty:
            yield f"attempts: {row['attempt_id']} is of a faulty task, but is called {row['status']}"


def parts_of(folder: Path, table: str) -> pads.Dataset:
    """A table that is split into parts, as one."""
    return pads.dataset(folder / table, format="parquet", schema=arrow_schema(table))


@check
def tables_refer_to_what_is_there(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Ids are unique, and every attempt, person and task-condition that is named exists."""
    attempts = [row for _, row in lines_of(folder, "attempts")]
    ids = [row["attempt_id"] for row in attempts]
    codes = {row["code"] for _, row in lines_of(folder, "participations")}
    conditions = {_condition(row) for _, row in lines_of(folder, "task_conditions")}
    for name, count in Counter(ids).items():
        if count > 1:
            yield f"attempts: {name} is there {count} times"
    for row in attempts:
        if row["annotator"] not in codes:
            yield f"attempts: {row['attempt_id']} is of {row['annotator']}, who is not in participations"
        if _condition(row) not in conditions:
            yield f"attempts: {row['attempt_id']} is of a task-condition that is not in task_conditions"
    yield from _strangers(folder, set(ids))


@check
def amendments_are_whole(folder: Path, manifest: Manifest) -> Iterator[str]:
    """They are numbered from 1 without a gap: none was left out."""
    for number, (line, row) in enumerate(lines_of(folder, "amendments"), 1):
        if row["number"] != number:
            yield f"amendments.jsonl line {line}: number {row['number']} stands where {number} should"
            return


def _condition(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["environment"], row["task"], row["condition"]


def _strangers(folder: Path, known: set[str]) -> Iterator[str]:
    for table in ("verdict_checks", "references", "replays", "reviews"):
        for number, row in lines_of(folder, table):
            if row["attempt_id"] not in known:
                yield f"{table}.jsonl line {number}: there is no attempt {row['attempt_id']}"
    for table in SPLIT:
        named = set(parts_of(folder, table).to_table(columns=["attempt_id"]).column("attempt_id").unique().to_pylist())
        for name in sorted(named - known):
            yield f"{table}: there is no attempt {name}"
    for path in traces_of(folder):
        if path.stem not in known:
            yield f"traces/{path.name}: there is no such attempt"


@check
def traces_clean_to_what_they_say(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every trace's raw events, cleaned again, give its cleaned events, its steps and the counts of its row."""
    attempts = {row["attempt_id"]: row for _, row in lines_of(folder, "attempts")}
    checks = defaultdict(list)
    for _, row in lines_of(folder, "verdict_checks"):
        checks[row["attempt_id"]].append(row)
    cleaner = manifest["cleaner"]
    known = CLEANERS.get(cleaner.get("name", ""))
    if known is None or known.version != cleaner.get("version"):
        yield f"manifest.json: this version does not have cleaner {cleaner.get('name')} {cleaner.get('version')}"
        return
    for path in traces_of(folder):
        trace = json.loads(path.read_text(encoding="utf-8"))
        yield from _recleaned(path.name, trace, attempts[path.stem], known.name)
        yield from _same_verdict(path.name, trace["verdict"], attempts[path.stem], checks[path.stem])
        yield from _same_in_parts(folder, path.stem, trace)


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


def _same_verdict(
    name: str, verdict: dict[str, Any] | None, attempt: dict[str, Any], checks: list[dict[str, Any]]
) -> Iterator[str]:
    told = verdict or {"score": None, "passed": None, "checks": []}
    if (told["score"], told["passed"]) != (attempt["score"], attempt["passed"]):
        yield f"traces/{name}: its verdict is not that of its attempt"
    if [(check["name"], check["passed"]) for check in told["checks"]] != [
        (row["name"], row["passed"]) for row in checks
    ]:
        yield f"traces/{name}: its checks are not those of verdict_checks"


def _same_in_parts(folder: Path, name: str, trace: dict[str, Any]) -> Iterator[str]:
    for table, column in (("events", "event"), ("steps", "step")):
        found = parts_of(folder, table).to_table(columns=[column], filter=pads.field("attempt_id") == name)
        if found.column(column).to_pylist() != [compact(item) for item in trace[table]]:
            yield f"{table}: the rows of {name} are not those of its trace"


@check
def references_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each reference passed, is complete and was replayed to its verdict; by the policy nothing better was to be had."""
    attempts = {row["attempt_id"]: row for _, row in lines_of(folder, "attempts")}
    newest = {row["attempt_id"]: row for _, row in lines_of(folder, "replays")}  # in order: the last one counts
    for _, row in lines_of(folder, "replays"):
        yield from _replay_holds(row)
    listed = [row for _, row in lines_of(folder, "references")]
    for name, count in Counter(_condition(row) for row in listed).items():
        if count > 1:
            yield f"references: {' '.join(name)} has {count}"
    for row in listed:
        for name in (row["attempt_id"], *row["runners_up"]):
            if why := _not_eligible(attempts.get(name), newest.get(name)):
                yield f"references: {name} may not be one: {why}"
        yield from _by_policy(row, attempts, manifest)


def _replay_holds(row: dict[str, Any]) -> Iterator[str]:
    played = not row["failed"] and not row["skipped"] and row["broke_at"] is None
    if row["outcome"] == "verified" and not (row["passed"] and played):
        yield f"replays: {row['attempt_id']} is called verified, but it did not pass or not every step was played"
    if row["outcome"] == "breaks" and row["broke_at"] is None:
        yield f"replays: {row['attempt_id']} is said to break, but not where"


def _not_eligible(attempt: dict[str, Any] | None, replay: dict[str, Any] | None) -> str:
    if attempt is None:
        return "there is no such attempt"
    if attempt["status"] != "complete" or attempt["role"] == "practice":
        return "it does not count"
    if not attempt["passed"] or not attempt["proof_complete"]:
        return "it did not pass, or its recording is not complete"
    return "" if replay is not None and replay["outcome"] == "verified" else "its newest replay is not verified"


ORDER: dict[str, Callable[[dict[str, Any]], int]] = {
    "steps": lambda row: NEVER if row["steps"] is None else row["steps"],
    "time": lambda row: NEVER if row["wall_ms"] is None else row["wall_ms"],
    "duplicate": lambda row: 0 if row["role"] == "duplicate" else 1,
}


def _by_policy(row: dict[str, Any], attempts: dict[str, dict[str, Any]], manifest: Manifest) -> Iterator[str]:
    """The chosen one comes first by the policy among itself and its runners-up, unless a lead overruled it."""
    policy = manifest.get("policy", {})
    chosen = attempts.get(row["attempt_id"])
    if chosen is None or row["overruled"]:
        return
    if row["policy"] != policy.get("name"):
        yield f"references: {row['attempt_id']} was chosen by {row['policy']}, the study's policy is {policy.get('name')}"
        return
    if chosen["attempt"] not in policy["kinds"] or _condition(chosen) != _condition(row):
        yield f"references: {row['attempt_id']} is not of the kind or task that the policy chooses from"
    for name in row["runners_up"]:
        other = attempts.get(name)
        if other and _rank(other, policy) < _rank(chosen, policy):
            yield f"references: by {row['policy']}, {name} comes before {row['attempt_id']}"


def _rank(row: dict[str, Any], policy: dict[str, Any]) -> tuple[int, ...]:
    return tuple(ORDER[name](row) for name in policy["order"])
