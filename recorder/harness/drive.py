"""Plays a drive file: low-level inputs by Playwright's mouse and keyboard, as a person's hands would make them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

from playwright.sync_api import BrowserContext, Dialog, Error, FileChooser, FrameLocator, Locator, Page

from recorder.harness.errors import DriveError

Action = dict[str, Any]
Point = tuple[float, float]
KEY_DELAY = 40  # ms a key
DRAG_MOVES = 12
PAGE_PAUSE_MS = 100  # before a page is left by the browser's own buttons: no hand is there sooner, and two pages' clocks agree to 20 ms
STOP_MS = 200  # how soon a wait ends where the recording is to stop
FIND_MS = 15_000  # how long an element may take to appear
RIGHT_END = """(element, text) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const at = node.data.indexOf(text);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + text.length);
    const box = range.getBoundingClientRect();
    return [box.right - 3, box.top + box.height / 2];
  }
  return null;
}"""


def read_drive(path: Path) -> list[Action]:
    """The actions of a drive file. Raises DriveError naming the file and the entry that is wrong."""
    try:
        actions = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DriveError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise DriveError(f"{path}: is not JSON ({error}).") from error
    if not isinstance(actions, list):
        raise DriveError(f'{path}: must be a list of {{"do": …}} objects.')
    for index, action in enumerate(actions):
        if not isinstance(action, dict) or action.get("do") not in ACTIONS:
            raise DriveError(
                f'{path}: entry {index}: "do" must be one of {", ".join(sorted(ACTIONS))}; it is {action!r}.'
            )
    return actions


class Player:
    """Plays actions in the tabs of one browser context, until `stop` is set; `page` is the tab it is in."""

    def __init__(self, page: Page, *, files: Path | None = None, stop: Event | None = None) -> None:
        self.page = page
        self.context: BrowserContext = page.context
        self.files = files or Path()
        self.stop = stop or Event()
        self.answers: list[bool | str] = []
        self.wheel_at: Any = None  # where the pointer rests since the last wheel
        self.context.on("dialog", self._answer)
        # Listened for from the start: the browser may not be told in time where it is asked just before the click.
        self.choosers: list[FileChooser] = []
        for tab in self.context.pages:
            tab.on("filechooser", self._chooser)
        self.context.on("page", lambda tab: tab.on("filechooser", self._chooser))

    def _chooser(self, chooser: FileChooser) -> None:
        self.choosers.append(chooser)

    def play(self, actions: list[Action]) -> None:
        """Play them in order. Raises DriveError naming the entry that could not be played or did not hold."""
        for index, action in enumerate(actions):
            if self.stop.is_set():
                return
            if action["do"] not in {"wheel", "wait"}:
                self.wheel_at = None
            try:
                ACTIONS[action["do"]](self, action)
            except KeyError as error:
                raise DriveError(f"entry {index} ({action['do']}): the field {error} is missing.") from error
            except Error as error:
                raise DriveError(f"entry {index} ({action['do']}): {error.message.splitlines()[0]}") from error
            except DriveError as error:
                raise DriveError(f"entry {index} ({action['do']}): {error}") from error

    def _answer(self, dialog: Dialog) -> None:
        answer = self.answers.pop(0) if self.answers else dialog.type == "beforeunload"
        if answer is False:
            dialog.dismiss()
        elif isinstance(answer, str):
            dialog.accept(answer)
        else:
            dialog.accept()

    # Where

    def locate(self, at: str) -> Locator:
        """The element of `CSS` or `frame or host >> CSS` (the first, where there are several)."""
        *outer, inner = (part.strip() for part in at.split(">>"))
        scope: Page | FrameLocator | Locator = self.page
        for selector in outer:
            element = scope.locator(selector).first
            element.wait_for(state="attached", timeout=FIND_MS)
            is_frame = element.evaluate("e => e.tagName === 'IFRAME' || e.tagName === 'FRAME'")
            scope = scope.frame_locator(selector).first if is_frame else element
        found: Locator = scope.locator(inner).first
        return found

    def point(self, at: Any) -> Point:
        """Coordinates in the viewport of `at`: [x, y], or the middle (or the fraction) of an element, scrolled into view."""
        if isinstance(at, list):
            return float(at[0]), float(at[1])
        selector, fractions = _split_fraction(str(at))
        element = self.locate(selector)
        x, y = _within(element, fractions)
        size = self.page.viewport_size
        if size and not (0 <= x < size["width"] and 0 <= y < size["height"]):
            element.scroll_into_view_if_needed(timeout=FIND_MS)
            x, y = _within(element, fractions)
        return x, y

    def press_at(self, at: Point, *, button: Any = "left", count: int = 1) -> None:
        self.page.mouse.click(at[0], at[1], button=button, click_count=count)


def _within(element: Locator, fractions: Point) -> Point:
    box = element.bounding_box(timeout=FIND_MS)
    if box is None:  # not shown yet
        element.wait_for(state="visible", timeout=FIND_MS)
        box = element.bounding_box()
    if box is None:
        raise DriveError("the element is not visible.")
    return box["x"] + box["width"] * fractions[0], box["y"] + box["height"] * fractions[1]


def _split_fraction(at: str) -> tuple[str, Point]:
    selector, sign, tail = at.rpartition("@")
    parts = tail.split(",")
    if sign and len(parts) == 2:
        try:
            return selector, (float(parts[0]), float(parts[1]))
        except ValueError:
            pass  # an @ that belongs to the selector
    return at, (0.5, 0.5)


def _click(player: Player, action: Action) -> None:
    player.press_at(player.point(action["at"]))


def _dblclick(player: Player, action: Action) -> None:
    x, y = player.point(action["at"])
    player.page.mouse.dblclick(x, y)


def _rightclick(player: Player, action: Action) -> None:
    player.press_at(player.point(action["at"]), button="right")


def _move(player: Player, action: Action) -> None:
    player.page.mouse.move(*player.point(action["at"]))


def _click_at_text(player: Player, action: Action) -> None:
    element = player.page.get_by_text(action["text"]).last
    element.wait_for(state="visible", timeout=FIND_MS)
    element.scroll_into_view_if_needed(timeout=FIND_MS)
    at = element.evaluate(RIGHT_END, action["text"])
    if at is None:
        raise DriveError(f"the text {action['text']!r} is not within one element.")
    player.press_at((at[0], at[1]))


def _type(player: Player, action: Action) -> None:
    player.page.keyboard.type(action["text"], delay=KEY_DELAY)


def _press(player: Player, action: Action) -> None:
    player.page.keyboard.press(action["key"])


def _focus(player: Player, action: Action) -> None:
    player.locate(action["at"]).focus(timeout=FIND_MS)


def _drag(player: Player, action: Action) -> None:
    start = player.point(action["from"])
    end = player.point(action["to"])
    mouse = player.page.mouse
    mouse.move(*start)
    mouse.down()
    for move in range(1, DRAG_MOVES + 1):
        part = move / DRAG_MOVES
        mouse.move(start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)
    mouse.move(*end)
    mouse.up()


def _wheel(player: Player, action: Action) -> None:
    if action["at"] != player.wheel_at:
        player.page.mouse.move(*player.point(action["at"]))
        player.wheel_at = action["at"]
    player.page.mouse.wheel(action.get("dx", 0), action.get("dy", 0))


def _wait(player: Player, action: Action) -> None:
    end = time.monotonic() + action["ms"] / 1000
    while (left := end - time.monotonic()) > 0 and not player.stop.is_set():
        player.page.wait_for_timeout(min(left * 1000, STOP_MS))


def _wait_for(player: Player, action: Action) -> None:
    player.locate(action["css"]).wait_for(state="visible", timeout=FIND_MS * 2)


def _back(player: Player, action: Action) -> None:
    player.page.wait_for_timeout(PAGE_PAUSE_MS)
    player.page.go_back(wait_until="commit")
    player.page.wait_for_load_state("domcontentloaded")


def _reload(player: Player, action: Action) -> None:
    player.page.wait_for_timeout(PAGE_PAUSE_MS)
    player.page.reload(wait_until="domcontentloaded")


def _dialogs(player: Player, action: Action) -> None:
    player.answers = list(action["answers"])


def _tab(player: Player, action: Action) -> None:
    index = int(action["index"])
    end = time.monotonic() + FIND_MS / 1000
    while len(player.context.pages) <= index and time.monotonic() < end:
        player.page.wait_for_timeout(50)
    if len(player.context.pages) <= index:
        raise DriveError(f"there is no tab {index}; {len(player.context.pages)} are open.")
    player.page = player.context.pages[index]
    player.page.bring_to_front()
    player.page.wait_for_load_state("domcontentloaded")


def _upload(player: Player, action: Action) -> None:
    files = [str(player.files / name) for name in action["files"]]
    at = player.point(action["at"])
    player.choosers.clear()
    player.press_at(at)
    end = time.monotonic() + FIND_MS / 1000
    while not player.choosers and time.monotonic() < end:
        player.page.wait_for_timeout(20)
    if not player.choosers:
        raise DriveError(f"{action['at']} opened no file picker.")
    player.choosers[-1].set_files(files)


def _ime(player: Player, action: Action) -> None:
    cdp = player.context.new_cdp_session(player.page)
    for text in action["compositions"]:
        cdp.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        player.page.wait_for_timeout(KEY_DELAY)
    cdp.send("Input.insertText", {"text": action["commit"]})
    cdp.detach()


def _expect(player: Player, action: Action) -> None:
    """The page's own state; a moment is allowed for what the page does after the input."""
    end = time.monotonic() + 2
    while (got := player.page.evaluate(action["js"])) != action["equals"]:
        if time.monotonic() > end:
            raise DriveError(f"{action['js']} is {got!r}, not {action['equals']!r}.")
        player.page.wait_for_timeout(50)


ACTIONS: dict[str, Callable[[Player, Action], None]] = {
    "click": _click, "dblclick": _dblclick, "rightclick": _rightclick, "move": _move, "click_at_text": _click_at_text,
    "type": _type, "press": _press, "focus": _focus, "drag": _drag, "wheel": _wheel, "wait": _wait, "wait_for": _wait_for,
    "back": _back, "reload": _reload, "dialogs": _dialogs, "tab": _tab, "upload": _upload, "ime": _ime, "expect": _expect,
}  # fmt: skip
