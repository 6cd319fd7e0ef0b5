"""Writing the bundle's files: the same rows always give the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.tables import arrow_schema

ROWS_PER_PART = 200_000
Row = dict[str, Any]


def pretty(value: Any) -> str:
    """Readable JSON, keys in their order, characters as they are."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def sha256(path: Path) -> str:
    """Hex SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


class TableFile:
    """One table as Parquet and, beside it, JSON lines. Rows come one by one and are checked by the canary."""

    def __init__(self, folder: Path, table: str, canary: Canary) -> None:
        self.table, self.canary, self.rows = table, canary, 0
        self._schema = arrow_schema(table)
        self._parquet = pq.ParquetWriter(folder / f"{table}.parquet", self._schema, compression="zstd")
        self._lines = (folder / f"{table}.jsonl").open("w", encoding="utf-8")
        self._waiting: list[Row] = []

    def __enter__(self) -> TableFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flush()
        self._parquet.close()
        self._lines.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows."""
        for row in rows:
            line = json.dumps(row, ensure_ascii=False)
            self.canary.check(line, self.table)
            self._lines.write(line + "\n")
            self._waiting.append(row)
            self.rows += 1
            if len(self._waiting) >= 10_000:
                self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._parquet.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


class Parts:
    """A large table as numbered Parquet parts of at most ROWS_PER_PART rows."""

    def __init__(self, folder: Path, table: str, canary: Canary) -> None:
        self.folder, self.table, self.canary = folder / table, table, canary
        self.folder.mkdir()
        self.rows = 0
        self._writer: pq.ParquetWriter | None = None
        self._in_part = 0
        self._part = 0

    def __enter__(self) -> Parts:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def _open(self) -> None:
        if self._writer is not None:
            self._writer.close()
        path = self.folder / f"part-{self._part:05d}.parquet"
        self._writer = pq.ParquetWriter(path, arrow_schema(self.table), compression="zstd")
        self._part += 1
        self._in_part = 0

    def add(self, rows: Iterator[Row]) -> None:
        """Append rows."""
        while piece := list(islice(rows, 10_000)):
            if self._in_part >= ROWS_PER_PART:
                self._open()
            for row in piece:
                self.canary.check(row.get("event") or row.get("step") or "", self.table)
            assert self._writer is not None
            self._writer.write_table(pa.Table.from_pylist(piece, schema=arrow_schema(self.table)))
            self._in_part += len(piece)
            self.rows += len(piece)
