"""The manifest of a bundle, as far as the checks rely on what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator
from pydantic_core import from_json

from recorder.errors import FootpathError
from tasks_admin.exports.tables import SCHEMA_VERSION
from tasks_admin.exports.verify.reading import Manifest
from tasks_admin.exports.verify.references import ORDER

Schema = dict[str, Any]
TEXT, WHOLE, FLAG, ANYTHING = ({"type": kind} for kind in ("string", "integer", "boolean", "object"))
COUNT = {"type": "integer", "minimum": 0}


def list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def with_all(**fields: Schema) -> Schema:
    """An object that has each of these fields, and maybe more."""
    return {"type": "object", "required": [*fields], "properties": fields}


MANIFEST = Draft202012Validator(
    with_all(
        schema=TEXT,
        study=with_all(slug=TEXT, name=TEXT, seed=WHOLE, state=TEXT),
        design=ANYTHING,
        choice=with_all(
            conditions=list_of(TEXT), people=list_of(TEXT), only_complete=FLAG, screenshots=FLAG, captures=FLAG
        ),
        cleaner=with_all(name=TEXT, version=WHOLE),
        policy=with_all(name=TEXT, rule=TEXT, always=TEXT, kinds=list_of(TEXT), order=list_of({"enum": [*ORDER]})),
        masks=COUNT,
        withheld=list_of(TEXT),
        counts=by_name(COUNT),
        attempts_by_status=by_name(COUNT),
        counted_attempts=COUNT,
        removed_attempts=COUNT,
        faulty_tasks=list_of(with_all(environment=TEXT, task=TEXT)),
        screenshots=with_all(written=COUNT, withheld=COUNT),
        captures=with_all(written=COUNT, withheld=COUNT),
        figures=ANYTHING,
        files=by_name(TEXT),
        seal=TEXT,
    )
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
        manifest: Manifest = from_json(
            path.read_bytes()
        )  # refuses what is nested deep, and numbers of thousands of digits
    except ValueError as error:
        raise NoBundle(f"{path} is not readable JSON: {error}.") from error
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA_VERSION:
        raise NoBundle(f"{path} is not of the schema {SCHEMA_VERSION}, which this version reads.")
    for misfit in MANIFEST.iter_errors(manifest):
        place = ".".join(map(str, misfit.instance_path))
        raise NoBundle(f"{path} is no manifest{': ' + place if place else ''}: {misfit.message[:200]}.")
    return manifest
