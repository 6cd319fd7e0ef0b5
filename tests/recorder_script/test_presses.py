"""Presses that move a little, things that follow the pointer, and fields that only look secret."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

FOLLOWS = (
    "<div role=button tabindex=0 id=b style='position:absolute;left:40px;top:80px;width:80px;height:40px'>Card</div><script>"
    "b.onpointerdown = e => { const x = e.clientX - b.offsetLeft;"
    "onpointermove = m => { b.style.left = m.clientX - x + 'px'; }; onpointerup = () => { onpointermove = null; }; };</script>"
)


def move(page: Page, x: float, y: float, dx: float) -> None:
    """Press, move by `dx` in four parts, and release."""
    page.mouse.move(x, y)
    page.mouse.down()
    for part in range(1, 5):
        page.mouse.move(x + dx * part / 4, y)
        page.wait_for_timeout(30)
    page.mouse.up()


def test_a_button_that_follows_the_pointer_was_dragged(shown: Any, page: Page, events: Any) -> None:
    shown(FOLLOWS)
    move(page, 80, 100, 200)
    (drag,) = events("drag")
    assert (drag["how"], drag["from"]["css"], drag["path"][0][:2], drag["path"][-1][:2]) == (
        "pointer", "#b", [80, 100], [280, 100],
    )  # fmt: skip


def test_a_wide_button_pressed_by_an_unsteady_hand_was_clicked(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b style='width:300px;height:60px'>Pay</button>")
    move(page, 80, 40, 40)
    (click,) = events("click")
    assert (click["target"]["css"], events("drag", least=0)) == ("#b", [])


@pytest.mark.parametrize(("dx", "told"), [(5, True), (0, False)])
def test_a_press_that_moved_a_little_keeps_its_way(shown: Any, page: Page, events: Any, dx: int, told: bool) -> None:
    shown("<button id=b style='width:300px;height:60px'>Pay</button>")
    move(page, 80, 40, dx)
    (click,) = events("click")
    assert ("path" in click) == told
    if told:
        assert (click["path"][0][:2], click["path"][-1][:2]) == ([80, 40], [85, 40])


@pytest.mark.parametrize(
    ("field", "secret"),
    [
        ("<input id=i role=combobox autocomplete=new-password>", False),
        ("<input id=i role=combobox type=password>", True),
        ("<input id=i autocomplete=new-password>", True),
        ("<input id=i role=combobox autocomplete=one-time-code>", True),
    ],
)
def test_a_searchable_list_is_no_secret(shown: Any, page: Page, events: Any, field: str, secret: bool) -> None:
    shown(field)
    page.locator("#i").click()
    page.keyboard.type("tea")
    last = events("input")[-1]
    assert (last["value"], bool(last["target"].get("secret"))) == ((3, True) if secret else ("tea", False))
