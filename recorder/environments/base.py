"""The protocol between Footpath and an environment, and the words both use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from recorder.errors import FootpathError


@dataclass(frozen=True)
class TaskRef:
    """One task of an environment under one condition: ``variant`` is None when clean.

    ``params`` is what the catalogue holds of the task beyond its words (``start_path``, ``success``, ``site``), and
    ``variant_params`` the same of the variant (``file``).
    """

    environment: str
    task: str
    variant: str | None
    seed: int
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)
    variant_params: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Watch:
    """What success looks like in the page: a CSS ``selector`` of something visible, or a JavaScript ``predicate``.

    ``when`` is ``seen`` (true at any moment counts) or ``at_end`` (true when the attempt ends).
    """

    selector: str = ""
    predicate: str = ""
    when: Literal["seen", "at_end"] = "seen"

    @property
    def expression(self) -> str:
        """The same as one JavaScript expression, for whoever asks a page of their own."""
        if self.predicate:
            return f"Boolean({self.predicate})"
        return f"[...document.querySelectorAll({json.dumps(self.selector)})].some((one) => one.checkVisibility())"


@dataclass(frozen=True)
class Foreign:
    """What the site's pages may load from other hosts: only ``allow``; requests to ``stub`` get an empty answer from us."""

    allow: tuple[str, ...] = ()
    stub: tuple[str, ...] = ()


@dataclass(frozen=True)
class Session:
    """A prepared website.

    ``upstream`` is an origin, or the ``file://`` address of a folder that the gateway serves itself; ``start_path`` a path
    on it; ``refuse`` fnmatch path patterns that no annotator's browser may reach; ``watch`` what the page is watched for;
    ``foreign`` None where other hosts are none of our business; ``asks`` True where the annotator says whether it is done.
    """

    id: str
    upstream: str
    start_path: str
    title: str
    instruction: str | None
    refuse: tuple[str, ...] = ()
    watch: Watch | None = None
    foreign: Foreign | None = None
    asks: bool = False


Source = Literal["server", "page", "declared", "lead"]


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
    """How an attempt ended: ``score`` 0..1; ``source`` says who decided: the ``server``, a ``page`` (which a person could
    forge), what the annotator ``declared``, or a ``lead``."""

    score: float
    passed: bool
    source: Source
    checks: tuple[Check, ...] = ()
    error: str = ""
    reasoning: str = ""


@dataclass(frozen=True)
class Health:
    """What a probe saw: round trip in ms, and why not if not ``ok``."""

    ok: bool
    ms: float
    detail: str = ""


@runtime_checkable
class Adapter(Protocol):
    """What any environment offers. All calls block; none repeats a request by itself.

    ``repeatable`` is True where ``evaluate`` may be asked again and says the same; where it is False, a verdict whose
    answer was lost is never asked for twice.
    """

    name: str
    repeatable: bool

    def probe(self) -> Health:
        """Say whether new sessions can be prepared; never raises."""

    def prepare(self, ref: TaskRef) -> Session:
        """Make a session. Raises UnknownTask, EnvironmentDown."""

    def reset(self, session_id: str, ref: TaskRef) -> Session:
        """Same task, variant and seed (those of ``ref``) in a fresh state; the id may be new, and the old one is over then.

        Raises SessionForgotten, EnvironmentDown.
        """

    def evaluate(self, session_id: str) -> Verdict:
        """Score the session; call it once per attempt. Raises SessionForgotten, EnvironmentDown, AnswerLost."""

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


class AnswerLost(EnvironmentDown):
    """The environment was asked, and may have done it, but its answer never came whole."""


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
