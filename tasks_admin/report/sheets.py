"""The report's tables, in the order they are shown in."""

from __future__ import annotations

from tasks_admin.comparison.frames import BREAKDOWNS, FAMILY
from tasks_admin.report.agent_sheets import (
    Figures,
    Make,
    agents,
    breakdown_sheet,
    efficiency,
    failures,
    inversions,
    model_tests,
    tests,
)
from tasks_admin.report.people_sheets import annotators, between, changes, duplicates, mixed_model, people, weighted
from tasks_admin.report.sheet import Sheet

SHEETS: tuple[Make, ...] = (
    people,
    changes,
    agents,
    efficiency,
    *(breakdown_sheet(name) for name in reversed((*BREAKDOWNS, FAMILY))),
    failures,
    tests,
    model_tests,
    mixed_model,
    duplicates,
    annotators,
    between,
    inversions,
    weighted,
)


def all_sheets(figures: Figures) -> list[Sheet]:
    """Every table that has a row."""
    return [found for found in (make(figures) for make in SHEETS) if found.rows]
