"""Where a replay is played: tabs by the recording's numbers, frames by their paths, dialogs, and the site's traffic."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Dialog, ElementHandle, Error, Frame, Page, Request

from recorder.replay.find import is_passing
from recorder.replay.results import StepFailed

IGNORED = frozenset({"eventsource", "websocket", "ping", "media", "image", "font", "other"})
FRAME_AT = """(index) => {
  const walk = (root) => {
    for (const el of root.querySelectorAll("*")) {
      if ((el.tagName === "IFRAME" || el.tagName === "FRAME") && el.contentWindow === window.frames[index]) return el;
      const inner = el.shadowRoot && walk(el.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  return index < window.frames.length ? walk(document) : null;
}"""


class Stage:
    """One browser context in which a trace is played."""

    def __init__(self, context: BrowserContext, steps: list[dict[str, Any]]) -> None:
        self.context = context
        self.steps = steps
        self.at = 0  # the step being played
        self.pages: list[Page] = []
        self.loads: dict[Page, int] = defaultdict(int)
        self.busy: set[Request] = set()
        self.quiet_since = time.monotonic()
        self.answered: dict[int, str] = {}  # dialog step: what was found odd about it, or ''
        self.unasked: list[str] = []
        context.on("page", self._opened)
        context.on("request", self._asked)
        context.on("requestfinished", self._settled)
        context.on("requestfailed", self._settled)
        context.on("dialog", self._dialog)

    # Tabs and frames

    def _opened(self, page: Page) -> None:
        self.pages.append(page)
        page.on("domcontentloaded", lambda page: self.loads.__setitem__(page, self.loads[page] + 1))

    def page(self, tab: int, patience: float) -> Page:
        """The tab of that number, waited for. Raises StepFailed where it does not open or was closed."""
        end = time.monotonic() + patience
        while len(self.pages) < tab and time.monotonic() < end:
            self.idle(50)
        if len(self.pages) < tab:
            raise StepFailed(f"Tab {tab} did not open; {len(self.pages)} are there.")
        page = self.pages[tab - 1]
        if page.is_closed():
            raise StepFailed(f"Tab {tab} is closed already.")
        return page

    def idle(self, ms: float) -> None:
        """Let the browser driver work for `ms`."""
        for page in reversed(self.pages):
            if not page.is_closed():
                page.wait_for_timeout(ms)
                return
        time.sleep(ms / 1000)

    def frame(self, page: Page, path: str, patience: float) -> Frame:
        """The frame at `path` ("0/2": indexes among each parent's frames), waited for. Raises StepFailed."""
        end = time.monotonic() + patience
        while True:
            if frame := frame_at(page, path):
                return frame
            if time.monotonic() > end:
                raise StepFailed(f"Frame {path} is not on this page.")
            self.idle(60)

    # Traffic

    def _asked(self, request: Request) -> None:
        if request.resource_type not in IGNORED:
            self.busy.add(request)

    def _settled(self, request: Request) -> None:
        self.busy.discard(request)
        self.quiet_since = time.monotonic()

    def wait_quiet(self, seconds: float, still: float = 0.1) -> bool:
        """Wait until no request has been under way for `still` seconds, at most `seconds`; True if so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.busy and time.monotonic() - self.quiet_since >= still:
                return True
            self.idle(30)
        return not self.busy

    def wait_load(self, page: Page, more_than: int, seconds: float) -> bool:
        """Wait until the tab has loaded more documents than that; True if so."""
        end = time.monotonic() + seconds
        while self.loads[page] <= more_than:
            if time.monotonic() > end or page.is_closed():
                return False
            self.idle(40)
        return True

    # Dialogs

    def _dialog(self, dialog: Dialog) -> None:
        for index in range(self.at, len(self.steps)):
            step = self.steps[index]
            if step["type"] == "dialog" and index not in self.answered:
                said = step.get("text")
                odd = (
                    ""
                    if said in (None, dialog.message)
                    else f"it said {dialog.message[:120]!r}, not {str(said)[:120]!r}"
                )
                self.answered[index] = odd
                answer(dialog, step)
                return
        if dialog.type == "beforeunload":
            dialog.accept()
            return
        self.unasked.append(f"A {dialog.type} that was not recorded opened: {dialog.message[:120]!r}.")
        dialog.dismiss()


def answer(dialog: Dialog, step: dict[str, Any]) -> None:
    """Answer as the person did."""
    given = step.get("answer")
    if given is False or given is None:
        dialog.dismiss()
    elif isinstance(given, str):
        dialog.accept(given)
    else:
        dialog.accept()


def frame_at(page: Page, path: str) -> Frame | None:
    """The frame at `path` as it is now, or None."""
    frame: Frame | None = page.main_frame
    try:
        for part in [part for part in path.split("/") if part]:
            if frame is None:
                return None
            element: ElementHandle | None = frame.evaluate_handle(FRAME_AT, int(part)).as_element()
            frame = element.content_frame() if element else None
    except Error as error:
        if is_passing(error):
            return None
        raise
    return frame


def path_of(url: str) -> str:
    """An address without its origin."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
