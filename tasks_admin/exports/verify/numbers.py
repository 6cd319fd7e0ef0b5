"""Whether counts and figures are those of the tables."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tasks_admin.exports.figures import figures_of
from tasks_admin.exports.rows import STATUSES
from tasks_admin.exports.tables import SPLIT, TABLES
from tasks_admin.exports.verify.reading import Manifest, lines_of, parts_of, rows_in


def counts_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Rows per table, and attempts per status, are those of the manifest."""
    for table in TABLES:
        counts = map(rows_in, parts_of(folder, table)) if table in SPLIT else (1 for _ in lines_of(folder, table))
        rows = sum(counts)
        if rows != manifest["counts"].get(table):
            yield f"{table}: {rows} rows, the manifest says {manifest['counts'].get(table)}"
    yield from _names(manifest, "counts", TABLES)
    yield from _names(manifest, "attempts_by_status", STATUSES)
    counted = Counter(row["status"] for _, row in lines_of(folder, "attempts"))
    count = sum(row["status"] == "complete" and row["role"] != "practice" for _, row in lines_of(folder, "attempts"))
    if count != manifest.get("counted_attempts"):
        yield f"attempts: {count} count, the manifest says {manifest.get('counted_attempts')}"
    for status in sorted({*counted, *manifest["attempts_by_status"]}):
        if counted[status] != manifest["attempts_by_status"].get(status, 0):
            yield f"attempts: {counted[status]} are {status}, the manifest says {manifest['attempts_by_status'].get(status, 0)}"


def figures_hold(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Every figure of the manifest, made again from the tables, is the same."""
    yield from differences(manifest["figures"], json.loads(json.dumps(figures_of(folder))), "figures")


def _names(manifest: Manifest, part: str, known: Iterable[str]) -> Iterator[str]:
    """A part of the manifest tells of each of these, also where there are none, and of nothing else."""
    for name in sorted(set(known) - set(manifest[part])):
        yield f"manifest.json: {part}.{name} is missing"
    for name in sorted(set(manifest[part]) - set(known)):
        yield f"manifest.json: {part}.{name} is of nothing that a bundle has"


def differences(told: Any, found: Any, place: str) -> Iterator[str]:
    """Where two documents differ, by their paths; numbers may differ by 1e-9, as other machines round."""
    if isinstance(told, dict) and isinstance(found, dict):
        for name in sorted({*told, *found}):
            if name not in told:
                yield f"manifest.json: {place}.{name} is missing, its tables give {short(found[name])}"
            elif name not in found:
                yield f"manifest.json: {place}.{name} is {short(told[name])}, its tables give no such figure"
            else:
                yield from differences(told[name], found[name], f"{place}.{name}")
    elif isinstance(told, list) and isinstance(found, list) and len(told) == len(found):
        for index, pair in enumerate(zip(told, found, strict=True)):
            yield from differences(*pair, f"{place}[{index}]")
    elif not same(told, found):
        yield f"manifest.json: {place} is {short(told)}, its tables give {short(found)}"


def short(value: Any) -> str:
    """A value as a problem tells it."""
    return repr(value)[:200]


def same(told: Any, found: Any) -> bool:
    """Whether two values that are no lists or objects are the same; of numbers, whether they are as near as machines round."""
    numbers = [isinstance(one, int | float) and not isinstance(one, bool) for one in (told, found)]
    if not any(numbers):
        return type(told) is type(found) and bool(told == found)
    try:
        return all(numbers) and math.isclose(told, found, rel_tol=1e-9, abs_tol=1e-9)
    except OverflowError:  # a whole number beyond every float, which no table gives
        return False
