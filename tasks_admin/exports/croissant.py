"""Croissant metadata (MLCommons, 1.0) of a bundle: its files with their hashes, and the tables' columns.

Written as the package `mlcroissant` writes it, to the byte, which a test holds it to: the package itself brings 60 MB of libraries.
"""

from __future__ import annotations

from typing import Any

from tasks_admin.exports.files import pretty
from tasks_admin.exports.tables import SCHEMA_VERSION, SPLIT, TABLES, Column

KINDS = {  # all others are texts
    **dict.fromkeys(("integer", "count"), "sc:Integer"),
    **dict.fromkeys(("number", "share"), "sc:Float"),
    "flag": "sc:Boolean",
}
VERSION = SCHEMA_VERSION.rsplit("/", 1)[1] + ".0.0"
PARQUET = "application/x-parquet"
OWN = (  # what the format names itself; in the order in which it is told
    *(
        "citeAs",
        "column",
        "conformsTo",
        "cr",
        "rai",
        "data",
        "dataType",
        "dct",
        "equivalentProperty",
        "examples",
        "extract",
    ),
    *(
        "field",
        "fileProperty",
        "fileObject",
        "fileSet",
        "format",
        "includes",
        "isLiveDataset",
        "jsonPath",
        "key",
        "md5",
    ),
    *(
        "parentField",
        "path",
        "recordSet",
        "references",
        "regex",
        "repeated",
        "replace",
        "samplingRate",
        "sc",
        "separator",
    ),
    *("source", "subField", "transform"),
)
OTHERS = {
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "sc": "https://schema.org/",
}
CONTEXT = {"@language": "en", "@vocab": "https://schema.org/"} | {name: OTHERS.get(name, f"cr:{name}") for name in OWN}


def croissant(study: dict[str, Any], files: dict[str, str]) -> str:
    """The text of `croissant.json`: `study` is the manifest's, `files` are the bundle's Parquet files with their SHA-256."""
    return pretty(
        {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "name": study["slug"],
            "description": (
                f"{study['name']}: how people did web tasks, recorded with Footpath. The card (README.md) tells the columns."
            ),
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "version": VERSION,
            "distribution": [file_of(files, table) for table in TABLES],
            "recordSet": [records_of(table) for table in TABLES],
        }
    )


def file_of(files: dict[str, str], table: str) -> dict[str, Any]:
    """The table's file, or its set of parts."""
    if table in SPLIT:
        name, more = f"{table}-files", {"includes": f"{table}/*.parquet"}
        return {"@type": "cr:FileSet", "@id": name, "name": name, "encodingFormat": PARQUET} | more
    name = f"{table}.parquet"
    told = {"@type": "cr:FileObject", "@id": name, "name": name, "contentUrl": name, "encodingFormat": PARQUET}
    return told | {"sha256": files[name]}


def records_of(table: str) -> dict[str, Any]:
    fields = [field_of(table, column) for column in TABLES[table]]
    return {"@type": "cr:RecordSet", "@id": table, "name": table, "field": fields}


def field_of(table: str, column: Column) -> dict[str, Any]:
    """A column; a list of texts is told as a text."""
    source = {"fileSet": {"@id": f"{table}-files"}} if table in SPLIT else {"fileObject": {"@id": f"{table}.parquet"}}
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": f"{table}/{column.name}",
        "description": column.meaning,
        "dataType": KINDS.get(column.kind, "sc:Text"),
        "source": source | {"extract": {"column": column.name}},
    }
