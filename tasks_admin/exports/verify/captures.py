"""Whether the captures are those that the table names, and hold the events that it says."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from tasks_admin.exports.verify.reading import Manifest, lines_of, names_in


def captures_are_those_named(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each file is named by the table once and holds as many of rrweb's events; none was left unsaid."""
    named, attempts = {}, set()
    for _, row in lines_of(folder, "captures"):
        named[row["file"]] = row["events"]
        attempts.add(row["attempt_id"])
    there = {f"captures/{name}" for name in names_in(folder / "captures")}
    for name in sorted(there - set(named)):
        yield f"{name}: captures.jsonl does not name it"
    for name in sorted(set(named) - there):
        yield f"{name}: captures.jsonl names it, but it is not there"
    for name in sorted(there & set(named)):
        yield from _events(folder / name, name, named[name])
    told = manifest.get("captures", {}).get("written")
    if told != len(attempts):
        yield f"captures: they are of {len(attempts)} attempts, the manifest says {told}"
    if named and not manifest.get("choice", {}).get("captures"):
        yield "captures: there are some, but the manifest's choice is without"


def _events(path: Path, name: str, wanted: int) -> Iterator[str]:
    count = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for count, line in enumerate(lines, start=1):  # noqa: B007  (the last one is how many there are)
                event = json.loads(line)
                if not isinstance(event, dict) or not {"type", "timestamp"} <= set(event):
                    yield f"{name} line {count}: no event of rrweb"
                    return
    except (OSError, EOFError, zlib.error, ValueError) as error:
        yield f"{name}: it cannot be read after line {count}: {error}"
        return
    if count != wanted:
        yield f"{name}: it has {count} events, captures.jsonl says {wanted}"
