"""Reading a file or folder as `auto` does."""

from __future__ import annotations

from pathlib import Path

from tasks_admin.runs.registry import find_format
from tasks_admin.runs.shape import Given, Rejected, RunIn


def read(path: Path, given: Given | None = None, name: str | None = None) -> tuple[list[RunIn], list[Rejected]]:
    found = find_format(path)
    assert name is None or found.name == name
    rows = list(found.read(path, given or Given()))
    return [row for row in rows if isinstance(row, RunIn)], [row for row in rows if isinstance(row, Rejected)]
