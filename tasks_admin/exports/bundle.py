"""The bundle: a folder that proves itself. Written beside its place and moved there whole, so that no half one is left."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from annotate.actions.cleanings import cleaner_of
from annotate.models import Attempt, Study
from annotate.references import policy_of
from recorder.cleaning.registry import get_cleaner
from recorder.errors import FootpathError
from recorder.trace import build_trace, trace_schema
from recorder.version import SOFTWARE
from tasks_admin.exports import rows
from tasks_admin.exports.card import card
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.croissant import croissant
from tasks_admin.exports.figures import figures_of
from tasks_admin.exports.files import Parts, TableFile, pretty, sha256
from tasks_admin.exports.privacy import Canary, canary_of
from tasks_admin.exports.tables import SCHEMA_VERSION, TABLES, json_schema
from tasks_admin.release.masks import Masks, masks_of

Progress = Callable[[int, int], None]


class CannotExport(FootpathError):
    """The bundle can't be written there."""

    def __init__(self, message: str) -> None:
        super().__init__("cannot_export", 409, message)


@dataclass(frozen=True)
class Written:
    """What was written: the folder, and the manifest as it stands in it."""

    folder: Path
    manifest: dict[str, Any]


def export(study: Study, out: Path, *, choice: Choice = ALL, progress: Progress = lambda done, total: None) -> Written:
    """Write what was chosen of the study as a bundle to the folder `out`: empty, absent, or an earlier bundle of ours.

    Everything is read in one snapshot of the database. Raises CannotExport, Leak, and what `progress` raises; then nothing
    is left behind.
    """
    _require_place(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    folder.chmod(0o755)
    try:
        manifest = _write_in_snapshot(study, folder, choice, progress)
        if out.exists():
            shutil.rmtree(out)
        folder.rename(out)
    except BaseException:
        shutil.rmtree(folder)
        raise
    return Written(out, manifest)


def _write_in_snapshot(study: Study, folder: Path, choice: Choice, progress: Progress) -> dict[str, Any]:
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:  # inside a caller's transaction the level is the caller's to choose
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return _write(study, folder, choice, progress)


def _require_place(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise CannotExport(f"{out} is a file; name a folder for the bundle.")
    if any(out.iterdir()) and not (out / "manifest.json").exists():
        raise CannotExport(f"{out} holds other files; name an empty or new folder for the bundle.")


def _write(study: Study, folder: Path, choice: Choice, progress: Progress) -> dict[str, Any]:
    canary = canary_of(study)
    cleaner = get_cleaner(cleaner_of(study))
    counts = _write_tables(study, folder, choice, canary)
    counts |= _write_attempts(study, folder, choice, canary, progress)
    _write_schemas(folder)
    manifest = {
        "schema": SCHEMA_VERSION,
        "software": SOFTWARE,
        "study": {"slug": study.slug, "name": study.name, "seed": study.seed, "state": study.state},
        "design": study.design,
        "choice": choice.document(),
        "cleaner": {"name": cleaner.name, "version": cleaner.version},
        "policy": policy_entry(study),
        "counts": {table: counts[table] for table in TABLES},
        "attempts_by_status": _by_status(study, choice),
        "counted_attempts": rows.counted(study, choice).count(),
        "removed_attempts": rows.removed(study, choice).count(),
        "faulty_tasks": rows.faulty_rows(study),
        "figures": figures_of(folder),
        "masks": len(masks_of(study).texts) + len(masks_of(study).parameters),
        "withheld": [
            "account data",
            "addresses of people and machines",
            "comments and reasons that nobody has cleared",
            "screenshots",
        ],
    }
    (folder / "README.md").write_text(card(study, choice, manifest), encoding="utf-8")
    (folder / "croissant.json").write_text(
        croissant(study, folder, SCHEMA_VERSION.rsplit("/", 1)[1] + ".0.0"), encoding="utf-8"
    )
    manifest["files"] = {
        str(path.relative_to(folder)): sha256(path) for path in sorted(folder.rglob("*")) if path.is_file()
    }
    (folder / "manifest.json").write_text(pretty(manifest), encoding="utf-8")
    return manifest


def policy_entry(study: Study) -> dict[str, Any]:
    """The reference policy as the manifest has it: enough to choose anew from the tables."""
    policy = policy_of(study.options)
    always = "passed, proof complete, newest replay verified, no flag that a review has not accepted; no practice; complete rounds only"
    return {
        "name": policy.name,
        "rule": policy.words,
        "always": always,
        "kinds": list(policy.kinds),
        "order": list(policy.order),
    }


def told_of(study: Study, choice: Choice = ALL) -> Iterator[Any]:
    """The attempts of the study with what their status is made of."""
    return rows.attempts_to_export(study, choice).order_by().iterator(1000)


def _by_status(study: Study, choice: Choice) -> dict[str, int]:
    counted = Counter(rows.status_of(attempt.round, attempt.left_out) for attempt in told_of(study, choice))
    return {status: counted.get(status, 0) for status in rows.STATUSES}


def _write_tables(study: Study, folder: Path, choice: Choice, canary: Canary) -> dict[str, int]:
    counts = {}
    sources: dict[str, Any] = {
        "task_conditions": rows.task_condition_rows(study, choice),
        "participations": rows.participation_rows(study, choice),
        "ratings": rows.rating_rows(study, choice),
        "comments": rows.comment_rows(study, choice),
        "references": rows.reference_rows(study, choice),
        "replays": rows.replay_rows(study, choice),
        "reviews": rows.review_rows(study, choice),
        "amendments": rows.amendment_rows(study),
    }
    for name, source in sources.items():
        with TableFile(folder, name, canary) as table:
            table.add(source)
        counts[name] = table.rows
    return counts


def _write_attempts(study: Study, folder: Path, choice: Choice, canary: Canary, progress: Progress) -> dict[str, int]:
    (folder / "traces").mkdir()
    masks = masks_of(study)
    attempts = rows.attempts_to_export(study, choice)
    total = attempts.count()
    with (
        TableFile(folder, "attempts", canary) as table,
        TableFile(folder, "verdict_checks", canary) as checks,
        Parts(folder, "events", canary) as events,
        Parts(folder, "steps", canary) as steps,
    ):
        for done, attempt in enumerate(attempts.iterator(200), start=1):
            table.add([rows.attempt_row(attempt)])
            checks.add(rows.check_rows(attempt, masks.text))
            if attempt.recording is not None:
                trace = _write_trace(attempt, folder, canary, masks)
                events.add(rows.event_rows(rows.attempt_id(attempt), trace["events"]))
                steps.add(rows.step_rows(rows.attempt_id(attempt), trace["steps"]))
            progress(done, total)
    return {"attempts": table.rows, "verdict_checks": checks.rows, "events": events.rows, "steps": steps.rows}


def _write_trace(attempt: Attempt, folder: Path, canary: Canary, masks: Masks) -> dict[str, Any]:
    assert attempt.recording is not None
    condition = attempt.round.assignment.task_condition.condition
    cleaner = cleaner_of(attempt.round.participation.study)
    trace = build_trace(
        attempt.recording,
        condition=condition,
        attempt=attempt.kind,
        verdict=masks.event(attempt.verdict),
        cleaner=cleaner,
        masked=masks.event,
    )
    text = pretty(trace)
    canary.check(text, f"the trace of {rows.attempt_id(attempt)}")
    (folder / "traces" / f"{rows.attempt_id(attempt)}.json").write_text(text, encoding="utf-8")
    return trace


def _write_schemas(folder: Path) -> None:
    (folder / "schema").mkdir()
    for table in TABLES:
        (folder / "schema" / f"{table}.json").write_text(pretty(json_schema(table)), encoding="utf-8")
    (folder / "schema" / "trace.json").write_text(pretty(trace_schema()), encoding="utf-8")
