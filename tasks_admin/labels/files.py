"""Files of labels: CSV, JSON lines or a JSON list, a row per label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks_admin.runs import values
from tasks_admin.runs.files import files_of, named, table_rows
from tasks_admin.runs.shape import BadRuns, By, LabelIn, Rejected, Word

NAMES: dict[str, tuple[str, ...]] = {
    "label": ("label", "success", "predicted_label", "verdict"),
    "judge": ("judge", "judge_name", "rater"),
    "by": ("by",),
    "reason": ("reason", "reasoning", "rationale", "note"),
    "run_id": ("run_id", "run"),
    "attempt": ("attempt_id", "attempt"),
    "model": ("model", "model_name", "agent"),
    "harness": ("harness", "agent_name", "scaffold"),
    "task": ("task", "task_id", "task_name"),
    "environment": ("environment", "env", "env_id", "site"),
    "condition": ("condition",),
}
TABLES = (".csv", ".jsonl", ".ndjson", ".json")
UNSURE = {"unsure", "unknown", "uncertain", "n/a"}
LONGEST_REASON = 20_000


@dataclass(frozen=True)
class SaidOfLabels:
    """What the importer says where the file does not; `columns` maps our names to the file's."""

    judge: str | None = None
    by: By | None = None
    condition: str | None = None
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelRow:
    """A row: its label, and what of it is labelled, None for what it does not tell."""

    place: str
    label: LabelIn
    run_id: str | None
    attempt: str | None
    model: str | None
    harness: str | None
    task: str | None
    environment: str | None
    condition: str | None


def read(path: Path, said: SaidOfLabels) -> Iterator[LabelRow | Rejected]:
    """A label per row of every table at `path`. Raises BadRuns where nobody says whose labels they are."""
    for file in files_of(path):
        if file.suffix.lower() in TABLES:
            for at, row in table_rows(file, named(file, path)):
                yield row if isinstance(row, Rejected) else label_of(at, row, said)


def label_of(at: str, row: dict[str, Any], said: SaidOfLabels) -> LabelRow | Rejected:
    try:
        return parsed(at, row, said)
    except values.Unusable as error:
        return Rejected(at, f"{error}.")


def parsed(at: str, row: dict[str, Any], said: SaidOfLabels) -> LabelRow:
    def get(name: str) -> Any:
        chosen = (said.columns[name],) if name in said.columns else NAMES[name]
        return next((row[column] for column in chosen if column in row and row[column] not in (None, "")), None)

    def short(name: str) -> str | None:
        return values.text(get(name), name)

    judge = said.judge or short("judge")
    if judge is None:
        raise BadRuns(
            f"{at} does not tell whose labels these are. Nothing was imported.", "judge", options="--judge NAME"
        )
    if len(judge) > 200:
        raise values.Unusable("the judge's name is longer than 200 characters")
    label = LabelIn(judge, by_of(short("by"), said), word_of(get("label")), reason_of(get("reason")))
    return LabelRow(
        at, label, short("run_id"), short("attempt"), short("model"), short("harness"), short("task"),
        short("environment"), short("condition") or said.condition,
    )  # fmt: skip


def by_of(told: str | None, said: SaidOfLabels) -> By:
    """Whether a judge or a person gave it; a judge where nothing says otherwise."""
    if told is None:
        return said.by or "judge"
    if told in ("judge", "person"):
        return "judge" if told == "judge" else "person"
    raise values.Unusable(f"by is {told[:40]!r}, neither judge nor person")


def word_of(value: Any) -> Word:
    """success, failure or unsure, in any of the usual spellings."""
    if value is None:
        raise values.Unusable("the row has no label")
    if isinstance(value, str) and value.strip().lower() in UNSURE:
        return "unsure"
    try:
        return "success" if values.flag(value, "label") else "failure"
    except values.Unusable as error:
        raise values.Unusable(f"label is {str(value)[:40]!r}; it must be success, failure or unsure") from error


def reason_of(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise values.Unusable("reason is no text")
    return value[:LONGEST_REASON]
