"""What the plan page shows of a plan: people, cells, duplicates, one person's list, and what a replan changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.design.model import Assignment, Design, Plan
from annotate.designs import code_key
from annotate.models import PlanDraft
from annotate.models.catalogue import Difficulty

MOST = 200  # rows of a list; the rest is in the file


@dataclass(frozen=True)
class PersonRow:
    """A person's share."""

    code: str
    tier: str
    assignments: int
    hours: float
    clean: int
    intervention: int
    difficulties: list[int]  # in the order of Difficulty
    blocks: list[str]  # websites in the order of work
    excludes: list[str]
    capacity: int | None


@dataclass(frozen=True)
class CellRow:
    """An environment and difficulty: assignments by condition, duplicates, and by person with the shade of the heat map."""

    environment: str
    difficulty: str
    clean: int
    intervention: int
    duplicates: int
    people: list[tuple[int, str]]


@dataclass(frozen=True)
class Hands:
    """What a replan takes from a person and gives to them."""

    code: str
    gives: int = 0
    gets: int = 0
    after: int = 0
    hours: float = 0.0
    items: list[dict[str, Any]] = field(default_factory=list)


def people_rows(design: Design, plan: Plan, hours: dict[str, float]) -> list[PersonRow]:
    """A row for everybody, whoever has nothing included."""
    by_code = of_people(plan.assignments)
    people = {one.code: one for one in design.people}
    rows = []
    second = {one.code for one in design.people if one.tier == "duplicate"}
    for code in sorted({*people, *by_code}, key=lambda code: (code in second, code_key(code))):
        own, person = by_code.get(code, []), people.get(code)
        conditions, levels = Counter(one.condition for one in own), Counter(one.difficulty for one in own)
        rows.append(
            PersonRow(
                code=code,
                tier=person.tier if person else "left",
                assignments=len(own),
                hours=hours.get(code, 0.0),
                clean=conditions["clean"],
                intervention=conditions["intervention"],
                difficulties=[levels[level] for level in Difficulty.values],
                blocks=list(dict.fromkeys(one.environment for one in own)),
                excludes=sorted(person.excludes) if person else [],
                capacity=person.capacity if person else None,
            )
        )
    return rows


def of_people(assignments: Sequence[Assignment]) -> dict[str, list[Assignment]]:
    """Each person's assignments in their order."""
    found: dict[str, list[Assignment]] = defaultdict(list)
    for one in sorted(assignments, key=lambda one: one.position):
        found[one.code].append(one)
    return dict(found)


def cell_rows(plan: Plan, codes: Sequence[str]) -> list[CellRow]:
    """A row for each cell; the shade says how much of the cell's largest share the person has."""
    cells: dict[tuple[str, str], list[Assignment]] = defaultdict(list)
    for one in plan.assignments:
        cells[one.environment, one.difficulty].append(one)
    rows = []
    for (environment, difficulty), own in sorted(cells.items(), key=lambda entry: cell_key(entry[0])):
        primary = Counter(one.condition for one in own if one.role == "primary")
        shares = Counter(one.code for one in own)
        most = max(shares.values())
        rows.append(
            CellRow(
                environment,
                difficulty,
                primary["clean"],
                primary["intervention"],
                sum(1 for one in own if one.role == "duplicate"),
                [(shares[code], shade(shares[code], most)) for code in codes],
            )
        )
    return rows


def cell_key(cell: tuple[str, str]) -> tuple[str, int]:
    """Cells by environment, then from easy to frontier."""
    return cell[0], Difficulty.values.index(cell[1]) if cell[1] in Difficulty.values else len(Difficulty.values)


def shade(share: int, most: int) -> str:
    """The heat map's class: none, done-1 to done-4."""
    return f"done-{-(-4 * share // most)}" if share else "none"


def duplicate_rows(plan: Plan) -> list[tuple[Assignment, str]]:
    """Each duplicate with who does the same first."""
    first = {(one.task, one.condition): one.code for one in plan.assignments if one.role == "primary"}
    again = [one for one in plan.assignments if one.role == "duplicate"]
    again.sort(key=lambda one: (*cell_key((one.environment, one.difficulty)), one.task))
    return [(one, first.get((one.task, one.condition), "")) for one in again]


def hands(draft: PlanDraft, plan: Plan, hours: dict[str, float]) -> list[Hands]:
    """Who gives and who gets, in the order of codes; whose share stays as it is left out."""
    gives, gets = Counter(one["from"] for one in draft.changes), Counter(one["to"] for one in draft.changes)
    after = Counter(one.code for one in plan.assignments)
    return [
        Hands(
            code,
            gives[code],
            gets[code],
            after[code],
            hours.get(code, 0.0),
            [one for one in draft.changes if one["to"] == code],
        )
        for code in sorted({*gives, *gets} - {""}, key=code_key)
    ]


def remedy(sentence: str) -> tuple[str, str, str]:
    """(section, field, words) of the editor that would help with a conflict; empty where none does."""
    if sentence.startswith("The panel takes"):
        return "design", "panel_n", "Change the panel"
    if sentence.startswith("The panel is empty"):
        return "design", "environments", "Choose websites"
    if "are wanted, but the panel" in sentence:
        return "design", "duplicates_n", "Change the duplicates"
    if "solver" in sentence:
        return "", "", ""
    return "people", "people", "Change people"
