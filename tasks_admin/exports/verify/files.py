"""Whether the files are those that the manifest lists, unchanged, and of the shape that their schemas say."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from jsonschema_rs import Draft202012Validator

from recorder.trace import SCHEMA, trace_schema
from tasks_admin.exports.files import pretty_pieces, sealed, sha256
from tasks_admin.exports.tables import SCHEMA_VERSION, SPLIT, TABLES, arrow_schema, json_schema
from tasks_admin.exports.verify.reading import Manifest, files_there, frames_of, lines_of, parsed, parts_of

MAY_BE_EMPTY = {"traces", "captures", *SPLIT}  # folders that an export makes before it knows what goes in


def seal_holds(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The manifest has its own SHA-256."""
    if not _is_text(folder / "manifest.json", pretty_pieces(sealed(manifest))):
        yield "manifest.json: changed (its seal is not that of its text)"


def _is_text(path: Path, pieces: Iterator[str]) -> bool:
    """Whether a file is of these pieces and nothing else."""
    with path.open("rb") as file:
        wanted = (piece.encode() for piece in pieces)
        return all(file.read(len(piece)) == piece for piece in wanted) and not file.read(1)


def all_are_plain_files(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Nothing is there but plain files and the folders they are in: a link may lead out of the bundle, or elsewhere tomorrow."""
    for place, folders, names in os.walk(folder):
        for path in (Path(place, name) for name in sorted([*folders, *names])):
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                yield f"{path.relative_to(folder).as_posix()}: a link, where a bundle has plain files only"
            elif not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                yield f"{path.relative_to(folder).as_posix()}: it is no plain file"
        name = Path(place).relative_to(folder).as_posix()
        if not folders and not names and name not in MAY_BE_EMPTY:
            yield f"{name}/: an empty folder, which no export makes"


def files_are_those_listed(folder: Path, manifest: Manifest) -> Iterator[str]:
    """No file is missing, none is there that the manifest does not know."""
    there = files_there(folder) - {"manifest.json"}
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
    """JSON lines fit the schemas that the bundle brings, and these are such; traces are looked at when they are read."""
    for name in [*(table for table in TABLES if table not in SPLIT), "trace"]:
        try:
            schema = schema_of(folder, name)
            validator = Draft202012Validator(schema)
        except ValueError as error:
            yield f"schema/{name}.json: it is no JSON Schema ({str(error).splitlines()[0][:200]})"
            continue
        told, by = (trace_schema(), SCHEMA) if name == "trace" else (json_schema(name), SCHEMA_VERSION)
        if shape_of(schema) != shape_of(told):
            yield f"schema/{name}.json: it does not say what {by} says of {name}"
        if name == "trace":
            continue
        try:
            for number, row in lines_of(folder, name):
                yield from misfits(validator, row, f"{name}.jsonl line {number}")
            yield from _names_twice(folder, name)
        except ValueError as error:
            yield f"{name}.jsonl: a line is no JSON ({error})"


def _names_twice(folder: Path, table: str) -> Iterator[str]:
    """A name that stands twice in a row: readers differ in which of the two they take."""
    with (folder / f"{table}.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            names = json.loads(line, object_pairs_hook=lambda pairs: [name for name, _ in pairs])
            if len(set(names)) < len(names):
                yield f"{table}.jsonl line {number}: a name stands in it twice"


def schema_of(folder: Path, name: str) -> Any:
    """The schema that the bundle brings for a table, or for a `trace`. Raises ValueError where it is no JSON."""
    return parsed((folder / "schema" / f"{name}.json").read_text(encoding="utf-8"))


def shape_of(schema: Any) -> Any:
    """A schema without its words."""
    if isinstance(schema, dict):
        return {name: shape_of(part) for name, part in schema.items() if name not in ("description", "title")}
    return schema


def misfits(validator: Draft202012Validator, value: Any, where: str) -> Iterator[str]:
    """What of the value does not fit, each with its place."""
    for error in validator.iter_errors(value):
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)
        yield f"{where}: ${place}: {error.message[:200]}"


def parquet_has_its_columns(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each Parquet file is one, of a table, and has the columns of its schema."""
    for table in TABLES:
        for path in parts_of(folder, table):
            name = path.relative_to(folder).as_posix()
            try:
                found = pq.read_schema(path)
            except pa.ArrowInvalid as error:
                yield f"{name}: it is no Parquet file ({str(error).splitlines()[0][:200]})"
                continue
            if path.suffix != ".parquet":
                yield f"{name}: a part of {table} ends in .parquet"
            if found != arrow_schema(table):
                yield f"{name}: its columns are not those of the schema"


def parquet_says_the_same(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each Parquet table that has JSON lines, too, has the same rows as these."""
    for table in TABLES:
        if table in SPLIT:
            continue
        told = (row for frame in frames_of(folder / f"{table}.parquet") for row in frame.iter_rows(named=True))
        pairs = zip_longest(told, (row for _, row in lines_of(folder, table)))
        if any(one != other for one, other in pairs):
            yield f"{table}.parquet: its rows are not those of {table}.jsonl"
