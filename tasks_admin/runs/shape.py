"""What every format gives: a run in the study's words, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from recorder.errors import FootpathError

StepUnit = Literal["model_turns", "executed_actions"]
TimeUnit = Literal["wall", "sum_of_steps"]
Source = Literal["environment", "self", "judge", "human"]
STEP_UNITS: tuple[StepUnit, ...] = ("model_turns", "executed_actions")
CONDITIONS = ("clean", "intervention")


class BadRuns(FootpathError):
    """Runs that cannot be imported at all: not the format, or something that must be said is missing."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_runs", 400, message)


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


@dataclass
class RunIn:
    """A run as a file tells it. `place` names file and line; `elapsed_ms` is in ms; `score` 0..1.

    `verdict_source`: who says whether it passed: the environment, the agent itself, a judge, a person. `completed`: whether the
    agent declared itself done. `detail` holds what figures of failures need, and counts in the other unit.
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


@dataclass(frozen=True)
class Rejected:
    """A row that is not imported: where it is and why, with what to do."""

    place: str
    reason: str


Row = RunIn | Rejected
