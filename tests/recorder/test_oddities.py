"""What two readers of an event might read in two ways is refused by name, and nothing that ingest takes stops a cleaning."""

from __future__ import annotations

import json

import pytest

from recorder.cleaning.registry import CLEANERS, clean_events
from recorder.models import Event
from recorder.recordings import raw_events
from recorder.wire import read_line
from tests.recorder.test_ingest import new_recording, note, post

BEGIN = '{"doc":"d1","n":0,"p":10.5,"type":"click","origin":"user"'
REFUSED = {
    BEGIN + ',"type":"keydown"}': "the field 'type' stands twice",
    BEGIN + ',"tag":"input","type":"keydown"}': "the field 'type' stands twice",
    BEGIN + ', "origin" : "page"}': "the field 'origin' stands twice",
    BEGIN + ',"target":{"css":"#a","css":"#b"}}': "the field 'css' stands twice",
    BEGIN + ',"target":{"matches":{"css":1,"css":2}}}': "the field 'css' stands twice",
    BEGIN + ',"target":{},"x":1,"target":{"css":"#b"}}': "the field 'target' stands twice",
    BEGIN + ',"later":[{"a":1,"a":1}]}': "the field 'a' stands twice",
    BEGIN + ',"later":1e400}': "the number 1e400 is too large",
    BEGIN + ',"later":[-1E+400]}': "the number -1E+400 is too large",
    BEGIN + ',"target":{"matches":{"css":1e400}}}': "the number 1e400 is too large",
    BEGIN + ',"later":' + "9" * 400 + "}": "the number " + "9" * 20 + "… is too large",
    BEGIN + ',"x":1e305}': "the number 1e305 is too large",
    BEGIN + ',"later":' + "[" * 300 + "]" * 300 + "}": "there is something within more than 100 lists or objects",
    BEGIN.replace("click", "drag") + ',"path":[1]}': "path must be a list of points",
}
TAKEN = (
    BEGIN + ',"text":"it says \\"type\\":, \\"type\\":"}',
    BEGIN + ',"target":{"tag":"input","type":"text","matches":{"css":1}},"later":{"type":1}}',
    BEGIN + ',"later":' + "[" * 90 + "]" * 90 + "}",
    BEGIN + ',"later":123456789012345678901234567890}',
    BEGIN.replace('"n":0', '"n":0.0') + "}",
    BEGIN + ',"t":"no","tab":{},"t_end":"no","raw":1}',
    BEGIN.replace("click", "scroll") + ',"dx":1e299,"dy":-1e299}',
)


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line: str) -> None:
    read = read_line(line)
    assert (read.code, read.reason, read.doc, read.n) == ("schema", REFUSED[line], "d1", 0)


@pytest.mark.django_db
@pytest.mark.parametrize("line", TAKEN)
def test_taken_and_cleaned(line: str) -> None:
    recording = new_recording()
    assert post(recording, line, docs=[note(last=0)]).stored == 1
    assert Event.objects.get().body == line
    for cleaner in CLEANERS:
        result = clean_events(raw_events(recording), cleaner)
        assert len(result.events) == 1
        json.dumps([result.cleaned, result.steps], allow_nan=False)
