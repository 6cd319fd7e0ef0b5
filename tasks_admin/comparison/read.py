"""Reading the three tables from JSON lines: what is of another kind than its field is refused, by row and field."""

from __future__ import annotations

import json
import math
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import polars as pl

from tasks_admin.comparison.tables import (
    ATTEMPTS,
    FLAG,
    MAY_BE_NULL,
    NUMBER,
    RUNS,
    TASKS,
    TEXT,
    WHERE,
    WHOLE,
    BadTable,
    Schema,
    Tables,
    checked,
)

LARGEST = 2**63  # what a whole number must stay under
SHOWN = 40  # characters of a value


def read_tables(attempts: Path, tasks: Path, runs: Path | None = None) -> Tables:
    """The tables in JSON lines files. Raises BadTable."""
    return checked(
        read(attempts, ATTEMPTS),
        read(tasks, TASKS),
        read(runs, RUNS, WHERE) if runs else pl.DataFrame(schema=RUNS),
        (attempts, tasks, runs),
    )


def read(path: Path, needed: Schema, beside: Schema | None = None) -> pl.DataFrame:
    """One table, with the fields that may stand `beside` those of every such table. Raises BadTable."""
    schema = needed | (beside or {})
    if not path.is_file():
        raise BadTable(f"{path} is no file; a table in JSON lines is needed.")
    try:
        found = rows_of(path)
        if found is None:
            return pl.DataFrame(schema=schema)
        if missing := [name for name in needed if name not in found.columns and name not in MAY_BE_NULL]:
            raise BadTable(f"{path} lacks the field{'s' * (len(missing) > 1)} {', '.join(missing)}.")
        return pl.DataFrame({name: column(found, name, kind) for name, kind in schema.items()})
    except pl.exceptions.PolarsError as error:
        said = first_fault(path, schema) or f" is not whole JSON lines, one object a line: {str(error).splitlines()[0]}"
        raise BadTable(f"{path}{said}") from error


def rows_of(path: Path) -> pl.DataFrame | None:
    """The rows of JSON lines as they are, with or without a byte order mark before them; None of a file without any."""
    with path.open("rb") as handle:
        marked = handle.read(len(BOM_UTF8)) == BOM_UTF8
        begin = marked * len(BOM_UTF8)
        handle.seek(begin)
        if not any(line.strip() for line in handle):
            return None
        handle.seek(begin)
        return pl.read_ndjson(handle if marked else path, infer_schema_length=None)


def column(found: pl.DataFrame, name: str, kind: pl.DataType) -> pl.Series:
    """One field in its type. Raises SchemaError for what is of another kind: nothing is rounded, and no flag is a number."""
    if name not in found.columns:
        return pl.Series(name, [None] * found.height, dtype=kind)
    series = found[name]
    if series.dtype != pl.Null and not fits(series, kind):
        raise pl.exceptions.SchemaError(f"{name} is not of one kind ({kind})")
    return series.cast(kind, strict=True)


def fits(series: pl.Series, kind: pl.DataType) -> bool:
    """Whether a field's values, all of one kind as JSON has it, are of the kind that is asked."""
    has = series.dtype
    if kind == TEXT:
        return has == TEXT or has.is_numeric()
    if kind == FLAG:
        return has == FLAG or (has.is_integer() and series.drop_nulls().is_in([0, 1]).all())
    if kind == WHOLE and has.is_float():
        return (series == series.floor()).all()
    return has.is_numeric()


def first_fault(path: Path, schema: Schema) -> str:
    """The first row and field that are not as they should be; "" where a closer look finds none."""
    with path.open("rb") as lines:
        for number, line in enumerate((line for line in lines if line.strip()), 1):
            try:
                row = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                return f" is not whole JSON lines, one object a line: row {number}: {str(error)[:120]}"
            if not isinstance(row, dict):
                return f" is not whole JSON lines, one object a line: row {number} is no object."
            for name, kind in schema.items():
                if row.get(name) is not None and (said := wrong(row[name], kind)):
                    return f", row {number}: {name} is {json.dumps(row[name], ensure_ascii=False)[:SHOWN]}, {said}."
    return ""


def wrong(value: Any, kind: pl.DataType) -> str:
    """What a value is not; "" where it is of its kind."""
    if kind == TEXT:
        return "" if isinstance(value, str | int | float) and not isinstance(value, bool) else "not a text"
    if kind == FLAG:
        return "" if isinstance(value, int | float) and value in (0, 1) else "neither true nor false"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "not a number"
    if kind == NUMBER and not math.isfinite(value):
        return "not a finite number"
    if kind == WHOLE and (not math.isfinite(value) or value != int(value)):
        return "not a whole number"
    return "" if kind != WHOLE or abs(value) < LARGEST else "too large a number"
