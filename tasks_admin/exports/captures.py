"""Captures in a bundle: pages as people saw them, of the attempts that a lead cleared, as rrweb's events, a file a page."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from annotate.models import Attempt, Study
from recorder.capture.query import Page, page_events, pages_of
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.files import Row, TableFile
from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.rows import attempt_id
from tasks_admin.exports.traces import Rules
from tasks_admin.release import items
from tasks_admin.release.typed import masked_page

LINES_AT_ONCE = 200  # events in memory; the first of a page is all of it


def write(study: Study, folder: Path, choice: Choice, rules: Rules) -> tuple[int, dict[str, int]]:
    """Write the cleared captures of what was chosen, masked, where they were asked for. Returns the table's rows, and of how many
    attempts captures were `written` and `withheld`. Raises Leak."""
    cleared = items.cleared_texts(study, "capture") if choice.captures else {}
    written = 0
    with TableFile(folder, "captures", rules.canary) as table:
        for attempt in items.captured(study, choice).filter(pk__in=cleared).iterator(100):
            rules.canary.let_out("capture", attempt.pk, f"the capture of {attempt_id(attempt)}")
            table.add(_write_pages(attempt, folder, rules))
            written += 1
    return table.rows, {"written": written, "withheld": items.captured(study, choice).count() - written}


def _write_pages(attempt: Attempt, folder: Path, rules: Rules) -> Iterator[Row]:
    (folder / "captures").mkdir(exist_ok=True)
    assert attempt.recording is not None
    name = attempt_id(attempt)
    for number, page in enumerate(pages_of(attempt.recording)):
        file = f"captures/{name}-p{number}.jsonl.gz"
        masked = masked_page(rules.masks, partial(page_events, page))
        count = _write_events(folder / file, masked, rules.canary, f"the capture of {name}")
        yield _row(name, number, page, rules.masks.text(page.url), file, count)


def _write_events(path: Path, events: Iterator[dict[str, Any]], canary: Canary, where: str) -> int:
    count = 0
    with (
        path.open("wb") as target,
        gzip.GzipFile("", "wb", 6, target, mtime=0) as packed,
    ):  # no name, no time: the same bytes
        while piece := [to_json(event) for event in islice(events, LINES_AT_ONCE)]:
            canary.check([line.decode() for line in piece], [where] * len(piece))
            packed.write(b"\n".join(piece) + b"\n")
            count += len(piece)
    return count


def _row(name: str, number: int, page: Page, url: str, file: str, count: int) -> Row:
    return {
        "attempt_id": name,
        "page": number,
        "doc": page.doc,
        "tab": page.tab,
        "url": url,
        "first": page.first,
        "last": page.last,
        "events": count,
        "missing": page.missing or None,
        "file": file,
    }
