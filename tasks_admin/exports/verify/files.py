"""Whether the files are those that the manifest lists, unchanged, and of the shape that their schemas say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from jsonschema_rs import Draft202012Validator

from tasks_admin.exports.files import pretty, sealed, sha256
from tasks_admin.exports.tables import SCHEMA_VERSION, SPLIT, TABLES, arrow_schema, json_schema
from tasks_admin.exports.verify.reading import Manifest, lines_of, traces_of


def seal_holds(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The manifest has its own SHA-256."""
    if (folder / "manifest.json").read_text(encoding="utf-8") != pretty(sealed(manifest)):
        yield "manifest.json: changed (its seal is not that of its text)"


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


def hashes_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every file has the SHA-256 of the manifest."""
    for name, wanted in sorted(manifest["files"].items()):
        if sha256(folder / name) != wanted:
            yield f"{name}: changed (its SHA-256 is not that of the manifest)"


def rows_fit_their_schemas(folder: Path, manifest: Manifest) -> Iterator[str]:
    """JSON lines and traces fit the schemas that the bundle brings."""
    for name in [*(table for table in TABLES if table not in SPLIT), "trace"]:
        try:
            schema = json.loads((folder / "schema" / f"{name}.json").read_text(encoding="utf-8"))
            validator = Draft202012Validator(schema)
        except ValueError as error:
            yield f"schema/{name}.json: it is no JSON Schema ({str(error).splitlines()[0][:200]})"
            continue
        if name != "trace" and shape_of(schema) != shape_of(json_schema(name)):
            yield f"schema/{name}.json: it does not say what {SCHEMA_VERSION} says of {name}"
        for where, value in _traces(folder) if name == "trace" else _rows(folder, name):
            yield from misfits(validator, value, where)


def shape_of(schema: Any) -> Any:
    """A schema without its words."""
    if isinstance(schema, dict):
        return {name: shape_of(part) for name, part in schema.items() if name not in ("description", "title")}
    return schema


def _traces(folder: Path) -> Iterator[tuple[str, Any]]:
    for path in traces_of(folder):
        yield f"traces/{path.name}", json.loads(path.read_text(encoding="utf-8"))


def _rows(folder: Path, table: str) -> Iterator[tuple[str, Any]]:
    for number, row in lines_of(folder, table):
        yield f"{table}.jsonl line {number}", row


def misfits(validator: Draft202012Validator, value: Any, where: str) -> Iterator[str]:
    """What of the value does not fit, each with its place."""
    for error in validator.iter_errors(value):
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)
        yield f"{where}: ${place}: {error.message[:200]}"


def parquet_says_the_same(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each Parquet table has its schema and the same rows as its JSON lines."""
    for table in TABLES:
        for path in sorted((folder / table).glob("*.parquet")) if table in SPLIT else [folder / f"{table}.parquet"]:
            if pq.read_schema(path) != arrow_schema(table):
                yield f"{path.relative_to(folder).as_posix()}: its columns are not those of the schema"
            elif table not in SPLIT and pq.read_table(path).to_pylist() != [row for _, row in lines_of(folder, table)]:
                yield f"{table}.parquet: its rows are not those of {table}.jsonl"
