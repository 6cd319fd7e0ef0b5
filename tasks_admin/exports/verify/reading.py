"""What the checks read of a bundle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.dataset as pads
from jsonschema_rs import Draft202012Validator

from recorder.errors import FootpathError
from tasks_admin.exports.tables import SCHEMA_VERSION, arrow_schema

Manifest = dict[str, Any]

TEXT, COUNTS = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "integer"}}
OBJECTS = ("study", "design", "choice", "cleaner", "policy", "screenshots", "captures", "figures")
MANIFEST = Draft202012Validator(
    {
        "type": "object",
        "required": ["schema", "files", "counts", "attempts_by_status", "cleaner", "seal"],
        "properties": {
            "files": {"type": "object", "additionalProperties": TEXT},
            "counts": COUNTS,
            "attempts_by_status": COUNTS,
            "faulty_tasks": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["environment", "task"],
                    "properties": dict.fromkeys(["environment", "task"], TEXT),
                },
            },
            "seal": TEXT,
            **dict.fromkeys(OBJECTS, {"type": "object"}),
        },
    }
)


class NoBundle(FootpathError):
    """The folder is no bundle that this version can read."""

    def __init__(self, message: str) -> None:
        super().__init__("no_bundle", 400, message)


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
    for misfit in MANIFEST.iter_errors(manifest):
        place = ".".join(map(str, misfit.instance_path))
        raise NoBundle(f"{path} is no manifest{': ' + place if place else ''}: {misfit.message[:200]}.")
    return manifest


def lines_of(folder: Path, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, row) of a table's JSON lines."""
    with (folder / f"{table}.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            yield number, json.loads(line)


def traces_of(folder: Path) -> list[Path]:
    """The trace files, by name."""
    return sorted((folder / "traces").glob("*.json"))


def parts_of(folder: Path, table: str) -> pads.Dataset:
    """A table that is split into parts, as one."""
    return pads.dataset(folder / table, format="parquet", schema=arrow_schema(table))


def condition_of(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["environment"], row["task"], row["condition"]
