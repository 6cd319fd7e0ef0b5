"""Whether counts and figures are those of the tables."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks_admin.exports.figures import figures_of
from tasks_admin.exports.tables import SPLIT, TABLES
from tasks_admin.exports.verify.reading import Manifest, lines_of, parts_of, rows_in


def counts_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Rows per table, and attempts per status, are those of the manifest."""
    for table in TABLES:
        counts = map(rows_in, parts_of(folder, table)) if table in SPLIT else (1 for _ in lines_of(folder, table))
        rows = sum(counts)
        if rows != manifest["counts"].get(table):
            yield f"{table}: {rows} rows, the manifest says {manifest['counts'].get(table)}"
    counted = Counter(row["status"] for _, row in lines_of(folder, "attempts"))
    count = sum(row["status"] == "complete" and row["role"] != "practice" for _, row in lines_of(folder, "attempts"))
    if count != manifest.get("counted_attempts"):
        yield f"attempts: {count} count, the manifest says {manifest.get('counted_attempts')}"
    for status in sorted({*counted, *manifest["attempts_by_status"]}):
        if counted[status] != manifest["attempts_by_status"].get(status, 0):
            yield f"attempts: {counted[status]} are {status}, the manifest says {manifest['attempts_by_status'].get(status, 0)}"


def figures_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every figure of the manifest, made again from the tables, is the same."""
    told, found = manifest.get("figures"), figures_of(folder)
    if not isinstance(told, dict):
        yield "manifest.json: it has no figures"
        return
    yield from differences(told, json.loads(json.dumps(found)), "figures")


def differences(told: Any, found: Any, place: str) -> Iterator[str]:
    """Where two documents differ, by their paths; numbers may differ by 1e-9, as other machines round."""
    if isinstance(told, dict) and isinstance(found, dict):
        for name in sorted({*told, *found}):
            yield from differences(told.get(name), found.get(name), f"{place}.{name}")
    elif isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        for index, pair in enumerate(zip(told, found, strict=True)):
            yield from differences(*pair, f"{place}[{index}]")
    elif not same(told, found):
        yield f"manifest.json: {place} is {told!r}, its tables give {found!r}"


def same(told: Any, found: Any) -> bool:
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (told, found))
    return math.isclose(told, found, rel_tol=1e-9, abs_tol=1e-9) if numbers else bool(told == found)
