"""The pages of a replay as HTML, each as it was before a step: what datasets of web actions hold beside each action."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Error, Page

from recorder.errors import FootpathError
from recorder.replay.results import Replay


class Pages:
    """A camera that keeps the tab's HTML instead of a picture."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def take(self, page: Page) -> str:
        """The key of the tab's HTML now; '' where it is between two pages."""
        try:
            html = page.content()
        except Error:  # it is closing or navigates: there is no page to keep
            return ""
        self.taken.append(html)
        return str(len(self.taken))

    def write(self, folder: Path, done: Replay) -> int:
        """Write `N.html`, the page before step N, for each step that has one; returns how many. Raises FootpathError."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            steps = [step for step in done.steps if step.before]
            for step in steps:
                (folder / f"{step.index + 1}.html").write_text(self.taken[int(step.before) - 1], encoding="utf-8")
        except OSError as error:
            raise FootpathError("no_folder", 400, f"{folder} cannot be written: {error.strerror}") from error
        return len(steps)
