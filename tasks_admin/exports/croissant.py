"""Croissant metadata (MLCommons, 1.1) of a bundle: its files with their hashes, and the tables' columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlcroissant as mlc

from annotate.models import Study
from tasks_admin.exports.files import pretty, sha256
from tasks_admin.exports.tables import SPLIT, TABLES, Column

KINDS = {
    "text": mlc.DataType.TEXT,
    "integer": mlc.DataType.INTEGER,
    "number": mlc.DataType.FLOAT,
    "flag": mlc.DataType.BOOL,
}
PARQUET = "application/x-parquet"


def croissant(study: Study, folder: Path, version: str) -> str:
    """The text of `croissant.json` for the Parquet files that are in the folder now."""
    metadata = mlc.Metadata(
        name=study.slug,
        description=f"{study.name}: how people did web tasks, recorded with Footpath. The card (README.md) tells the columns.",
        version=version,
        distribution=[file_of(folder, table) for table in TABLES],
        record_sets=[records_of(table) for table in TABLES],
    )
    told: dict[str, Any] = json.loads(json.dumps(metadata.to_json(), default=str))
    return pretty(told)


def file_of(folder: Path, table: str) -> Any:
    """The table's file, or its set of parts."""
    if table in SPLIT:
        return mlc.FileSet(
            id=f"{table}-files", name=f"{table}-files", encoding_formats=[PARQUET], includes=[f"{table}/*.parquet"]
        )
    name = f"{table}.parquet"
    return mlc.FileObject(
        id=name, name=name, content_url=name, encoding_formats=[PARQUET], sha256=sha256(folder / name)
    )


def records_of(table: str) -> Any:
    return mlc.RecordSet(id=table, name=table, fields=[field_of(table, column) for column in TABLES[table]])


def field_of(table: str, column: Column) -> Any:
    """A column; a list of texts is a repeated text."""
    extract = mlc.Extract(column=column.name)
    source = (
        mlc.Source(file_set=f"{table}-files", extract=extract)
        if table in SPLIT
        else mlc.Source(file_object=f"{table}.parquet", extract=extract)
    )
    repeated = {"is_array": True, "array_shape": "-1"} if column.kind == "texts" else {}
    return mlc.Field(
        id=f"{table}/{column.name}", name=f"{table}/{column.name}", description=column.meaning,
        data_types=[KINDS.get(column.kind, mlc.DataType.TEXT)], source=source, **repeated,
    )  # fmt: skip
