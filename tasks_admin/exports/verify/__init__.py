"""Proving a bundle from its folder alone: hashes, schemas, counts, references between tables, and every trace re-cleaned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tasks_admin.exports.verify import (
    captures,
    choice,
    files,
    links,
    numbers,
    references,
    rows,
    screenshots,
    told,
    traces,
)
from tasks_admin.exports.verify.manifest import NoBundle, read_manifest
from tasks_admin.exports.verify.reading import Manifest

__all__ = ["CHECKS", "NoBundle", "verify"]
Check = Callable[[Path, Manifest], Iterator[str]]
CHECKS: tuple[Check, ...] = (  # in this order; each yields a sentence per problem
    files.seal_holds,
    files.all_are_plain_files,
    files.files_are_those_listed,
    files.hashes_hold,
    told.files_are_a_bundles,
    files.rows_fit_their_schemas,
    files.parquet_has_its_columns,
    files.parquet_says_the_same,
    rows.rows_are_there_once,
    numbers.counts_hold,
    numbers.figures_hold,
    choice.choice_is_kept,
    links.faulty_tasks_are_left_out,
    links.tables_refer_to_what_is_there,
    links.amendments_are_whole,
    rows.attempts_are_what_they_are_called,
    rows.decisions_are_kept,
    rows.seeds_are_the_studys,
    traces.traces_clean_to_what_they_say,
    references.replays_hold,
    references.references_hold,
    screenshots.screenshots_are_those_named,
    captures.captures_are_those_named,
    told.rules_are_those_named,
    told.card_and_metadata_are_those,
)
SOUND = 7  # checks whose problems end it: the later ones read what these have found sound
MOST = 50  # problems named per check


def verify(folder: Path) -> list[str]:
    """Every problem found, each naming its file; empty where the bundle holds. Raises NoBundle."""
    manifest = read_manifest(folder)
    problems: list[str] = []
    for number, check in enumerate(CHECKS):
        found = list(_limited(check(folder, manifest)))
        problems += found
        if found and number < SOUND:
            break
    return problems


def _limited(problems: Iterator[str]) -> Iterator[str]:
    for count, problem in enumerate(problems, start=1):
        yield problem
        if count == MOST:
            yield f"… and maybe more: only the first {MOST} of a kind are named"
            return
