"""Events as a table say what they say parsed one by one, whatever a page wrote; and nearly none has to be parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.cleaning.order import ordered
from recorder.columns import proofs_of, rounded, table_of
from recorder.held import Stored, held_of, stored_of
from recorder.models import Document, Recording
from recorder.recordings import assemble
from tests.recorder.test_held import recorded
from tests.recorder.test_ingest import new_recording

BEGIN = '{"doc":"d1","n":0,"p":10.5,"type":"click","origin":"user"'
ODD = (
    BEGIN + "}",
    BEGIN + ',"x":1,"t":5,"tab":9}',
    BEGIN + ',"x":1,"t_end":"no","raw":[]}',
    BEGIN + ',"x":1, "t" :5, "tab"\t:9}',
    BEGIN + ',"x":' + "[" * 300 + "]" * 300 + ',"t":1}',
    BEGIN + ',"frame":"0.1"}',
    BEGIN + ',"text":"\\ud83d"}',
    BEGIN + ',"text":"caf\\u00e9 \\u0000"}',
    BEGIN + ',"target":{"tag":"input","type":"text","css":"#a"},"x":2}',
    BEGIN + ',"text":"a \\"type\\":\\"b\\", {,} and ,"}',
    '{"n":0,"doc":"d1","p":10,"type":"click","origin":"page","x":1}',
    '{"doc":"d1","n":0.0,"p":1e1,"type":"click","origin":"user","x":1.50}',
    '{"doc":"d1","n":0,"p":10,"type":"dialog","origin":"user","kind":"prompt","opened":3.5}',
    '{"doc":"d1","n":0,"p":-0.04,"type":"click","origin":"user","x":"\u2028 \U0001f600"}',
    ' {"doc":"d1","n":0,"p":10,"type":"click","origin":"user","x":1} ',
)


def stored(*lines: str, offset: float = 1000.26, frame: str = "") -> Stored:
    recording = Recording(pk=1, key="k")
    page = Document(
        pk=7, recording=recording, doc="d1", tab=2, frame=frame, offset_ms=offset, received=-1, last=len(lines) - 1
    )
    return Stored([recording], {1: [page]}, {}, {}, {7: "\n".join(lines)})


def told(events: Stored) -> list[dict[str, Any]]:
    """The events of the table; what its other columns say is what the events say."""
    table = table_of(events)
    found = [json.loads(text) for text in table["event"]]
    for column in ("doc", "t", "tab", "frame", "type", "origin"):
        assert table[column].to_list() == [event[column] for event in found], column
    return found


@pytest.mark.parametrize("line", ODD)
@pytest.mark.parametrize("frame", ["", 'a "frame" \u00e9'])
def test_it_says_what_the_parsed_event_says(line: str, frame: str) -> None:
    events = stored(line, frame=frame)
    assert told(events) == [assemble(line, events.documents[1][0])]


def test_a_page_does_not_say_where_in_the_recording_it_was() -> None:
    (event,) = told(stored(ODD[1]))
    assert (event["t"], event["tab"]) == (1010.8, 2)


clocks = st.one_of(st.decimals(-(10**9), 10**9, places=1).map(float), st.floats(-1e11, 1e11))


@settings(max_examples=300, deadline=None)
@given(st.lists(clocks, min_size=1, max_size=5), clocks)
def test_times_are_those_of_one_by_one(times: list[float], offset: float) -> None:
    lines = [
        f'{{"doc":"d1","n":{n},"p":{json.dumps(p)},"type":"click","origin":"user","x":1}}' for n, p in enumerate(times)
    ]
    events = stored(*lines, offset=offset)
    assert told(events) == ordered([assemble(line, events.documents[1][0]) for line in lines])


middles = st.integers(-(10**9), 10**9).map(lambda n: (n + 0.5) / 10)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.one_of(clocks, middles, st.floats(-1e300, 1e300), st.sampled_from([0.0, -0.0, -0.04, 0.25])), max_size=9
    )
)
def test_many_times_are_rounded_as_python_rounds_one(times: list[float]) -> None:
    assert list(map(repr, rounded(pl.Series(times, dtype=pl.Float64)))) == [repr(round(one, 1)) for one in times]


def test_nearly_no_line_of_the_recorder_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr("recorder.columns.assemble", lambda line, page: parsed.append(line) or assemble(line, page))
    trace = json.loads((Path(__file__).parents[1] / "formats" / "widgets.json").read_text())
    lines = []
    for event in trace["events"]:
        rest = {name: value for name, value in event.items() if name not in ("doc", "n", "t", "tab", "frame")}
        place = {"doc": "d1", "n": len(lines), "p": event["t"]}
        lines.append(json.dumps(place | rest, ensure_ascii=False, separators=(",", ":")))
    assert len(told(stored(*lines))) == len(lines) > 100
    assert [json.loads(line)["type"] for line in parsed] == ["dialog"]


@pytest.mark.django_db
def test_it_is_what_is_held_of_each_recording() -> None:
    mine = [recorded(), new_recording(), recorded()]
    mine.reverse()
    found = stored_of(mine)
    table = table_of(found)
    proofs = proofs_of(found, table)
    for held in held_of(mine):
        texts = table.filter(table["recording"] == held.recording.pk)["event"]
        assert [json.loads(text) for text in texts] == ordered(held.events)
        assert proofs[held.recording.pk] == held.proof
        assert found.opened(held.recording) == held.documents
    assert list(dict.fromkeys(table["recording"])) == [one.pk for one in mine if one.events.exists()]


def test_nothing_stored_is_a_table_without_rows() -> None:
    assert table_of(Stored([], {}, {}, {}, {})).height == 0
