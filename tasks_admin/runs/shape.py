"""What every format gives: a run in the study's words, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from recorder.errors import FootpathError
from recorder.wire import storable
from tasks_admin.runs.seen import Seen

StepUnit = Literal["model_turns", "executed_actions"]
TimeUnit = Literal["wall", "sum_of_steps"]
Source = Literal["environment", "self", "judge", "human"]
STEP_UNITS: tuple[StepUnit, ...] = ("model_turns", "executed_actions")
CONDITIONS = ("clean", "intervention")
Word = Literal["success", "failure", "unsure"]
By = Literal["judge", "person"]


KEPT = 1000  # rejections that are kept with their reasons; more are counted


class BadRuns(FootpathError):
    """What cannot be imported at all: not the format, or something that must be said is missing.

    `asks` names all that must be said, as `Given` has it; nothing where saying more would not help. `options` is how a command
    says it: `message` tells them, `words` is for a page, which has fields. `rejected` holds why nothing could be taken, where
    that is so.
    """

    def __init__(self, words: str, *asks: str, options: str = "", rejected: Refusals | None = None) -> None:
        super().__init__("bad_runs", 400, f"{words} Say it ({options})." if options else words, asks=asks)
        self.words = words
        self.asks = asks
        self.rejected = rejected


@dataclass(frozen=True)
class Given:
    """What the importer says where the files do not: None is "not said". `columns` maps our names to the file's."""

    model: str | None = None
    harness: str | None = None
    condition: str | None = None
    task: str | None = None
    step_unit: StepUnit | None = None
    elapsed: Literal["duration", "cumulative"] | None = None
    columns: dict[str, str] = field(default_factory=dict)


Heeds = tuple[Literal["columns", "task", "step_unit", "elapsed"], ...]  # see registry.Format


@dataclass(frozen=True)
class LabelIn:
    """What somebody else said of a run: an automatic judge, or a person (`by`)."""

    judge: str
    by: By
    word: Word
    reason: str = ""


@dataclass
class RunIn:
    """A run as a file tells it. `place` names file and line; `elapsed_ms` is in ms; `score` 0..1.

    `verdict_source`: who says whether it passed: the environment, the agent itself, a judge, a person. `completed`: whether the
    agent declared itself done. `detail` holds what figures of failures need, and counts in the other unit. `seen` is what a person
    may look at; `labels` what others said of the run, where the files tell it beside the verdict. `without`: what of it could not be
    taken, as `its time: why`; the run is taken without.
    """

    place: str
    task: str
    model: str | None = None
    harness: str | None = None
    environment: str | None = None
    condition: str | None = None
    run_id: str | None = None
    score: float | None = None
    passed: bool | None = None
    verdict_source: Source = "environment"
    completed: bool | None = None
    steps: int | None = None
    step_unit: StepUnit | None = None
    elapsed_ms: float | None = None
    time_unit: TimeUnit | None = None
    detail: dict[str, Any] = field(default_factory=dict)
    seen: Seen | None = None
    labels: list[LabelIn] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Rejected:
    """A row that is not imported: where it is and why, with what to do."""

    place: str
    reason: str


Row = RunIn | Rejected


@dataclass
class Refusals:
    """What was rejected: the first KEPT of them, and how many there were, so that memory stays flat whatever the file holds."""

    first: list[Rejected] = field(default_factory=list)
    count: int = 0

    def add(self, one: Rejected) -> None:
        self.count += 1
        if len(self.first) < KEPT:
            self.first.append(one)

    def extend(self, other: Refusals) -> None:
        """Take in what another list holds, what it only counted too."""
        for one in other.first:
            self.add(one)
        self.count += other.count - len(other.first)

    def rows(self) -> list[list[str]]:
        """[[place, reason], …] as the database keeps them."""
        return [[storable(one.place), storable(one.reason)] for one in self.first]

    def told(self, what: str) -> str:
        """Why nothing of a file could be taken, in words; `what` is what it holds."""
        if not self.count:
            return f"There is no {what} in it."
        few = "; ".join(f"{one.place}: {one.reason.rstrip('.')}" for one in self.first[:3])
        whole = f"Its only {what} cannot" if self.count == 1 else f"None of its {self.count} {what}s can"
        return f"{whole} be taken. {few}."
