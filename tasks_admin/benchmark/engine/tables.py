"""State as tables of JSON rows, and reproducible time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

Row = dict[str, Any]
Test = Callable[[Row], bool]


class Tables:
    """Tables by name, each a list of rows with an integer ``id``. Ids are never given twice, so a row that was
    deleted and made again is a new row to the scoring."""

    def __init__(self, rows: dict[str, list[Row]], last_ids: dict[str, int] | None = None) -> None:
        self.rows = rows
        self.last_ids = last_ids or {name: max((row["id"] for row in table), default=0) for name, table in rows.items()}

    def all(self, table: str, test: Test | None = None) -> list[Row]:
        """Rows that pass the test, in order."""
        return [row for row in self.rows[table] if test is None or test(row)]

    def find(self, table: str, test: Test) -> Row | None:
        """The first row that passes the test, or None."""
        return next((row for row in self.rows[table] if test(row)), None)

    def get(self, table: str, row_id: int) -> Row:
        """The row of this id. Raises KeyError."""
        row = self.find(table, lambda row: row["id"] == row_id)
        if row is None:
            raise KeyError((table, row_id))
        return row

    def insert(self, table: str, **fields: Any) -> Row:
        """Add a row with the next id and return it."""
        self.last_ids[table] = self.last_ids.get(table, 0) + 1
        row = {"id": self.last_ids[table], **fields}
        self.rows[table].append(row)
        return row

    def delete(self, table: str, test: Test) -> int:
        """Remove the rows that pass the test; how many there were."""
        kept = [row for row in self.rows[table] if not test(row)]
        gone = len(self.rows[table]) - len(kept)
        self.rows[table][:] = kept
        return gone

    def copy(self) -> Tables:
        """An independent copy."""
        return Tables(copy.deepcopy(self.rows), dict(self.last_ids))


def now_of(seed: int) -> datetime:
    """The moment at which a session of this seed takes place; never today, always the same."""
    return datetime(2025, 3, 3, 10, 0) + timedelta(days=seed % 180, minutes=seed % 47)
