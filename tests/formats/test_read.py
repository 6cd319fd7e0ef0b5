"""A trace file that is not whole is refused with what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recorder.errors import FootpathError
from recorder.formats.read import checked, read_trace
from recorder.formats.registry import convert
from recorder.replay.source import read_source

WIDGETS = Path(__file__).with_name("widgets.json")


def small(**changes: Any) -> dict[str, Any]:
    click = {"type": "click", "t": 1, "target": {"css": "#a", "tag": "button"}}
    trace = {
        "schema": "footpath.trace/1",
        "recording": "r",
        "documents": [],
        "events": [click, click | {"t": 2}],
        "steps": [click | {"raw": [0, 0]}],
    }
    return trace | changes


BROKEN: dict[str, tuple[Any, str]] = {
    "no object": ([], "is not a trace"),
    "another version": (small(schema="footpath.trace/2"), "footpath.trace/2; this version reads footpath.trace/1"),
    "no version": (small(schema=None), "without a schema"),
    "no steps": (small(steps=None), "no list of steps"),
    "an unknown step": (
        small(steps=[{"type": "teleport", "t": 1, "raw": [0, 0]}]),
        "step 1 is of the unknown type 'teleport'",
    ),
    "a step without a time": (small(steps=[{"type": "click", "raw": [0, 0]}]), "step 1 is not an object with a time"),
    "a step without a range": (small(steps=[{"type": "click", "t": 1}]), "step 1 has no range"),
    "a range outside": (
        small(steps=[{"type": "click", "t": 1, "raw": [1, 2]}]),
        "events 1 to 2, but there are 2: the file was cut",
    ),
    "out of order": (
        small(events=[{"type": "click", "t": 2}, {"type": "click", "t": 1}]),
        "event 1 comes before event 0",
    ),
    "an event without a time": (small(events=[{"type": "click"}]), "event 0 (click) has no time"),
}


@pytest.mark.parametrize(("document", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_wrong_is_named(document: Any, words: str) -> None:
    with pytest.raises(FootpathError) as raised:
        checked(document)
    assert raised.value.status == 400
    assert words in raised.value.message


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text(WIDGETS.read_text()[:5000])
    for read in (read_trace, read_source):
        with pytest.raises(FootpathError, match="may be cut off"):
            read(cut)
    with pytest.raises(FootpathError, match="cannot be read"):
        read_trace(tmp_path / "none.json")


def test_unknown_formats_and_options_are_refused() -> None:
    trace = checked(json.loads(WIDGETS.read_text()))
    with pytest.raises(FootpathError, match="there are: browsergym, chrome-recorder"):
        convert(trace, "selenium")
    with pytest.raises(FootpathError, match="playwright does not take pages"):
        convert(trace, "playwright", pages={})
