"""What each format makes of one recorded trace with every kind of step, and what it says it cannot hold."""

from __future__ import annotations

import ast
import json
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from playwright._impl._driver import compute_driver_executable

from recorder.formats.base import Converted, Trace
from recorder.formats.chrome_recorder import press
from recorder.formats.read import read_trace
from recorder.formats.registry import FORMATS, convert, sidecar
from recorder.trace_file import STEP_TYPES

HERE = Path(__file__).parent
# BrowserGym's high-level actions and how many arguments each takes at most.
ACTIONS = {
    "mouse_click": 3, "mouse_dblclick": 3, "mouse_move": 2, "mouse_drag_and_drop": 4, "keyboard_press": 1, "keyboard_type": 1,
    "keyboard_insert_text": 1, "keyboard_down": 1, "keyboard_up": 1, "scroll": 2, "goto": 1, "go_back": 0, "go_forward": 0,
    "tab_focus": 1, "tab_close": 0, "noop": 1, "click": 3, "dblclick": 3, "fill": 2, "press": 2, "select_option": 2, "check": 1,
    "uncheck": 1, "hover": 1, "upload_file": 2, "drag_and_drop": 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def trace() -> Trace:
    return read_trace(HERE / "widgets.json")


def lines(done: Converted) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.text.splitlines()]


def test_the_trace_has_most_kinds_of_steps(trace: Trace) -> None:
    kinds = {step["type"] for step in trace.steps}
    assert kinds >= STEP_TYPES - {"check", "paste", "hover", "goto", "forward", "reload", "wait"}


@pytest.mark.parametrize("name", FORMATS)
def test_times_are_in_the_text_or_in_the_sidecar(name: str, trace: Trace) -> None:
    done = convert(trace, name)
    beside = sidecar(trace, name, done)
    assert done.text
    if not FORMATS[name].holds_times:
        assert [(step["step"], step["t"]) for step in beside["steps"]] == [
            (n, s["t"]) for n, s in enumerate(trace.steps, 1)
        ]


def in_frame(offset: list[int] | None) -> Trace:
    target = {"tag": "button", "css": "#b", "box": [10, 20, 30, 10]} | ({"offset": offset} if offset else {})
    drag = {"type": "drag", "from": target, "to": target, "path": [[12, 22, 0], [50, 60, 90]]}
    steps = [{"type": "click", "target": target, "x": 15.5, "y": 25}, drag]
    common = {"t": 1, "t_end": 2, "tab": 1, "frame": "0", "raw": [0, 0]}
    steps = [common | step for step in steps]
    return Trace({"events": [], "recording": "r", "task": "t", "steps": steps}, steps)


@pytest.mark.parametrize("name", ["browsergym", "componentbench"])
def test_coordinates_in_a_frame_are_those_of_the_tab(name: str) -> None:
    done = convert(in_frame([100, 200]), name)
    said = done.text.replace("'", '"')
    assert all(word in said for word in ("115.5", "225", "112", "222", "150", "260"))
    assert done.notes == []


@pytest.mark.parametrize("name", ["browsergym", "componentbench"])
def test_where_a_frame_lies_is_said_to_be_unknown_where_it_is(name: str) -> None:
    done = convert(in_frame(None), name)
    assert [lost["frame"] for lost in done.lost.values()] == ["0", "0"]
    assert ["another origin" in note for note in done.notes] == [True]


def test_browsergym_actions_are_calls_of_its_action_set(trace: Trace) -> None:
    done = convert(trace, "browsergym")
    for line in lines(done):
        for action in line["coordinate"]:
            parsed = ast.parse(action, mode="eval").body
            assert isinstance(parsed, ast.Call)
            assert isinstance(parsed.func, ast.Name)
            assert len(parsed.args) + len(parsed.keywords) <= ACTIONS[parsed.func.id], action
        assert line["bid"] is None
        assert line["coordinate"] or "operation" in done.lost[line["step"]]
    by_type = {line["type"]: line["coordinate"] for line in lines(done)}
    assert by_type["drag"] == ["mouse_drag_and_drop(33, 147, 54, 217)"]
    assert by_type["contextmenu"] == ["mouse_click(640.0, 40.0, button='right')"]
    assert by_type["set_value"] == ["mouse_click(744.0, 108.0)"]
    assert by_type["dialog"] == by_type["upload"] == []


def node(bid: str, role: str, name: str) -> dict[str, Any]:
    return {"browsergym_id": bid, "role": {"value": role}, "name": {"value": name}}


def test_browsergym_bids_come_from_the_observation(trace: Trace) -> None:
    nodes = [
        node("7", "textbox", "Name"),
        node("9", "combobox", "Size"),
        node("1", "button", "Ask"),
        node("2", "button", "Ask"),
    ]
    done = convert(trace, "browsergym", observations=[{"axtree_object": {"nodes": nodes}}])
    bids = {(line["step"], line["type"]): line["bid"] for line in lines(done)}
    assert bids[(1, "click")] == "click('7', button='left', modifiers=[])"
    assert bids[(2, "fill")] == "fill('7', 'Ann Lee')"
    assert bids[(6, "select_option")] == "select_option('9', ['M'])"
    assert bids[(10, "click")] is None
    assert "no single element" in done.lost[10]["bid"]


def test_chrome_recorder_files_are_read_by_its_own_library(trace: Trace, tmp_path: Path) -> None:
    done = convert(trace, "chrome-recorder")
    (tmp_path / "flow.json").write_text(done.text)
    library = HERE / "puppeteer_replay" / "main.mjs"
    program = (
        f"import {{ parse }} from {json.dumps(library.as_uri())};\n"
        "import { readFileSync } from 'fs';\n"
        "process.stdout.write(JSON.stringify(parse(JSON.parse(readFileSync(process.argv[2])))));\n"
    )
    (tmp_path / "parse.mjs").write_text(program)
    node_program, _ = compute_driver_executable()
    ran = subprocess.run(
        [node_program, tmp_path / "parse.mjs", tmp_path / "flow.json"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == json.loads(done.text)
    kinds = [step["type"] for step in json.loads(done.text)["steps"]]
    assert kinds[:4] == ["setViewport", "navigate", "click", "change"]
    inner = next(step for step in json.loads(done.text)["steps"] if step.get("frame"))
    assert (inner["frame"], inner["selectors"][0]) == ([0], ['aria/Inner[role="button"]'])
    assert {trace.steps[number - 1]["type"] for number, lost in done.lost.items() if "operation" in lost} == {
        "upload",
        "dialog",
        "drag",
        "tab",
        "back",
    }


@pytest.mark.parametrize(
    ("key", "downs"),
    [
        ("Enter", ["Enter"]),
        ("Control+a", ["Control", "a"]),
        ("Space", [" "]),
        ("+", ["+"]),
        ("Control++", ["Control", "+"]),
    ],
)
def test_chords_as_chromes_keys(key: str, downs: list[str]) -> None:
    made = press(key)
    assert [step["key"] for step in made if step["type"] == "keyDown"] == downs
    assert sorted(step["key"] for step in made if step["type"] == "keyUp") == sorted(downs)


def test_mind2web_has_the_page_before_each_action_only_where_it_was_kept(trace: Trace) -> None:
    done = convert(trace, "mind2web", pages={2: "<p>before</p><script>x</script><!-- y -->"})
    document = json.loads(done.text)
    typed = document["actions"][1]
    assert typed["operation"] == {"op": "TYPE", "original_op": "TYPE", "value": "Ann Lee"}
    assert (typed["raw_html"], typed["cleaned_html"]) == ("<p>before</p><script>x</script><!-- y -->", "<p>before</p>")
    assert document["actions"][0]["raw_html"] is None
    assert "raw_html" in done.lost[1]
    assert "raw_html" not in done.lost[2]
    assert document["action_reprs"][:2] == ["[textbox]  Name -> CLICK", "[textbox]  Name -> TYPE: Ann Lee"]
    assert "[combobox]  Size -> SELECT: M" in document["action_reprs"]
    assert len(document["actions"]) == len(document["action_reprs"])


def test_componentbench_rows(trace: Trace) -> None:
    meta, *rows = lines(convert(trace, "componentbench"))
    assert (meta["row"], meta["status"], meta["normalized_steps"], meta["had_resets"]) == (
        "meta",
        None,
        len(rows),
        False,
    )
    assert [row["i"] for row in rows] == list(range(len(rows)))
    assert rows[1] | {"target": None} == {
        "row": "step", "i": 1, "t_ms": 1113, "t_ms_end": 1457, "type": "type", "text": "Ann Lee", "target": None,
    }  # fmt: skip
    assert next(row["drag"] for row in rows if row["type"] == "drag") == {
        "x1": 33,
        "y1": 147,
        "x2": 54,
        "y2": 217,
        "steps": 2,
    }
    assert rows[2]["key"] == "Ctrl+C"


def test_the_lines_for_people(trace: Trace) -> None:
    said = [line["do"] for line in lines(convert(trace, "human-jsonl"))]
    assert said[:2] == ["click the textbox 'Name'", "type 'Ann Lee' into the textbox 'Name'"]
    assert "answer the prompt 'who?' with 'bob'" in said
    assert "drag the div 'drag' to the div 'here'" in said


def test_secrets_are_asked_for_never_written(trace: Trace) -> None:
    secret = json.loads(json.dumps(trace.document))
    secret["steps"] = [dict(secret["steps"][1], value=7, target=secret["steps"][1]["target"] | {"secret": True})]
    hidden = Trace(secret, secret["steps"])
    assert 'fill(secret("STEP_1"))' in convert(hidden, "playwright").text
    assert "type 7 hidden characters into" in lines(convert(hidden, "human-jsonl"))[0]["do"]
    assert convert(hidden, "chrome-recorder").lost[1]["secret"] == 7
    assert lines(convert(hidden, "browsergym"))[0]["coordinate"][-1] == "keyboard_press('Delete')"


def test_the_command_writes_the_sidecar_and_says_what_it_holds(tmp_path: Path) -> None:
    out, errors = tmp_path / "flow.json", StringIO()
    call_command("convert_trace", str(HERE / "widgets.json"), to="chrome-recorder", out=out, stderr=errors)
    beside = json.loads((tmp_path / "flow.json.sidecar.json").read_text())
    assert beside["format"] == "chrome-recorder"
    assert beside["steps"][11]["operation"]["path"]
    assert "Not held by chrome-recorder: operation of 5 steps, times of 22 steps" in errors.getvalue()
    assert "no step for drags" in errors.getvalue()


def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "o.json").write_text("[]")
    with pytest.raises(CommandError, match="an observation is an object with"):
        call_command("convert_trace", str(HERE / "widgets.json"), to="browsergym", observation=tmp_path / "o.json")
    with pytest.raises(CommandError, match="is no folder"):
        call_command("convert_trace", str(HERE / "widgets.json"), to="mind2web", pages=tmp_path / "none")
    with pytest.raises(CommandError, match="does not take pages"):
        call_command("convert_trace", str(HERE / "widgets.json"), to="playwright", pages=tmp_path)
