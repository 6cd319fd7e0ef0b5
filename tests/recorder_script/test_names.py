"""Accessible names and roles are what Chromium itself computes, on a page of awkward cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.recorder_script.toy import Toy

PAGE = Path(__file__).with_name("names.html").read_text()
# Named by the standards (accname 1.2: a row by its content; HTML-AAM: a figure by its caption), not by Chromium.
BY_THE_STANDARD = {"row": "Year 2020", "figure": "Plot"}


def computed(page: Page) -> dict[str, tuple[str, str]]:
    """(role, name) of every element with a test id, as Chromium tells assistive technology."""
    session = page.context.new_cdp_session(page)
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    found = {}
    for node in session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "[data-testid]"})["nodeIds"]:
        attributes = session.send("DOM.getAttributes", {"nodeId": node})["attributes"]
        mark = attributes[attributes.index("data-testid") + 1]
        (told, *_) = session.send("Accessibility.getPartialAXTree", {"nodeId": node, "fetchRelatives": False})["nodes"]
        found[mark] = (told.get("role", {}).get("value", ""), told.get("name", {}).get("value", ""))
    return found


def test_names_are_the_browsers_own(toy: Toy, page: Page, wait: Callable[..., Any]) -> None:
    toy.pages = {"/p": PAGE}
    page.goto(toy.url + "/p")
    expected = computed(page)
    page.evaluate("pressAll()")
    wait(lambda: {event["target"].get("testid") for event in toy.of("click")} >= set(expected))
    ours = {event["target"]["testid"]: event["target"] for event in toy.of("click") if "testid" in event["target"]}
    told = {mark: ours[mark].get("name", "") for mark in expected}
    names = {mark: " ".join(name.split()) for mark, (_, name) in expected.items()} | BY_THE_STANDARD
    assert {mark: (told[mark], name) for mark, name in names.items() if told[mark] != name} == {}
