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
from typing import Any, TextIO

from tasks_admin.runs.shape import BadRuns, Rejected

MAX_FILES = 200_000
MAX_JSON_MB = 256
MAX_LINE = 16 * 1024 * 1024
csv.field_size_limit(MAX_LINE)  # a row's limit is a cell's
MAX_BLANK = 100_000  # blank lines in a row
DELIMITERS = ",;\t"  # of a CSV
LOOKED = 1000  # rows that a signature looks at to find one that can be read
LOOKED_FILES = 100  # files that a signature looks at to find one that tells
TOO_BLANK = f"it has more than {MAX_BLANK:,} blank lines in a row; the rest of the file was not read"

UNEVEN = "it has more or fewer cells than the header"


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
        text = path.read_text(encoding="utf-8-sig")
        return json.loads(text, parse_constant=not_a_number, object_pairs_hook=once_each)
    except (ValueError, RecursionError) as error:
        return Rejected(place, f"it is not whole JSON ({str(error)[:120]})")


def not_a_number(name: str) -> float:
    """NaN and infinities become what no reader takes for a number."""
    return float(name.replace("Infinity", "inf"))


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Raises ValueError where a name stands twice in it, for nobody can tell which one counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands in it twice")
    return found


def json_lines(path: Path, place: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """(place, object) per line, in constant memory; a line that is no object is rejected by its number."""
    with path.open("rb") as lines:
        number = blank = 0
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            at = f"{place}, line {number}"
            if len(line) > MAX_LINE:
                while not line.endswith(b"\n") and (line := lines.readline(MAX_LINE)):
                    pass
                yield at, Rejected(at, "the line is longer than 16 MB")
            elif line.strip():
                blank = 0
                yield at, one_object(line, at)
            elif (blank := blank + 1) > MAX_BLANK:
                yield at, Rejected(at, TOO_BLANK)
                return


def one_object(line: bytes, at: str) -> dict[str, Any] | Rejected:
    try:
        found = json.loads(line.decode("utf-8-sig"), parse_constant=not_a_number, object_pairs_hook=once_each)
    except (ValueError, RecursionError) as error:
        return Rejected(at, f"it is not whole JSON ({str(error)[:120]})")
    return found if isinstance(found, dict) else Rejected(at, "it is no JSON object")


class TooBlank(Exception):
    """Blank lines without an end."""


class Unreadable(Exception):
    """Where a file's rows begin cannot be told any more."""


class Lines:
    """The lines of a CSV one by one, for a reader that joins those of a cell over several lines to one row.

    `number` is the line that was read last, 1-based, `row` where the row began, `whole` whether the row was UTF-8 up to here.
    Raises TooBlank, and Unreadable for a row that is too long.
    """

    def __init__(self, handle: TextIO) -> None:
        self.handle = handle
        self.number = self.row = self.size = self.blank = 0
        self.whole = True

    def begin(self) -> None:
        """A row begins with the line that is read next."""
        self.row, self.size, self.whole = self.number + 1, 0, True

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.handle.readline(MAX_LINE + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self.size += len(line)
        if self.size > MAX_LINE:
            raise Unreadable("its row is longer than 16 MB")
        self.blank = 0 if line.strip() else self.blank + 1
        if self.blank > MAX_BLANK:  # a reader passes over blank lines without giving a row
            raise TooBlank
        self.whole = self.whole and is_utf8(line)
        return line


def is_utf8(line: str) -> bool:
    """False where a byte of the line was none of UTF-8 (it is read as half a character)."""
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def delimiter_of(header: str) -> str:
    """What stands most often between the names of a header, outside quotes; a comma where nothing stands more often."""
    return max(DELIMITERS, key=re.sub('"[^"]*"', "", header).count)


def csv_rows(path: Path, place: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """(place, row) per row of a CSV with a header, between commas, semicolons or tabs as the header has it.

    A faulty row is rejected by its line, and the next is read. Raises BadRuns where nothing tells where the next begins.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as handle:
        delimiter = delimiter_of(handle.readline(MAX_LINE))
        handle.seek(0)
        lines = Lines(handle)
        reader = csv.reader(lines, strict=True, delimiter=delimiter)
        header: list[str] | None = None
        try:
            while (cells := next_row(reader, lines, place)) is not None:
                if isinstance(cells, Rejected) and header is None:
                    yield place, Rejected(place, f"its header cannot be read: {cells.reason}")
                    return
                if isinstance(cells, Rejected):
                    yield cells.place, cells
                elif header is None:
                    header = [name.strip() for name in cells]
                    if twice := [name for name, times in Counter(header).items() if times > 1]:
                        said = f"its header names {twice[0][:60]!r} more than once; which one counts is not told"
                        yield place, Rejected(place, said)
                        return
                else:
                    at = f"{place}, line {lines.row}"
                    fits = len(cells) == len(header)
                    yield at, dict(zip(header, cells, strict=True)) if fits else Rejected(at, UNEVEN)
        except TooBlank:
            yield place, Rejected(place, TOO_BLANK)


def next_row(reader: Iterator[list[str]], lines: Lines, place: str) -> list[str] | Rejected | None:
    """A row's cells, or why it cannot be read; None after the last. Raises BadRuns, TooBlank."""
    cells: list[str] = []
    while not cells:  # a blank line
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return None
        except (csv.Error, Unreadable) as error:
            at = f"{place}, line {lines.row}"
            if lines.number > lines.row or isinstance(error, Unreadable):
                raise BadRuns(
                    f"{at}: where this row ends cannot be told ({str(error)[:120]}); a quote may be open. Nothing was imported."
                ) from error
            return Rejected(at, f"it is no row of a CSV ({str(error)[:120]})")
    return cells if lines.whole else Rejected(f"{place}, line {lines.row}", "it holds a byte that is not UTF-8")


def table_rows(path: Path, place: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    """Rows of a CSV, of JSON lines, or of one JSON list of objects."""
    if path.suffix.lower() == ".csv":
        yield from csv_rows(path, place)
    elif is_one_list(path):
        found = read_json(path, place)
        if isinstance(found, Rejected):
            yield place, found
            return
        for index, row in enumerate(found, 1):
            at = f"{place}, item {index}"
            yield at, row if isinstance(row, dict) else Rejected(at, "it is no JSON object")
    else:
        yield from json_lines(path, place)


def is_one_list(path: Path) -> bool:
    """Whether a file is one JSON list. JSON lines may begin with a bracket, too: then their first line is whole, and more follow."""
    if first_byte(path) != b"[":
        return False
    with path.open("rb") as lines:
        begun = (line for line in iter(lambda: lines.readline(MAX_LINE), b"") if line.strip())
        first, more = next(begun), next(begun, None)
    try:
        json.loads(first.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return True
    return more is None


def first_byte(path: Path) -> bytes:
    with path.open("rb") as handle:
        return handle.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def whole_documents(files: Iterable[Path]) -> Iterator[Any]:
    """The JSON documents that can be read among the first LOOKED_FILES: what a signature looks at."""
    for file in islice(files, LOOKED_FILES):
        found = read_json(file, file.name)
        if not isinstance(found, Rejected):
            yield found


def first_row(path: Path) -> dict[str, Any]:
    """The first row that can be read, {} where none of the first LOOKED can: what a signature looks at. Raises BadRuns."""
    for _, row in islice(table_rows(path, path.name), LOOKED):
        if isinstance(row, dict):
            return row
    return {}
