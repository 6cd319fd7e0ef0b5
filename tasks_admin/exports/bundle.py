"""The bundle: a folder that proves itself. Written beside its place and moved there whole, so that no half one is left."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from django.db import connection, transaction

from annotate.actions.cleanings import cleaner_of
from annotate.models import Study
from annotate.references import policy_of
from recorder.cleaning.registry import get_cleaner
from recorder.trace import trace_schema
from recorder.version import SOFTWARE
from tasks_admin.exports import captures, rows, rows_of_rounds, rows_of_study, screenshots, traces
from tasks_admin.exports.attempts import Progress, write_attempts
from tasks_admin.exports.card import card
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.croissant import croissant
from tasks_admin.exports.draft import Draft
from tasks_admin.exports.figures import figures_of
from tasks_admin.exports.files import TableFile, compact, files_in, pretty, pretty_pieces, sealed, sha256
from tasks_admin.exports.privacy import CHANGE_IT, canary_of, own_texts
from tasks_admin.exports.released import Released, people_in
from tasks_admin.exports.tables import SCHEMA_VERSION, TABLES, json_schema
from tasks_admin.exports.told import policy_entry, withheld
from tasks_admin.release.masks import masks_of


@dataclass(frozen=True)
class Written:
    """What was written: the folder, the manifest as it stands in it, by whose word it may leave, of how many attempts an export that
    was stopped had made the files already, and whether some of its files did not fit any more."""

    folder: Path
    manifest: dict[str, Any]
    released: Released
    kept: int = 0
    was_changed: bool = False


def export(
    study: Study,
    out: Path,
    *,
    choice: Choice = ALL,
    progress: Progress = lambda done, total: None,
    then: Callable[[Path], None] = lambda folder: None,
) -> Written:
    """Write what was chosen of the study as a bundle to the folder `out`: empty, absent, or an earlier bundle of ours. `then` is called
    with the bundle in its place; until it returns, the next call goes on from what is there.

    Everything is read in one snapshot of the database. Raises CannotExport, Leak, and what `progress` and `then` raise; then nothing
    is left behind.
    """
    with Draft(out) as draft:
        manifest, released = _write_in_snapshot(study, draft, choice, progress)
        draft.finish()
        then(out)
    return Written(out, manifest, released, draft.kept, draft.was_changed)


def _write_in_snapshot(
    study: Study, draft: Draft, choice: Choice, progress: Progress
) -> tuple[dict[str, Any], Released]:
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:  # inside a caller's transaction the level is the caller's to choose
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return _write(study, draft, choice, progress)


def _write(study: Study, draft: Draft, choice: Choice, progress: Progress) -> tuple[dict[str, Any], Released]:
    rules = traces.Rules(cleaner_of(study), masks_of(study), canary_of(study))
    places, texts = zip(*own_texts(study), strict=True)
    rules.canary.check(texts, places, CHANGE_IT)
    draft.begin(shared_by_all(study, choice, rules))
    folder = draft.folder
    counts = _write_tables(study, folder, choice, rules)
    counts["screenshots"], pictures = screenshots.write(study, folder, choice, rules.canary)
    counts["captures"], pages = captures.write(study, folder, choice, rules)
    attempts = write_attempts(study, draft, choice, rules, progress)
    _write_schemas(folder)
    manifest = {**_told(study, choice, rules), **_counted(study, choice, counts | attempts.rows, attempts.by_status)}
    manifest |= {
        "screenshots": pictures,
        "captures": pages,
        "figures": figures_of(folder),
        "withheld": withheld(choice),
    }
    files = {name: attempts.files.get(name) or sha256(folder / name) for name in files_in(folder)}
    about = {"README.md": card(manifest), "croissant.json": croissant(manifest["study"], files)}
    rules.canary.check([*about.values(), pretty(manifest)], [*about, "manifest.json"])
    for name, text in about.items():
        (folder / name).write_text(text, encoding="utf-8")
        files[name] = sha256(folder / name)
    manifest = sealed(manifest | {"files": dict(sorted(files.items()))})
    with (folder / "manifest.json").open("w", encoding="utf-8") as file:
        file.writelines(pretty_pieces(manifest))
    return manifest, Released(rules.canary.used, people_in(study, choice), study.options.get("masks") or {})


def shared_by_all(study: Study, choice: Choice, rules: traces.Rules) -> str:
    """A hash of what the files of every attempt depend on."""
    cleaner = get_cleaner(rules.cleaner)
    made_by = [SCHEMA_VERSION, SOFTWARE, pa.__version__, cleaner.name, cleaner.version]
    told = [*made_by, choice.document(), study.options.get("masks"), rules.canary.told()]
    return hashlib.sha256(compact(told).encode()).hexdigest()


def _told(study: Study, choice: Choice, rules: traces.Rules) -> dict[str, Any]:
    """The part of the manifest that says what was exported, and by what rules."""
    cleaner = get_cleaner(rules.cleaner)
    return {
        "schema": SCHEMA_VERSION,
        "software": SOFTWARE,
        "study": {"slug": study.slug, "name": study.name, "seed": study.seed, "state": study.state},
        "design": study.design,
        "choice": choice.document(),
        "cleaner": {"name": cleaner.name, "version": cleaner.version},
        "policy": policy_entry(policy_of(study.options)),
        "masks": len(rules.masks.texts) + len(rules.masks.parameters),
    }


def _counted(study: Study, choice: Choice, counts: dict[str, int], by_status: Counter[str]) -> dict[str, Any]:
    """The part of the manifest that says how many."""
    return {
        "counts": {table: counts[table] for table in TABLES},
        "attempts_by_status": {status: by_status[status] for status in rows.STATUSES},
        "counted_attempts": rows.counted(study, choice).count(),
        "removed_attempts": rows.removed(study, choice).count(),
        "faulty_tasks": rows_of_study.faulty_rows(study),
    }


def _write_tables(study: Study, folder: Path, choice: Choice, rules: traces.Rules) -> dict[str, int]:
    counts = {}
    sources: dict[str, Any] = {
        "task_conditions": rows_of_study.task_condition_rows(study, choice),
        "participations": rows_of_study.participation_rows(study, choice),
        "ratings": rows_of_rounds.rating_rows(study, choice),
        "comments": rows_of_rounds.comment_rows(study, choice, rules.canary.let_out),
        "references": rows_of_study.reference_rows(study, choice, rules.canary.let_out),
        "replays": rows_of_rounds.replay_rows(study, choice, rules.masks.text),
        "reviews": rows_of_rounds.review_rows(study, choice, rules.canary.let_out),
        "amendments": rows_of_study.amendment_rows(study, rules.canary.let_out),
    }
    for name, source in sources.items():
        with TableFile(folder, name, rules.canary) as table:
            table.add(source)
        counts[name] = table.rows
    return counts


def _write_schemas(folder: Path) -> None:
    (folder / "schema").mkdir(exist_ok=True)
    for table in TABLES:
        (folder / "schema" / f"{table}.json").write_text(pretty(json_schema(table)), encoding="utf-8")
    (folder / "schema" / "trace.json").write_text(pretty(trace_schema()), encoding="utf-8")
