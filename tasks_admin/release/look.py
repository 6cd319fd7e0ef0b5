"""What an export of a study would hold, and what in it looks private: for whoever answers for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotate.models import Attempt, Study
from annotate.naming import key_sign
from recorder.recordings import raw_events
from recorder.trace import document_entry
from tasks_admin.exports import rows, rows_of_rounds, rows_of_study
from tasks_admin.exports.privacy import own_texts
from tasks_admin.exports.released import recalled
from tasks_admin.exports.tables import TABLES
from tasks_admin.release import captured, items, seen
from tasks_admin.release.detector import found
from tasks_admin.release.masks import KEPT, Masks, masks_of
from tasks_admin.release.typed import masked_events

SHOWN = 5


@dataclass
class Look:
    """Rows per table, texts per state, per kind of suspicion how often and the first places with the piece of text, and why finished
    exports may not be given out any more."""

    tables: dict[str, int] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    texts: list[dict[str, Any]] = field(default_factory=list)
    masks: int = 0
    suspicions: dict[str, int] = field(default_factory=dict)
    places: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    recalled: dict[int, list[str]] = field(default_factory=dict)
    unknown: int = 0  # ways of writing former names, kept under another secret

    def note(self, where: str, text: str, names: list[str]) -> None:
        for words, piece in found(text, names):
            self.suspicions[words] = self.suspicions.get(words, 0) + 1
            shown = self.places.setdefault(words, [])
            if len(shown) < SHOWN:
                shown.append((where, piece))


def look(study: Study) -> Look:
    """Look through everything that an export would write, masks applied. Reads one attempt at a time."""
    masks, names = masks_of(study), items.names_in(study)
    told = Look(texts=items.counts(study), masks=len(masks.texts) + len(masks.parameters))
    told.unknown = study.former_names.exclude(key=key_sign()).count()
    told.recalled = recalled(study, study.exports.all())
    told.columns = {table: [column.name for column in columns] for table, columns in TABLES.items()}
    attempts = rows.attempts_to_export(study)
    told.tables = {
        "attempts": attempts.count(),
        "task_conditions": study.task_conditions.count(),
        "participations": study.participations.count(),
    }
    for where, text in own_texts(study):
        told.note(where, text, names)
    for attempt in attempts.iterator(100):
        name = rows.attempt_id(attempt)
        for where, text in texts_of(attempt, masks):
            told.note(f"{name}, {where}", text, names)
    for row in rows_of_study.task_condition_rows(study):
        told.note(f"task_conditions, {row['task']}", f"{row['title']} {row['instruction']}", names)
    for row in rows_of_study.reference_rows(study):
        told.note(f"references, {row['task']}", row["reason"] or "", names)
    for row in rows_of_study.amendment_rows(study):
        told.note(
            f"amendments, {row['number']}",
            " ".join(row[name] or "" for name in ("subject", "reason", "before", "after")),
            names,
        )
    for row in rows_of_rounds.replay_rows(study, masked=masks.text):
        told.note(f"replays, {row['attempt_id']}", row["why"] or "", names)
    for row in rows_of_rounds.comment_rows(study):
        told.note(f"comments, {row['annotator']} on {row['task']}", row["text"], names)
    for where, text in seen.cleared_pictures(study):
        told.note(where, text, names)
    for attempt in items.rows(study, "capture", "cleared").iterator(20):
        for text in captured.texts_of(attempt):
            told.note(f"{rows.attempt_id(attempt)}, capture", masks.text(text), names)
    return told


def texts_of(attempt: Attempt, masks: Masks) -> Iterator[tuple[str, str]]:
    """(where, text) of an attempt: its events, documents and checks, as an export has them."""
    if attempt.recording is not None:
        for index, event in enumerate(masked_events(masks, raw_events(attempt.recording))):
            for text in strings(event):
                yield f"event {index} ({event['type']})", text
        for document in attempt.recording.documents.all():
            for text in strings(masks.event(document_entry(document))):
                yield f"document {document.doc}", text
    for check in rows.check_rows(attempt, masks.text):
        yield f"check {check['index']}", f"{check['name']} {check['detail'] or ''}"


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
