"""The protocol between Footpath and an environment, and the words both use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from recorder.errors import FootpathError


@dataclass(frozen=True)
class TaskRef:
    """One task of an environment under one condition: ``variant`` is None when clean."""

    environment: str
    task: str
    variant: str | None
    seed: int


@dataclass(frozen=True)
class Session:
    """A prepared website: ``upstream`` is an origin, ``start_path`` a path on it, ``refuse`` fnmatch path patterns."""

    id: str
    upstream: str
    start_path: str
    title: str
    instruction: str | None
    refuse: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One line of a verdict. ``kind`` is ``obligation``, ``invariant`` or ``page``."""

    name: str
    passed: bool
    kind: str
    detail: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class Verdict:
    """How an attempt ended: ``score`` 0..1; ``source`` says whether a page (forgeable) or the server decided."""

    score: float
    passed: bool
    source: Literal["server", "page"]
    checks: tuple[Check, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Health:
    """What a probe saw: round trip in ms, and why not if not ``ok``."""

    ok: bool
    ms: float
    detail: str = ""


@runtime_checkable
class Adapter(Protocol):
    """What any environment offers. All calls block; none repeats a request by itself."""

    name: str

    def probe(self) -> Health:
        """Say whether new sessions can be prepared; never raises."""

    def prepare(self, ref: TaskRef) -> Session:
        """Make a session. Raises UnknownTask, EnvironmentDown."""

    def reset(self, session_id: str) -> Session:
        """Same task, variant and seed in a fresh state; the id may be new. Raises SessionForgotten, EnvironmentDown."""

    def evaluate(self, session_id: str) -> Verdict:
        """Score the session; call it once per attempt. Raises SessionForgotten, EnvironmentDown."""

    def backend_record(self, session_id: str) -> list[dict[str, Any]]:
        """The environment's own log of the session, oldest first. Raises SessionForgotten, EnvironmentDown."""

    def instruction(self, session_id: str) -> str | None:
        """The instruction as known now; None until a page has told it. Raises SessionForgotten, EnvironmentDown."""

    def close(self, session_id: str) -> None:
        """Drop the session; one that is already gone is no error. Raises EnvironmentDown."""


class EnvironmentDown(FootpathError):
    """The environment does not answer, or not in words we know."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__("environment_down", 503, message, **data)


class SessionForgotten(FootpathError):
    """The environment does not know this session (any more)."""

    def __init__(self, session_id: str) -> None:
        super().__init__("session_forgotten", 410, "The website no longer knows this session.", session=session_id)


class UnknownTask(FootpathError):
    """The environment has no such task or variant."""

    def __init__(self, ref: TaskRef, detail: str = "") -> None:
        what = f"{ref.task} / {ref.variant}" if ref.variant else ref.task
        message = detail or f"The environment {ref.environment} has no task {what}."
        super().__init__("unknown_task", 404, message, environment=ref.environment, task=ref.task, variant=ref.variant)
