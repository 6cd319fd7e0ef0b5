"""What is too long is cut, and where a text of the person's is, the trace says so; of several roles the first that is known counts."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page


def test_long_texts_and_addresses_are_cut(shown: Any, page: Page, events: Any) -> None:
    shown("<textarea id=a></textarea><input id=b>")
    page.locator("#a").click()
    page.keyboard.insert_text("x" * 20_001)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    page.locator("#b").click()
    page.keyboard.insert_text("y" * 20_000)
    page.evaluate("history.pushState({}, '', '?' + 'z'.repeat(66000))")
    assert len(events("navigate", least=2)[1]["url"]) == 4000
    assert [len(event["value"]) for event in events("input", least=2)] == [20_000, 20_000]
    assert len(events("copy")[0]["text"]) == 20_000
    cut = [(event["reason"], event["target"]["css"]) for event in events("blind")]
    assert cut == [("long text", "#a")]


def test_several_roles(shown: Any, page: Page, events: Any) -> None:
    shown("<div id=a tabindex=0 role='none button'>Go</div><div id=b tabindex=0 role=' Switch checkbox'>On</div>"
          "<div id=c tabindex=0 role='somewhat link'>On</div><div id=d tabindex=0 role=tablist>On</div>")  # fmt: skip
    for name in "abcd":
        page.locator("#" + name).click()
    assert [event["target"]["role"] for event in events("click", least=4)] == ["button", "switch", "link", "tablist"]
