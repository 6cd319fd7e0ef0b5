"""What every action of a replay has at hand: the stage, the step, its target found and aimed at, and the pace."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Error, Frame, Page

from recorder.replay.find import Found, Target, find
from recorder.replay.hands import Gone, Spot, aim, recorded_point
from recorder.replay.results import Pace, StepFailed, StepResult
from recorder.replay.source import Source
from recorder.replay.stage import Stage

PATIENCE_S = 8.0
MOST_PATIENCE_S = 60.0
KEY_MS = 12  # between keys at the fast pace
LONGEST_KEY_MS = 3000.0  # between keys at the original pace


class Camera(Protocol):
    """Takes the pictures of a replay and gives each a key."""

    def take(self, page: Page) -> str:
        """The key of a picture of what the tab shows now; '' where none could be taken."""


@dataclass
class Settings:
    """How to replay. `moved` maps parts of recorded addresses (origin, session) to those of this session.

    `secrets` maps a field's name or css to its text; `words` are texts in which a secret of the recorded length is looked for
    (the instruction). `files` is a folder with the files that were uploaded.
    """

    pace: Pace = "fast"
    patience: float = PATIENCE_S
    moved: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    files: Path | None = None


@dataclass
class Player:
    """Plays one step after another; `result` is that of the present one."""

    stage: Stage
    source: Source
    settings: Settings
    camera: Camera | None
    page: Page
    frame: Frame
    result: StepResult
    patience: float = PATIENCE_S
    shot: bool = False

    def find(self, target: Target, patience: float | None = None) -> Found:
        """The target's element. Raises StepFailed."""
        if not target:
            raise StepFailed("The recording does not say what this was done to.")
        found = find(self.frame, target, self.patience if patience is None else patience)
        self.result.locator = self.result.locator or found.locator
        return found

    def aim(self, step: dict[str, Any], target: Target | None = None, *, point: bool = True) -> tuple[Found, Spot]:
        """The target found, in view, still and uncovered, and the spot to press. Raises StepFailed."""
        target = step.get("target") or {} if target is None else target
        end = time.monotonic() + self.patience
        while True:
            found = self.find(target, max(0.5, end - time.monotonic()))
            try:
                where = recorded_point(step, target) if point else None
                at = aim(found, where, max(0.5, end - time.monotonic()))
            except Gone:
                if time.monotonic() > end:
                    raise StepFailed("The page keeps replacing the target.") from None
                continue
            self.result.box = at.box
            self.picture()
            return found, at

    def picture(self) -> None:
        """Take the picture before the step, once."""
        if self.camera and not self.shot:
            self.shot = True
            self.result.before = self.camera.take(self.page)

    def show(self, found: Found) -> None:
        """Bring an element into view, note its box, and take the picture."""
        try:
            found.element.scroll_into_view_if_needed(timeout=2000)
        except Error:  # a file input may be hidden: there is nothing to bring into view
            return self.picture()
        box = found.element.bounding_box()
        if box:
            self.result.box = [box["x"], box["y"], box["width"], box["height"]]
        return self.picture()

    def frame_offset(self) -> tuple[float, float]:
        """Where the step's frame begins in the tab's viewport."""
        if self.frame == self.page.main_frame:
            return (0.0, 0.0)
        root = self.frame.query_selector("html")
        box = root.bounding_box() if root else None
        if root is None or box is None:
            return (0.0, 0.0)
        left, top = root.evaluate("el => { const box = el.getBoundingClientRect(); return [box.x, box.y]; }")
        return (box["x"] - left, box["y"] - top)

    def here(self, url: str) -> str:
        """A recorded address as this session has it."""
        for recorded, now in self.settings.moved.items():
            url = url.replace(recorded, now)
        return url

    def rest(self, ms: float) -> float:
        """How long to wait between two inputs that were `ms` apart."""
        return KEY_MS if self.settings.pace == "fast" else max(0.0, min(ms, LONGEST_KEY_MS))
