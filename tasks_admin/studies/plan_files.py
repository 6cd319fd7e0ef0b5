"""A plan as files: the JSON of `plan_study`, and a table for spreadsheets."""

from __future__ import annotations

import csv
import io
import json

from annotate.design.model import Plan

COLUMNS = ("code", "position", "role", "environment", "difficulty", "task", "condition")
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def as_json(plan: Plan) -> str:
    """The plan as `plan_study --json` prints it."""
    return json.dumps(plan.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


def as_csv(plan: Plan) -> str:
    """A row for each assignment, by person and place. A text that a spreadsheet would take for a formula begins with '."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in sorted(plan.assignments, key=lambda one: (one.code, one.position)):
        writer.writerow([safe(getattr(one, column)) for column in COLUMNS])
    return out.getvalue()


def safe(value: str | int) -> str | int:
    """The value as a spreadsheet shows it and does not run it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(DANGEROUS) else value
