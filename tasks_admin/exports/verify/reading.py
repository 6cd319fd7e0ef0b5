"""What the checks read of a bundle."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl
import pyarrow.parquet as pq

from recorder import fast
from tasks_admin.exports.files import files_in
from tasks_admin.exports.tables import SPLIT

Manifest = dict[str, Any]
ROWS_AT_ONCE = 4_000  # of a Parquet file
BYTES_AT_ONCE = 1 << 18  # of each of its columns, as they are stored


def files_there(folder: Path) -> set[str]:
    """The names of all files of the bundle, from its folder."""
    return {name for name in files_in(folder) if os.path.isfile(folder / name)}


def parsed(text: str) -> Any:
    """What JSON says. Raises ValueError where it is none, or nested too deep."""
    try:
        return fast.parsed(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def lines_of(folder: Path, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, row) of a table's JSON lines, one at a time."""
    with (folder / f"{table}.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            yield number, parsed(line)


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder, in order; none where there is no such folder."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def traces_of(folder: Path) -> list[str]:
    """The names of the attempts that have a trace, in order."""
    return [name.removesuffix(".json") for name in names_in(folder / "traces") if name.endswith(".json")]


def trace_of(folder: Path, attempt: str) -> Any:
    """An attempt's trace. Raises ValueError where its file is no JSON."""
    return parsed((folder / "traces" / f"{attempt}.json").read_text(encoding="utf-8"))


def parts_of(folder: Path, table: str) -> list[Path]:
    """The Parquet files of a table, in order: of one that is split all that lies in its folder."""
    if table in SPLIT:
        return [folder / table / name for name in files_in(folder / table)]
    return [folder / f"{table}.parquet"]


def frames_of(path: Path, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet file, with these columns or all, a few thousand at a time.

    By pyarrow's file itself, and without its reading ahead: that holds whole groups of rows, as pyarrow's datasets and tables do, which
    load pandas, too.
    """
    with pq.ParquetFile(path, buffer_size=BYTES_AT_ONCE, pre_buffer=False) as file:
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns, use_threads=False):
            yield cast(pl.DataFrame, pl.from_arrow(batch))


def rows_in(path: Path) -> int:
    """How many rows a Parquet file has."""
    with pq.ParquetFile(path) as file:
        return int(file.metadata.num_rows)


def condition_of(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["environment"], row["task"], row["condition"]
