"""A trace as a file that people can read, and as rows of `events` and `steps`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from annotate.actions import cleanings
from recorder import fast
from tasks_admin.exports.files import compact
from tasks_admin.exports.tables import arrow_schema

INDENTED = "\n  "  # before an item of a list
OPENED, BETWEEN, CLOSED = f"[{INDENTED}", f",{INDENTED}", "\n ]"  # around the items
TOLD = {"type": pl.String, "t": pl.Float64, "t_end": pl.Float64, "raw_first": pl.Int64, "raw_last": pl.Int64}
# How a step is written as a rule; a page's own texts have no quote without a backslash, so none of them reads like this.
BEGINS = r'^\{"type":"(?P<type>[a-z_]+)","t":(?P<t>-?[\d.]+),"t_end":(?P<t_end>-?[\d.]+),'
ENDS = r',"raw":\[(?P<raw_first>\d+),(?P<raw_last>\d+)\]\}$'


@dataclass(frozen=True)
class Trace:
    """An attempt's trace: its name, its recording's pk, its file's text before the events, these as bytes, the text after them, and
    its steps as they are stored (see annotate.actions.cleanings)."""

    name: str
    recording: int
    before: str
    events: memoryview
    after: str
    steps: str

    def pieces(self) -> tuple[bytes, memoryview, bytes]:
        """The file: JSON with a field a line, and in its lists an item a line. Its events are not copied: they are most of it."""
        return self.before.encode(), self.events, self.after.encode()


def trace_of(
    name: str,
    recording: int,
    told: Mapping[str, Any],
    events: memoryview,
    cleaned: str,
    steps: str,
) -> Trace:
    """`told` is the trace without its lists of `events`, `cleaned` and `steps`, which are written already: the last two as they are
    stored."""
    lists = {
        "documents": BETWEEN.join(map(compact, told["documents"])),
        "cleaned": cleaned.replace("\n", INDENTED),  # one character is found several times as fast as two
        "steps": steps.replace("\n", INDENTED),
    }
    fields = {field: listed(lists[field]) if field in lists else compact(value) for field, value in told.items()}
    names = list(fields)
    at = names.index("events")
    before = "".join(f' "{field}": {fields[field]},\n' for field in names[:at])
    after = "".join(f',\n "{field}": {fields[field]}' for field in names[at + 1 :])
    opened, closed = (OPENED, CLOSED) if events else ("[", "]")
    return Trace(name, recording, f'{{\n{before} "events": {opened}', events, f"{closed}{after}\n}}\n", steps)


def listed(items: str) -> str:
    return f"{OPENED}{items}{CLOSED}" if items else "[]"


def event_columns(table: pl.DataFrame, names: Mapping[int, str]) -> pa.Table:
    """The rows of `events`: those of `table` (see recorder.columns), by the name that is told for their recording."""
    name = pl.col("recording").replace_strict(names, return_dtype=pl.String)
    index = pl.int_range(pl.len(), dtype=pl.Int64).over("recording")
    schema = arrow_schema("events")
    return table.with_columns(attempt_id=name, index=index).select(schema.names).to_arrow().cast(schema)


def step_columns(steps: Mapping[str, str]) -> pa.Table:
    """The rows of `steps`: {name of the attempt: its steps as they are stored}."""
    there = {name: text for name, text in steps.items() if text}
    schema = arrow_schema("steps")
    names, texts = (pl.Series(values, dtype=pl.String) for values in (there.keys(), there.values()))
    table = pl.DataFrame({"attempt_id": names, "step": texts.str.split(cleanings.BETWEEN)})
    table = table.with_columns(index=pl.int_ranges(pl.col("step").list.len())).explode("step", "index")
    return table.hstack(step_fields(table["step"])).select(schema.names).to_arrow().cast(schema)


def step_fields(steps: pl.Series) -> pl.DataFrame:
    """The columns TOLD of steps, each of which is JSON."""
    found = (steps.str.extract_groups(pattern).struct.unnest() for pattern in (BEGINS, ENDS))
    told = pl.concat(found, how="horizontal").cast(TOLD, strict=False)  # type: ignore[arg-type]
    if not any(told.null_count().row(0)):
        return told
    parsed = ((step, step["raw"]) for step in map(fast.parsed, steps))  # one at least is written otherwise
    rows = [(step["type"], step["t"], step.get("t_end", step["t"]), *raw) for step, raw in parsed]
    return pl.DataFrame(rows, TOLD, orient="row", strict=False)
