"""What every importer makes of its files: environments with their tasks, checked, each with the place it came from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from annotate.models.catalogue import Difficulty
from recorder.environments.options import plain
from recorder.errors import FootpathError
from recorder.yaml_file import BadFile, Document, Where

M = TypeVar("M", bound=BaseModel)
ID = r"^[A-Za-z0-9][A-Za-z0-9._:@+~-]*$"
SHOWN = 20


class Part(BaseModel):
    """A part of a catalogue; a name it does not know is a mistake."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="after")
    @classmethod
    def has_no_nul(cls, value: Any) -> Any:
        if isinstance(value, str) and "\x00" in value:
            raise ValueError("holds a character that no text can hold")
        return value


class VariantIn(Part):
    """One intervention for the task it stands in."""

    variant: str = Field(pattern=ID, max_length=120)
    primitive: str = Field(default="", max_length=40)
    layer: str = Field(default="", max_length=40)
    description: str = ""
    params: dict[str, Any] = {}


class TaskIn(Part):
    """One task. `params` is for the adapter: `start_path`, `success`, …"""

    task: str = Field(pattern=ID, max_length=120)
    title: str = Field(min_length=1, max_length=200)
    instruction: str
    difficulty: Difficulty
    expected_steps: int | None = Field(default=None, ge=0, le=100_000)
    primitives: list[str] = []
    params: dict[str, Any] = {}
    variants: list[VariantIn] = []

    @field_validator("params")
    @classmethod
    def stays_on_the_site(cls, value: dict[str, Any]) -> dict[str, Any]:
        start = value.get("start_path", "/")
        path = unquote(start).partition("?")[0].replace("\\", "/") if isinstance(start, str) else ""
        if not path.startswith("/") or path.startswith("//") or ".." in path.split("/"):
            raise ValueError(f"start_path must be a path on the website that begins with one slash, not {start!r}")
        return value

    def content_hash(self) -> str:
        """SHA-256 of the task in canonical JSON."""
        told = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(told.encode()).hexdigest()


class EnvironmentIn(Part):
    """A website: which adapter reaches it, configured how. Without `adapter` it must be there already, and stays as it is."""

    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=50)
    name: str = Field(default="", max_length=120)
    adapter: str = Field(default="", max_length=40)
    options: dict[str, Any] = {}


@dataclass
class Found:
    """An environment with its tasks, and where each task stands."""

    environment: EnvironmentIn
    place: tuple[Document, Where] | None = None
    tasks: list[TaskIn] = field(default_factory=list)
    places: list[tuple[Document, Where]] = field(default_factory=list)

    def add(self, task: TaskIn, document: Document, where: Where = ()) -> None:
        """Take a task in, with its place."""
        self.tasks.append(task)
        self.places.append((document, where))


class Refused(FootpathError):
    """Nothing was imported. `problems`: all of them, each with file, line and field."""

    def __init__(self, problems: list[BadFile]) -> None:
        self.problems = problems
        more = f"\n  and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        told = "".join(f"\n  {problem.message}" for problem in problems[:SHOWN])
        super().__init__("import_refused", 400, f"Nothing was imported; {len(problems)} problem(s):{told}{more}")


class Problems:
    """Collects what is wrong, so that all of it is told at once."""

    def __init__(self) -> None:
        self.found: list[BadFile] = []

    def add(self, document: Document, where: Where, what: str) -> None:
        """Note a problem at a place."""
        self.found.append(document.wrong(where, what))

    def model(self, model: type[M], data: Any, document: Document, where: Where = ()) -> M | None:
        """`data` as `model`, or None with its problems noted."""
        if not isinstance(data, dict):
            self.add(document, where, "must be a mapping of names to values")
            return None
        try:
            return model.model_validate(data)
        except ValidationError as error:
            for one in error.errors():
                self.add(document, (*where, *one["loc"]), plain(one["msg"]))
            return None

    def settle(self) -> None:
        """Raises Refused if there is any."""
        if self.found:
            raise Refused(self.found)


def refuse_doubles(found: Iterable[Found], problems: Problems) -> None:
    """Note tasks and variants whose id is there twice in one environment, with both places. Capitals and colons make no other task:
    its id names files of a bundle, and many file systems do not tell them apart."""
    for one in found:
        seen: dict[str, str] = {}
        for task, (document, where) in zip(one.tasks, one.places, strict=True):
            for kind, name in [("task", task.task), *(("variant", variant.variant) for variant in task.variants)]:
                place = f"{document.file}:{document.line(where)}"
                same = name.casefold().replace(":", "_") if kind == "task" else name
                if (before := seen.setdefault(f"{kind} {same}", place)) != place:
                    aside = "" if same == name else ", capitals and colons aside"
                    problems.add(document, where, f"the {kind} {name} is there already{aside}, at {before}")
                elif kind == "variant" and [v.variant for v in task.variants].count(name) > 1:
                    problems.add(document, where, f"the variant {name} is there twice")


BLANK = re.compile(r"\{[A-Za-z_][\w.\[\]']*\}")


def is_template(instruction: str) -> bool:
    """True for an instruction with blanks that only the website fills in: `{target.city}`."""
    return BLANK.search(instruction) is not None
