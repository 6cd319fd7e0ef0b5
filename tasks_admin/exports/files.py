"""Writing the bundle's files: the same rows always give the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import to_json

from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.tables import arrow_schema

ROWS_AT_ONCE = 4_000  # of a table, checked and written together
ROWS_PER_GROUP = 15_000  # of a part, at least, but for its last
Row = dict[str, Any]


def pretty(value: Any) -> str:
    """Readable JSON, keys in their order, characters as they are."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def pretty_pieces(value: Any) -> Iterator[str]:
    """The same, a piece at a time: whole, the text of a large manifest and what it is joined of take a hundred megabytes."""
    tokens = json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(value)
    while piece := "".join(islice(tokens, 10_000)):
        yield piece
    yield "\n"


def compact(value: Any) -> str:
    """JSON without spaces, characters as they are."""
    return to_json(value).decode()


def sealed(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with its seal, the SHA-256 of its text without one: a changed byte of it is noticed, too."""
    told = {name: value for name, value in manifest.items() if name != "seal"}
    digest = hashlib.sha256()
    for piece in pretty_pieces(told):
        digest.update(piece.encode())
    return told | {"seal": digest.hexdigest()}


def sha256(path: Path) -> str:
    """Hex SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def written_to(path: Path, pieces: Iterable[bytes | memoryview]) -> str:
    """Write a file of these pieces; returns its hex SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def files_in(folder: Path) -> list[str]:
    """The names of all files below the folder, from there, in order: as texts, for there may be very many."""
    found = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    return sorted(Path(os.path.relpath(path, folder)).as_posix() for path in found)


class TableFile:
    """One table as Parquet and, beside it, JSON lines. Rows come one by one and are checked by the canary."""

    def __init__(self, folder: Path, table: str, canary: Canary) -> None:
        self.table, self.canary, self.rows = table, canary, 0
        self._schema = arrow_schema(table)
        self._dtypes = pl.Schema(self._schema)
        self._parquet = pq.ParquetWriter(folder / f"{table}.parquet", self._schema, compression="zstd")
        self._lines = (folder / f"{table}.jsonl").open("w", encoding="utf-8")
        self._waiting: list[Row] = []

    def __enter__(self) -> TableFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._parquet.close()
        self._lines.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows. Raises Leak, at the latest when the table is closed."""
        for row in rows:
            self._waiting.append(row)
            self.rows += 1
            if len(self._waiting) >= ROWS_AT_ONCE:
                self._flush()

    def _flush(self) -> None:
        if self._waiting:
            lines = [json.dumps(row, ensure_ascii=False) for row in self._waiting]
            self.canary.check(lines, [self.table] * len(lines))
            self._lines.writelines(f"{line}\n" for line in lines)
            self._parquet.write_table(self._table())
            self._waiting = []

    def _table(self) -> pa.Table:
        """The waiting rows. Arrow's own way from Python's lists brings 40 MB of pandas."""
        return pl.DataFrame(self._waiting, schema=self._dtypes).to_arrow().cast(self._schema)


class Part:
    """A Parquet part of a large table, written from pieces of it. What goes in was checked by the canary before."""

    def __init__(self, path: Path, table: str) -> None:
        self.path, self.rows = path, 0
        self._schema = arrow_schema(table)
        whole = self._schema.names[-1]  # the whole event or step: no two are alike, so a dictionary or bounds only cost
        others = [name for name in self._schema.names if name != whole]
        path.parent.mkdir(exist_ok=True)
        self._writer = pq.ParquetWriter(
            path, self._schema, compression="zstd", use_dictionary=others, write_statistics=others
        )
        self._waiting: list[pa.Table] = []
        self._rows_waiting = 0

    def __enter__(self) -> Part:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def add(self, rows: pa.Table) -> None:
        """Append rows, which have the table's schema."""
        self._waiting.append(rows)
        self._rows_waiting += rows.num_rows
        self.rows += rows.num_rows
        if self._rows_waiting >= ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
            self._waiting, self._rows_waiting = [], 0
