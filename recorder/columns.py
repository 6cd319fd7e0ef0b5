"""Raw events of many recordings as one table, made of their stored lines by work on whole columns.

A line that the recorder wrote begins with the event's place and type; that beginning is cut off and the event's place in the
recording put there, while the rest stays as it is: no name stands in it twice, for such lines are refused (`recorder.wire`).
Lines that are anyhow different are parsed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import polars as pl
from pydantic_core import to_json

from recorder import fast
from recorder.held import Stored
from recorder.models import Document
from recorder.proof import Proof, blind_spot
from recorder.recordings import NOT_THE_PAGES, assemble
from recorder.schema import TYPES

# What stands in the way of taking the rest as it is: what no page has a say in, a frame of its own, spaces, halves of characters.
ODD = [*(f'"{name}":' for name in (*NOT_THE_PAGES, "frame")), '" :', '"\t', '"\r', "\\u"]
PARTS = ("at_doc", "at_n", "at_p", "at_type", "at_origin", "rest")
# The same as one pattern: many times as fast where a text has none of them, as nearly all have.
ANY_ODD = "|".join(re.escape(one) for one in ODD)
SURE, LARGE = 1e-3, 1e10  # of tenths: an error of multiplication is below 1e-5 there
MOVED = "dialog"  # tells a second time, which moves to the recording's clock, too
PLACE = ("recording", "document", "doc", "n", "t", "tab", "frame")
COLUMNS = dict(
    zip(PLACE, (pl.Int64, pl.Int64, pl.String, pl.Int64, pl.Float64, pl.Int64, pl.String), strict=True)
) | dict.fromkeys(("type", "origin", "event"), pl.String)


def table_of(stored: Stored) -> pl.DataFrame:
    """The events as COLUMNS, `event` being the whole event as JSON: recording by recording in their order, within each in the
    order that every index refers to."""
    pages = [page for one in stored.recordings for page in stored.documents.get(one.pk, []) if page.pk in stored.lines]
    read = _read(pages, stored.lines)
    plain = read.filter("is_plain")
    plain = plain.with_columns(t=rounded(plain["p"] + plain["offset"]))
    tables = [plain.select("place", *PLACE, *_told()), _parsed(read.filter(~pl.col("is_plain")), pages)]
    return pl.concat(tables).sort("place", "t", "tab", "doc", "n").drop("place")


def proofs_of(stored: Stored, table: pl.DataFrame) -> dict[int, Proof]:
    """{recording: its proof}; `table` are the events."""
    received = {page.pk: page.received for pages in stored.documents.values() for page in pages}
    last = pl.col("document").replace_strict(received, return_dtype=pl.Int64)
    beyond, blind = defaultdict(set), defaultdict(list)
    for document, n in table.filter(pl.col("n") > last).select("document", "n").iter_rows():
        beyond[document].add(n)
    told = table.filter(pl.col("type") == "blind").sort("document", "n", maintain_order=True)
    for recording, event in told.select("recording", "event").iter_rows():
        blind[recording].append(blind_spot(fast.parsed(event)))
    return {one.pk: stored.proof(one, blind[one.pk], beyond.__getitem__) for one in stored.recordings}


def rounded(times: pl.Series) -> pl.Series:
    """The times with one decimal, to the last bit what Python's `round` gives.

    A whole number of tenths divided by ten is the number nearest to what is written with one decimal, as `round`'s is; which of two
    tenths is nearer, multiplication tells but for those so near to the middle that its own error might decide, or so large that it
    has no tenths.
    """
    exact = times.to_numpy()
    tenths = exact * 10
    whole = np.rint(tenths)
    told = whole / 10
    unsure = (np.abs(np.abs(tenths - whole) - 0.5) < SURE) | (np.abs(tenths) > LARGE)
    for place in np.flatnonzero(unsure):
        told[place] = round(float(exact[place]), 1)
    return pl.Series(told, dtype=pl.Float64)


def _read(pages: Sequence[Document], lines: dict[int, str]) -> pl.DataFrame:
    """A row per line: what its document says of it, what it says itself, and whether it `is_plain`."""
    places = {recording: place for place, recording in enumerate(dict.fromkeys(one.recording_id for one in pages))}
    table = pl.DataFrame(
        {
            "index": range(len(pages)),
            "place": [places[one.recording_id] for one in pages],
            "recording": [one.recording_id for one in pages],
            "document": [one.pk for one in pages],
            "doc": [one.doc for one in pages],
            "tab": [one.tab for one in pages],
            "frame": [one.frame for one in pages],
            "begins": [f'{{"doc":"{one.doc}"' for one in pages],
            "goes_on": [f',"tab":{one.tab},"frame":{to_json(one.frame).decode()},' for one in pages],
            "offset": [one.offset_ms for one in pages],
            "line": [lines[one.pk] for one in pages],
        },
        schema_overrides={"offset": pl.Float64, "index": pl.Int64, "place": pl.Int64}
        | {name: COLUMNS[name] for name in ("recording", "document", "doc", "tab", "frame")}
        | dict.fromkeys(("begins", "goes_on", "line"), pl.String),
    )
    line, parts = pl.col("line"), pl.col("line").str.splitn(",", len(PARTS)).struct.rename_fields(list(PARTS))
    table = table.with_columns(line.str.split("\n")).explode("line").with_columns(parts.alias("parts")).unnest("parts")
    return table.with_columns(
        n=pl.col("at_n").str.strip_prefix('"n":').cast(pl.Int64, strict=False),
        p=pl.col("at_p").str.strip_prefix('"p":').cast(pl.Float64, strict=False),
    ).with_columns(is_plain=_is_plain().fill_null(value=False))


def _is_plain() -> pl.Expr:
    return (
        (pl.col("at_doc") == pl.col("begins"))
        & pl.col("at_n").str.starts_with('"n":')
        & pl.col("at_p").str.starts_with('"p":')
        & pl.col("n").is_not_null()
        & pl.col("p").is_not_null()
        & pl.col("at_type").is_in([f'"type":"{name}"' for name in TYPES if name != MOVED])
        & pl.col("at_origin").is_in(['"origin":"user"', '"origin":"page"'])
        & ~pl.col("rest").str.contains(ANY_ODD)
    )


def _told() -> tuple[pl.Expr, ...]:
    """What a plain line says: the columns `type`, `origin` and `event`."""
    comma = pl.lit(",")
    place = ("begins", pl.lit(',"n":'), "n", pl.lit(',"t":'), "t", "goes_on")
    return (
        pl.col("at_type").str.strip_prefix('"type":"').str.strip_suffix('"').alias("type"),
        pl.col("at_origin").str.strip_prefix('"origin":"').str.strip_suffix('"').alias("origin"),
        pl.concat_str(*place, "at_type", comma, "at_origin", comma, "rest").alias("event"),
    )


def _parsed(odd: pl.DataFrame, pages: Sequence[Document]) -> pl.DataFrame:
    """The lines that are different, each parsed."""
    columns: dict[str, list[object]] = {name: [] for name in ("place", *COLUMNS)}
    for index, place, line in odd.select("index", "place", "line").iter_rows():
        document = pages[index]
        event = assemble(line, document)
        told = event | {
            "place": place,
            "recording": document.recording_id,
            "document": document.pk,
        }
        told["event"] = fast.written(event)
        for name, values in columns.items():
            values.append(told[name])
    return pl.DataFrame(columns, schema={"place": pl.Int64, **COLUMNS})
