"""What an export of a study would hold, and what in it looks private: for whoever answers for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from annotate.actions.cleanings import cleaner_of, full_name
from annotate.models import Attempt, Study
from annotate.naming import key_sign
from recorder.capture.query import pages_of
from recorder.cleaning.registry import clean_events
from recorder.recordings import raw_events
from recorder.trace import document_entry
from tasks_admin.exports import rows, rows_of_rounds, rows_of_study, screenshots
from tasks_admin.exports.choice import ALL
from tasks_admin.exports.named import People
from tasks_admin.exports.privacy import former_people_of, own_texts
from tasks_admin.exports.released import recalled
from tasks_admin.exports.tables import FREE_TEXT, TABLES
from tasks_admin.release import captured, items, seen
from tasks_admin.release.detector import found
from tasks_admin.release.masks import KEPT, Masks, masks_of
from tasks_admin.release.typed import masked_events

SHOWN = 5


@dataclass
class Look:
    """Rows per table, its columns and those with free text, texts per state, per kind of suspicion how often and the first places with
    the piece of text, and why finished exports may not be given out any more."""

    tables: dict[str, int] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    free_text: dict[str, list[str]] = field(default_factory=dict)
    texts: list[dict[str, Any]] = field(default_factory=list)
    masks: int = 0
    suspicions: dict[str, int] = field(default_factory=dict)
    places: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    recalled: dict[int, list[str]] = field(default_factory=dict)
    unknown: int = 0  # ways of writing former names, kept under another secret

    def note(self, where: str, text: str, known: Known) -> None:
        for words, piece in known.suspicions(text):
            self.suspicions[words] = self.suspicions.get(words, 0) + 1
            shown = self.places.setdefault(words, [])
            if len(shown) < SHOWN:
                shown.append((where, piece))


@dataclass(frozen=True)
class Known:
    """By what private words are known: names of everybody in the study, and who was in it."""

    names: list[str]
    gone: People

    def suspicions(self, text: str) -> Iterator[tuple[str, str]]:
        """(what it looks like, the piece of text); no piece of somebody who is known by digests alone."""
        yield from found(text, self.names)
        if self.gone.former and (kind := self.gone.kind_in(text)):
            yield f"{kind}, who is gone from the study", "…"


def look(study: Study) -> Look:
    """Look through everything that an export would write, masks applied. Reads one attempt at a time."""
    masks, known = masks_of(study), Known(items.names_in(study), former_people_of(study))
    told = Look(dict.fromkeys(TABLES, 0), texts=items.counts(study), masks=len(masks.texts) + len(masks.parameters))
    told.unknown = study.former_names.exclude(key=key_sign()).count()
    told.recalled = recalled(study, study.exports.all())
    told.columns = {table: [column.name for column in columns] for table, columns in TABLES.items()}
    told.free_text = {table: list(columns) for table, columns in FREE_TEXT.items()}
    for where, text in own_texts(study):
        told.note(where, text, known)
    for attempt in rows.attempts_to_export(study).iterator(100):
        _look_at(attempt, masks, known, told)
    _look_at_tables(study, masks, known, told)
    for where, text in seen.cleared_pictures(study):
        told.note(where, text, known)
    told.tables["screenshots"] = sum(1 for _ in screenshots.cleared(study, ALL))
    for attempt in items.rows(study, "capture", "cleared").iterator(20):
        told.tables["captures"] += len(pages_of(attempt.recording))
        for text in captured.texts_of(attempt):
            told.note(f"{rows.attempt_id(attempt)}, capture", masks.text(text), known)
    return told


def _look_at(attempt: Attempt, masks: Masks, known: Known, told: Look) -> None:
    """Count an attempt's rows and look through its events, documents and checks, as an export has them."""
    name = rows.attempt_id(attempt)
    told.tables["attempts"] += 1
    events = masked_events(masks, raw_events(attempt.recording)) if attempt.recording else []
    told.tables["events"] += len(events)
    told.tables["steps"] += steps_of(attempt, events)
    for index, event in enumerate(events):
        for text in strings(event):
            told.note(f"{name}, event {index} ({event['type']})", text, known)
    for document in attempt.recording.documents.all() if attempt.recording else ():
        for text in strings(masks.event(document_entry(document))):
            told.note(f"{name}, document {document.doc}", text, known)
    for check in rows.check_rows(attempt, masks.text):
        told.tables["verdict_checks"] += 1
        told.note(f"{name}, check {check['index']}", f"{check['name']} {check['detail'] or ''}", known)


def steps_of(attempt: Attempt, events: list[dict[str, Any]]) -> int:
    """How many steps the study's cleaner makes of the attempt."""
    cleaner = cleaner_of(attempt.round.participation.study)
    if attempt.steps is not None and attempt.cleaner == full_name(cleaner):
        return attempt.steps
    return len(clean_events(events, cleaner).steps)


def _look_at_tables(study: Study, masks: Masks, known: Known, told: Look) -> None:
    """Count the rows of the other tables, and look through their free text; `where` tells a row of each."""
    tables: dict[str, tuple[Iterable[rows.Row], Callable[[rows.Row], str]]] = {
        "task_conditions": (rows_of_study.task_condition_rows(study), lambda row: row["task"]),
        "participations": (rows_of_study.participation_rows(study), lambda row: row["code"]),
        "ratings": (rows_of_rounds.rating_rows(study), lambda row: row["task"]),
        "references": (rows_of_study.reference_rows(study), lambda row: row["task"]),
        "amendments": (rows_of_study.amendment_rows(study), lambda row: row["number"]),
        "replays": (rows_of_rounds.replay_rows(study, masked=masks.text), lambda row: row["attempt_id"]),
        "reviews": (rows_of_rounds.review_rows(study), lambda row: row["attempt_id"]),
        "comments": (rows_of_rounds.comment_rows(study), lambda row: f"{row['annotator']} on {row['task']}"),
    }
    for table, (lines, where) in tables.items():
        for row in lines:
            told.tables[table] += 1
            if text := " ".join(row[name] or "" for name in FREE_TEXT.get(table, ())):
                told.note(f"{table}, {where(row)}", text, known)


def strings(value: Any) -> Iterator[str]:
    """Every text in it that a person may have had a hand in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in KEPT:
                yield from strings(one)
