"""Opening what was given: a file, or a folder whose files stay inside it. Nothing is executed; pickles are never opened."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tasks_admin.runs.shape import BadRuns, Rejected

MAX_FILES = 200_000
MAX_JSON_MB = 256
MAX_LINE = 16 * 1024 * 1024
MAX_BLANK = 100_000  # blank lines in a row
DELIMITERS = ",;\t"  # of a CSV
LOOKED = 1000  # rows that a signature looks at to find one that can be read
TOO_BLANK = f"it has more than {MAX_BLANK:,} blank lines in a row; the rest of the file was not read"


def walk(folder: Path) -> Iterator[Path]:
    """Every file below the folder, in order; hidden ones, links that lead out and what is no ordinary file are left.

    Raises BadRuns for too many.
    """
    root, count = folder.resolve(), 0
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(where) / name
            if name.startswith(".") or not is_inside(file, root):
                continue
            count += 1
            if count > MAX_FILES:
                raise BadRuns(f"{folder} holds more than {MAX_FILES:,} files; import it in parts.")
            yield file


def is_inside(file: Path, root: Path) -> bool:
    """True for an ordinary file that lies below `root` (resolved), wherever links lead to."""
    found = file.resolve()
    return found.is_relative_to(root) and found.is_file()


def files_of(path: Path) -> Iterator[Path]:
    """The file itself, or every file below a folder."""
    if path.is_dir():
        yield from walk(path)
    elif path.is_file():
        yield path
    else:
        raise BadRuns(f"{path} does not exist.")


def named(path: Path, base: Path) -> str:
    """A file as people should read of it: from where the import began."""
    return str(path.relative_to(base)) if base.is_dir() and path.is_relative_to(base) else path.name


def read_json(path: Path, place: str) -> Any | Rejected:
    """A whole JSON document, or why it could not be read."""
    if path.stat().st_size > MAX_JSON_MB * 1024 * 1024:
        return Rejected(place, f"it is larger than {MAX_JSON_MB} MB, too large for one JSON document; give JSON lines")
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=not_a_number)
    except (ValueError, RecursionError) as error:
        return Rejected(place, f"it is not whole JSON ({str(error)[:120]})")


def not_a_number(name: str) -> float:
    """NaN and infinities become what no reader takes for a number."""
    return float(name.replace("Infinity", "inf"))


def json_lines(path: Path, place: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """(place, object) per line, in constant memory; a line that is no object is rejected by its number."""
    with path.open("rb") as lines:
        number = blank = 0
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            at = f"{place}, line {number}"
            if len(line) > MAX_LINE:
                yield at, Rejected(at, "the line is longer than 16 MB; the rest of the file was not read")
                return
            if line.strip():
                blank = 0
                yield at, one_object(line, at)
            elif (blank := blank + 1) > MAX_BLANK:
                yield at, Rejected(at, TOO_BLANK)
                return


def one_object(line: bytes, at: str) -> dict[str, Any] | Rejected:
    try:
        found = json.loads(line.decode("utf-8-sig"), parse_constant=not_a_number)
    except (ValueError, RecursionError) as error:
        return Rejected(at, f"it is not whole JSON ({str(error)[:120]})")
    return found if isinstance(found, dict) else Rejected(at, "it is no JSON object")


class TooBlank(Exception):
    """Blank lines without an end."""


def not_too_blank(lines: Iterable[str]) -> Iterator[str]:
    """The lines as they are. Raises TooBlank: who reads a table passes over blank lines without giving a row."""
    blank = 0
    for line in lines:
        blank = 0 if line.strip() else blank + 1
        if blank > MAX_BLANK:
            raise TooBlank
        yield line


def delimiter_of(header: str) -> str:
    """What stands most often between the names of a header, outside quotes; a comma where nothing stands more often."""
    return max(DELIMITERS, key=re.sub('"[^"]*"', "", header).count)


def csv_rows(path: Path, place: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """(place, row) per row of a CSV with a header, between commas, semicolons or tabs as the header has it."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            delimiter = delimiter_of(handle.readline(MAX_LINE))
            handle.seek(0)
            reader = csv.DictReader(not_too_blank(handle), strict=True, delimiter=delimiter)
            if twice := [name for name, times in Counter(map(str.strip, reader.fieldnames or ())).items() if times > 1]:
                yield (
                    place,
                    Rejected(place, f"its header names {twice[0][:60]!r} more than once; which one counts is not told"),
                )
                return
            for row in reader:
                at = f"{place}, line {reader.line_num}"
                if None in row or None in row.values():
                    yield at, Rejected(at, "it has more or fewer cells than the header")
                else:
                    yield at, {name.strip(): value for name, value in row.items()}
    except TooBlank:
        yield place, Rejected(place, TOO_BLANK)
    except (csv.Error, UnicodeDecodeError) as error:
        yield place, Rejected(place, f"it is no whole CSV in UTF-8 ({str(error)[:120]})")


def table_rows(path: Path, place: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """Rows of a CSV, of JSON lines, or of one JSON list of objects."""
    if path.suffix.lower() == ".csv":
        yield from csv_rows(path, place)
    elif first_byte(path) == b"[":
        found = read_json(path, place)
        if isinstance(found, Rejected):
            yield place, found
            return
        for index, row in enumerate(found, 1):
            at = f"{place}, item {index}"
            yield at, row if isinstance(row, dict) else Rejected(at, "it is no JSON object")
    else:
        yield from json_lines(path, place)


def first_byte(path: Path) -> bytes:
    with path.open("rb") as handle:
        return handle.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def first_row(path: Path) -> dict[str, Any]:
    """The first row that can be read, {} where none of the first LOOKED can: what a signature looks at."""
    for _, row in islice(table_rows(path, path.name), LOOKED):
        if isinstance(row, dict):
            return row
    return {}
