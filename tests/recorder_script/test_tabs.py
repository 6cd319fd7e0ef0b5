"""Tabs as a person has them: one in front, the others hidden; one duplicated by the browser's menu."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.recorder_script.own_chromium import Tabs, tabs
from tests.recorder_script.toy import Toy


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Tabs]:
    with tabs(tmp_path) as found:
        yield found


def until(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + 30
    while not (found := holds()):
        assert time.monotonic() < end, "it never held"
        time.sleep(0.02)
    return found


def page(name: str) -> str:
    return f"<!doctype html><html><head><title>{name}</title></head><body><button id=b>{name}</button></body></html>"


def test_going_from_tab_to_tab(window: Tabs, toy: Toy) -> None:
    toy.pages = {"/one": page("one"), "/two": page("two")}
    first = window.open(toy.url + "/one")
    until(lambda: len(toy.of("tab")) == 1)
    window.open(toy.url + "/two")
    until(lambda: len(toy.of("tab")) == 2)
    one, two = [event["doc"] for event in toy.of("tab")]
    until(lambda: [event["state"] for event in toy.of("visibility") if event["doc"] == one] == ["hidden"])
    window.front(first)
    until(lambda: len(toy.of("tab")) == 3)
    assert [
        (event["doc"], event["action"], event["origin"]) for event in toy.of("tab") if event["action"] == "switch"
    ] == [(one, "switch", "user")]
    until(lambda: {event["doc"]: event["state"] for event in toy.of("visibility")} == {one: "visible", two: "hidden"})
    assert {event["origin"] for event in toy.of("visibility")} == {"user"}


def test_a_duplicated_tab_is_a_document_of_its_own(window: Tabs, toy: Toy) -> None:
    toy.pages = {"/one": page("one")}
    first = window.open(toy.url + "/one")
    until(lambda: toy.of("tab"))
    window.run(first, "document.title = 'duplicate me'")
    until(lambda: len(window.at(toy.url + "/one")) == 2)
    until(lambda: len({event["doc"] for event in toy.of("navigate")}) == 2)
    (second,) = [tab for tab in window.at(toy.url + "/one") if tab != first]
    for tab in (first, second):
        window.run(tab, "document.querySelector('#b').click()")
    clicks = until(lambda: len(toy.of("click")) == 2 and toy.of("click"))
    assert len({event["doc"] for event in clicks}) == 2
    keys = {entry["doc"]: set(entry["tab"]["keys"]) for post in toy.posts for entry in post["docs"] if "tab" in entry}
    one, two = keys.values()
    assert one & two  # by which the server knows that the second was made of the first, which is still alive
