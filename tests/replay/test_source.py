"""What a trace file must have to be replayed, and which tab is which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recorder.replay.source import BadTrace, read_source, source_of


def trace(**parts: Any) -> dict[str, Any]:
    event = {"type": "click", "t": 1.0, "doc": "a", "n": 0, "tab": 1, "frame": "", "origin": "user"}
    step = {"type": "click", "t": 1.0, "t_end": 1.0, "raw": [0, 0], "tab": 1, "frame": "", "target": {"css": "#a"}}
    return {"schema": "footpath.trace/1", "events": [event], "steps": [step], "documents": []} | parts


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"schema": "footpath.trace/2"}, "of schema 'footpath.trace/2'; this version replays footpath.trace/1"),
        ({"steps": None}, "has no list of steps"),
        ({"events": [{"type": "click", "t": 2}, {"type": "click", "t": 1}]}, "event 1 is out of order"),
        ({"steps": [{"type": "teleport", "t": 1, "raw": [0, 0]}]}, "step 0 is of type 'teleport', which this version does not know"),
        ({"steps": [{"type": "click", "t": 1}]}, "step 0 (click) has no range 'raw'"),
        ({"steps": [{"type": "click", "t": 1, "raw": [0, 7]}]}, "made of events [0, 7], but there are 1: the file was cut"),
        ({"steps": [{"type": "click", "raw": [0, 0]}]}, "step 0 (click) has no time 't'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(BadTrace) as refused:
        source_of(trace(**parts))
    assert said in refused.value.message


def test_a_cut_file_is_said_to_be_cut(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(trace())[:-20])
    with pytest.raises(BadTrace, match="is not whole JSON"):
        read_source(file)


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
