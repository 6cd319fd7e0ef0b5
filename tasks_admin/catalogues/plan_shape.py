"""The published plan shape: who does which task under which condition, as one YAML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from annotate.models.catalogue import Difficulty
from recorder.yaml_file import Document, Where, read
from tasks_admin.catalogues.shape import Problems


class Theirs(BaseModel):
    """A part of a plan; what we do not need is theirs alone."""

    model_config = ConfigDict(extra="ignore")


class Annotator(Theirs):
    """A person of the plan, by the name it uses."""

    role: str
    num_task_conditions: int | None = Field(default=None, ge=0)
    num_attempts: int | None = Field(default=None, ge=0)
    designer_exclusions: list[str] = []
    portfolio: list[str] = []

    @property
    def tier(self) -> str:
        """primary or duplicate."""
        return "duplicate" if "duplicate" in self.role else "primary"


def plain_path(value: str) -> str:
    """A path within the benchmark's checkout."""
    path = PurePosixPath(value.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\x00" in value:
        raise ValueError(f"{value!r} leads out of the benchmark's folder")
    return value


class VariantOf(Theirs):
    id: str
    yaml: str

    _path = field_validator("yaml")(plain_path)

    @property
    def file(self) -> str:
        """The variant's file name."""
        return PurePosixPath(self.yaml.replace("\\", "/")).name


class Row(Theirs):
    """One assignment: a base task under a condition, given to an annotator."""

    aid: str
    role: Literal["primary", "duplicate"]
    annotator: str
    base: str
    env: str
    diff: Difficulty
    title: str
    cond: Literal["clean", "intervention"]
    yaml: str = ""
    prim: str = ""
    steps: int | None = None
    variant: VariantOf | None = None
    original_primary_annotator: str = ""

    _path = field_validator("yaml")(plain_path)


@dataclass
class Plan:
    """A plan as it was read: people in the file's order, rows with their places."""

    document: Document
    seed: int | None
    annotators: dict[str, Annotator]
    rows: list[tuple[Row, Where]]


LISTS: dict[str, str] = {"condition_assignments": "primary", "duplicate_condition_assignments": "duplicate"}


def read_plan(path: Path, problems: Problems) -> Plan:
    """The plan of a file. Raises BadFile for what is no YAML; everything else that is wrong is noted."""
    document = read(path, path.name)
    data: Any = document.data
    if not isinstance(data, dict):
        problems.add(document, (), "must be a mapping with annotators and condition_assignments")
        return Plan(document, None, {}, [])
    seed = data.get("seed_for_human_runs")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**53):
        problems.add(document, ("seed_for_human_runs",), "must be a whole number from 0 on")
    annotators = read_annotators(document, problems)
    rows = [found for name, role in LISTS.items() for found in read_rows(document, name, role, problems)]
    refuse_double_ids(document, rows, problems)
    for row, where in rows:
        if row.annotator not in annotators:
            problems.add(document, (*where, "annotator"), f"{row.annotator!r} is not among the annotators")
    return Plan(document, seed if isinstance(seed, int) else None, annotators, rows)


def read_annotators(document: Document, problems: Problems) -> dict[str, Annotator]:
    data = document.data.get("annotators")
    if not isinstance(data, dict) or not data:
        problems.add(document, ("annotators",), "must be a mapping of names to annotators")
        return {}
    found = {name: problems.model(Annotator, told, document, ("annotators", name)) for name, told in data.items()}
    return {name: annotator for name, annotator in found.items() if annotator is not None}


def read_rows(document: Document, name: str, role: str, problems: Problems) -> list[tuple[Row, Where]]:
    data = document.data.get(name, [])
    if not isinstance(data, list):
        problems.add(document, (name,), "must be a list of assignments")
        return []
    out: list[tuple[Row, Where]] = []
    for place, told in enumerate(data):
        where: Where = (name, place)
        row = problems.model(Row, told, document, where)
        if row is None:
            continue
        if row.role != role:
            problems.add(document, (*where, "role"), f"it stands under {name} but says {row.role}")
        if (row.cond == "intervention") != (row.variant is not None):
            problems.add(document, where, "intervention needs a variant, and clean has none")
        out.append((row, where))
    return out


def refuse_double_ids(document: Document, rows: list[tuple[Row, Where]], problems: Problems) -> None:
    seen: dict[str, int] = {}
    for row, where in rows:
        if row.aid in seen:
            problems.add(document, (*where, "aid"), f"{row.aid} is there already, in line {seen[row.aid]}")
        seen.setdefault(row.aid, document.line(where))
