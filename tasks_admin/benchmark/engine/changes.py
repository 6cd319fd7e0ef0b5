"""What differs between two states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks_admin.benchmark.engine.tables import Row

Rows = dict[str, list[Row]]


@dataclass(frozen=True)
class Change:
    """One difference: ``kind`` is create, update or delete; ``field`` only for updates."""

    kind: str
    table: str
    row_id: int
    field: str = ""

    def words(self) -> str:
        where = f"{self.table} {self.row_id}"
        fates = {"create": f"{where} added", "delete": f"{where} removed", "update": f"{where}: {self.field} changed"}
        return fates[self.kind]


def by_id(rows: Rows, table: str) -> dict[int, Row]:
    """The table's rows by id."""
    return {row["id"]: row for row in rows.get(table, [])}


def differences(initial: Rows, final: Rows) -> set[Change]:
    """Every created row, deleted row and changed field."""
    found: set[Change] = set()
    for table in {*initial, *final}:
        before, after = by_id(initial, table), by_id(final, table)
        found |= {Change("create", table, row_id) for row_id in after.keys() - before.keys()}
        found |= {Change("delete", table, row_id) for row_id in before.keys() - after.keys()}
        for row_id in before.keys() & after.keys():
            found |= {Change("update", table, row_id, f) for f in _changed(before[row_id], after[row_id])}
    return found


def _changed(before: Row, after: Row) -> list[str]:
    missing: Any = object()
    return [f for f in {*before, *after} if before.get(f, missing) != after.get(f, missing)]
