"""The tables that are split into parts, read attempt by attempt beside their traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from recorder import fast
from tasks_admin.exports.verify.reading import frames_of, parts_of

Items = Sequence[dict[str, Any]]
EVENT_COLUMNS = ("doc", "n", "t", "tab", "frame", "type", "origin")


def of_events(events: Items) -> dict[str, list[Any]]:
    """{column: what `events` says in it of these}, but for the attempt's name, the place and the whole event."""
    return {column: [event[column] for event in events] for column in EVENT_COLUMNS}


def of_steps(steps: Items) -> dict[str, list[Any]]:
    """The same of `steps`."""
    return {
        "type": [step["type"] for step in steps],
        "t": [step["t"] for step in steps],
        "t_end": [step.get("t_end", step["t"]) for step in steps],
        "raw_first": [step["raw"][0] for step in steps],
        "raw_last": [step["raw"][1] for step in steps],
    }


class Parts:
    """A table that is split into parts, read once from the first attempt to the last; no more of it is held than one attempt's rows
    and the few thousand that are read at a time.

    `whole` is its column with the whole item as JSON, `columns` gives what the others say.
    """

    def __init__(self, folder: Path, table: str, whole: str, columns: Callable[[Items], dict[str, list[Any]]]) -> None:
        self.table, self.whole, self.columns = table, whole, columns
        self._runs = runs_of(frame for path in parts_of(folder, table) for frame in frames_of(path))
        self._next = next(self._runs, None)

    def say(self, name: str, items: Items) -> bool:
        """Whether the rows of an attempt, which stand in the order of the attempts, say these items and no others."""
        rows = self.take(name)
        if rows is None:
            return not items
        told = {"index": list(range(len(items))), **self.columns(items)}
        return (
            rows.height == len(items)
            and all(rows[column].to_list() == values for column, values in told.items())
            and all(map(is_text_of, rows[self.whole], items))
        )

    def take(self, name: str) -> pl.DataFrame | None:
        """Go past the rows of an attempt, where they stand in the order of the attempts; None where they do not."""
        if self._next is None or self._next[0] != name:
            return None
        rows = self._next[1]
        self._next = next(self._runs, None)
        return rows

    def left(self) -> str | None:
        """Of which attempt there are rows still, or None."""
        return self._next[0] if self._next else None


def runs_of(frames: Iterator[pl.DataFrame]) -> Iterator[tuple[str, pl.DataFrame]]:
    """(attempt, its rows) as long as they follow each other, whatever piece they were read in."""
    name, held = "", list[pl.DataFrame]()
    for frame in frames:
        start = 0
        for length, found in frame["attempt_id"].rle().struct.unnest().iter_rows():
            if held and found != name:
                yield name, pl.concat(held)
                held = []
            name = found
            held.append(frame.slice(start, length))
            start += length
    if held:
        yield name, pl.concat(held)


def is_text_of(text: str, item: dict[str, Any]) -> bool:
    """Whether it is the item as JSON. As an export writes it, it is the same text, which is asked first: it takes less."""
    if text == fast.written(item):
        return True
    try:
        return bool(fast.parsed(text) == item)
    except ValueError:  # no JSON
        return False
