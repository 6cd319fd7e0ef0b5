"""What a replay found: an outcome per step, and one of the whole."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from recorder.environments.base import Verdict

Pace = Literal["fast", "original"]
DONE, HEALED, FAILED, SKIPPED = "done", "healed", "failed", "skipped"
OUTCOMES = (DONE, HEALED, FAILED, SKIPPED)


@dataclass
class StepResult:
    """One step's replay. `locator` found the target, `box` is where it was in the viewport (CSS px), `ms` how long it took.

    `outcome` is done, healed (done in another way than recorded; `why` says which), failed, or skipped (after a failed one).
    `before` and `after` are keys of pictures where a camera was there.
    """

    index: int
    type: str
    outcome: str = SKIPPED
    why: str = ""
    locator: str = ""
    ms: float = 0.0
    box: list[float] | None = None
    before: str = ""
    after: str = ""
    found: dict[str, int] = field(
        default_factory=dict
    )  # how many elements each locator found at the end, where none did
    page: str = ""  # path of the page it was played on


@dataclass
class Replay:
    """A whole replay. `broke_at` is the number of the first failed step, from 1; None where every step was played."""

    pace: Pace
    steps: list[StepResult] = field(default_factory=list)
    broke_at: int | None = None
    error: str = ""  # why it could not be played at all
    verdict: Verdict | None = None
    notes: list[str] = field(default_factory=list)
    ms: float = 0.0

    @property
    def played(self) -> bool:
        """True where every step was played."""
        return self.broke_at is None and not self.error

    def counts(self) -> dict[str, int]:
        """Steps by outcome."""
        return {outcome: sum(step.outcome == outcome for step in self.steps) for outcome in OUTCOMES}

    def as_dict(self) -> dict[str, Any]:
        """The replay as JSON has it."""
        return asdict(self) | {"played": self.played, "counts": self.counts()}


class StepFailed(Exception):
    """A step that cannot be played; the message says why, in words for the lead."""

    def __init__(self, why: str, found: dict[str, int] | None = None) -> None:
        super().__init__(why)
        self.why, self.found = why, found or {}
