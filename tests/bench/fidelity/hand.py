"""A person's hand for the bench: real mouse and keyboard only, counting its own operations as an agent's steps are counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import ElementHandle, Locator, Page

Where = str | Locator | ElementHandle | tuple[float, float]
REST_MS = 60
KEY_MS = 25
DRAG_MOVES = 12


@dataclass
class Hand:
    """Acts in `page`; `done` lists the kind of each operation."""

    page: Page
    done: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def operations(self) -> int:
        return len(self.done)

    def spot(self, where: Where, fx: float = 0.5, fy: float = 0.5) -> tuple[float, float]:
        """Coordinates of a fraction of an element's box, scrolled into view; a point is itself."""
        if isinstance(where, tuple):
            return where
        element = self.page.locator(where).first if isinstance(where, str) else where
        if not isinstance(element, ElementHandle):
            element.wait_for(state="attached")
            element = element.element_handle()
        box = element.bounding_box()
        size = self.page.viewport_size or {"width": 1280, "height": 720}
        if box is None or box["y"] < 0 or box["y"] + box["height"] > size["height"]:
            element.scroll_into_view_if_needed()
            box = element.bounding_box()
        assert box is not None, f"{where} is not shown"
        return box["x"] + box["width"] * fx, box["y"] + box["height"] * fy

    def point(self, where: Where, fx: float = 0.5, fy: float = 0.5) -> tuple[float, float]:
        """Move there, as part of another operation."""
        x, y = self.spot(where, fx, fy)
        self.page.mouse.move(x, y)
        self.page.wait_for_timeout(REST_MS / 2)
        return x, y

    def click(self, where: Where, fx: float = 0.5, fy: float = 0.5, *, modifiers: tuple[str, ...] = ()) -> None:
        x, y = self.point(where, fx, fy)
        for key in modifiers:
            self.page.keyboard.down(key)
        self.page.mouse.click(x, y)
        for key in modifiers:
            self.page.keyboard.up(key)
        self.after("click")

    def dblclick(self, where: Where, fx: float = 0.5, fy: float = 0.5) -> None:
        x, y = self.point(where, fx, fy)
        self.page.mouse.dblclick(x, y)
        self.after("dblclick")

    def hover(self, where: Where, fx: float = 0.5, fy: float = 0.5) -> None:
        """Rest on an element that shows something for it."""
        self.point(where, fx, fy)
        self.page.wait_for_timeout(450)
        self.after("hover")

    def type(self, text: str) -> None:
        self.page.keyboard.type(text, delay=KEY_MS)
        self.after("fill")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.after("press")

    def drag(self, start: Where, end: Where, *, moves: int = DRAG_MOVES, kind: str = "drag") -> None:
        x0, y0 = self.point(start)
        x1, y1 = self.spot(end)
        self.page.mouse.down()
        for move in range(1, moves + 1):
            self.page.mouse.move(x0 + (x1 - x0) * move / moves, y0 + (y1 - y0) * move / moves)
            self.page.wait_for_timeout(15)
        self.page.wait_for_timeout(REST_MS)
        self.page.mouse.up()
        self.after(kind)

    def wheel(self, where: Where, dy: float, dx: float = 0) -> None:
        self.point(where)
        self.page.mouse.wheel(dx, dy)
        self.page.wait_for_timeout(250)
        self.after("scroll")

    def after(self, kind: str) -> None:
        self.done.append(kind)
        self.page.wait_for_timeout(REST_MS)

    # Reading the page, which is no operation

    def query(self) -> str:
        return " ".join(self.page.locator("#query").inner_text().split())

    def js(self, script: str, argument: Any = None) -> Any:
        return self.page.evaluate(script, argument)

    def exact(self, selector: str, text: str, nth: int = 0) -> Locator:
        """The n-th element of the selector whose whole text is that."""
        found = self.page.locator(selector)
        for index, own in enumerate(found.all_inner_texts()):
            if own.strip() == text.strip():
                if nth == 0:
                    return found.nth(index)
                nth -= 1
        raise AssertionError(f"no {selector} says {text!r}")
