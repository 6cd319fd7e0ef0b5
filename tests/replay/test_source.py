"""What a trace file must have to be replayed, and which tab is which."""

from __future__ import annotations

from typing import Any

from recorder.replay.source import source_of


def trace(**parts: Any) -> dict[str, Any]:
    event = {"type": "click", "t": 1.0, "doc": "a", "n": 0, "tab": 1, "frame": "", "origin": "user"}
    step = {"type": "click", "t": 1.0, "t_end": 1.0, "raw": [0, 0], "tab": 1, "frame": "", "target": {"css": "#a"}}
    return {"schema": "footpath.trace/1", "events": [event], "steps": [step], "documents": []} | parts


def document(doc: str, tab: int, opened: float, closed: float | None) -> dict[str, Any]:
    return {"doc": doc, "tab": tab, "frame": "", "url": "http://x.test/", "opened": opened, "closed": closed}


def opening(tab: int, t: float) -> dict[str, Any]:
    return {"type": "tab", "action": "open", "t": t, "tab": tab}


def test_a_page_that_never_opened_a_tab_is_in_the_tab_it_followed() -> None:
    documents = [
        document("a", 1, 0, 50),
        document("b", 1, 60, 90),
        document("c", 2, 95, None),
        document("d", 3, 120, None),
    ]
    source = source_of(trace(documents=documents, events=[opening(1, 0), opening(3, 120)], steps=[]))
    assert [source.tab(number) for number in (1, 2, 3)] == [1, 1, 2]
