"""Tables as downloads: CSV whose cells no spreadsheet takes for a formula, and JSON, both streamed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.http import StreamingHttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")
BOM = "\ufeff"  # spreadsheets read UTF-8 only where it says so
Row = Mapping[str, Any]


class Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def cell(value: Any) -> Any:
    """A value as a spreadsheet may have it: text that looks like a formula gets an apostrophe, JSON is written out."""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def csv_lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """The lines of a CSV file with a heading."""
    writer = csv.writer(Echo())
    yield BOM + str(writer.writerow(columns))
    for row in rows:
        yield str(writer.writerow([cell(row.get(name)) for name in columns]))


def json_pieces(rows: Iterable[Row]) -> Iterator[str]:
    """The pieces of a JSON list, a row a line."""
    before = "[\n"
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def download(name: str, kind: str, columns: Sequence[str], rows: Iterable[Row]) -> StreamingHttpResponse:
    """The rows as a file to keep, `kind` csv or json."""
    pieces = csv_lines(columns, rows) if kind == "csv" else json_pieces(rows)
    media = "text/csv; charset=utf-8" if kind == "csv" else "application/json"
    response = StreamingHttpResponse(pieces, content_type=media)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response
