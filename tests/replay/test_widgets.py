"""The browser's own widgets and a page's structures, each recorded by real input and replayed to the same state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recorder.harness.drive import Player
from tests.replay.conftest import faults

pytestmark = pytest.mark.e2e
Drive = list[dict[str, Any]]


@dataclass
class Widget:
    """A page (and others beside it), what is done on it, and the script whose value must come out the same."""

    html: str
    drive: Drive
    state: str
    others: dict[str, str] = field(default_factory=dict)


TALL = "<div style='height:1500px'></div>"
WIDGETS = {
    "select": Widget(
        "<select id=s><option>one<option>two<option>three</select>",
        [{"do": "focus", "at": "#s"}, {"do": "press", "key": "ArrowDown"}, {"do": "press", "key": "ArrowDown"}],
        "s.value",
    ),
    "multiple list": Widget(
        "<select id=s multiple size=4><option>one<option>two<option>three<option>four</select>",
        [{"do": "click", "at": "#s option:nth-of-type(2)"}],
        "[...s.selectedOptions].map(o => o.label).join()",
    ),
    "file": Widget(
        "<input type=file id=f onchange='t.textContent = f.files[0].name + f.files[0].size'><p id=t></p>",
        [{"do": "upload", "at": "#f@0.1,0.5", "files": ["note.txt"]}],
        "t.textContent",
        {"note.txt": "hello"},
    ),
    "date": Widget(
        "<input type=date id=d>",
        [{"do": "click", "at": "#d@0.08,0.5"}, {"do": "type", "text": "07142024"}],
        "d.value",
    ),
    "range": Widget(
        "<input type=range id=r style='width:300px'>",
        [{"do": "drag", "from": "#r@0.5,0.5", "to": "#r@0.8,0.5"}],
        "r.value",
    ),
    "range by keys": Widget(
        "<input type=range id=r style='width:300px'>",
        [{"do": "focus", "at": "#r"}] + [{"do": "press", "key": "ArrowRight"}] * 3,
        "r.value",
    ),
    "contenteditable": Widget(
        "<div contenteditable id=e style='min-height:60px;border:1px solid'></div>",
        [
            {"do": "click", "at": "#e"}, {"do": "type", "text": "grey"}, {"do": "press", "key": "Backspace"},
            {"do": "press", "key": "Backspace"}, {"do": "type", "text": "een tea"},
        ],
        "e.innerText.trim()",
    ),
    "composition": Widget(
        "<input id=i>",
        [{"do": "click", "at": "#i"}, {"do": "ime", "compositions": ["か", "かん"], "commit": "漢字"}],
        "i.value",
    ),
    "pointer drag": Widget(
        "<div id=b style='position:absolute;left:20px;top:80px;width:60px;height:60px;background:teal'></div><script>"
        "b.onpointerdown = e => { b.setPointerCapture(e.pointerId); const x = e.clientX - b.offsetLeft;"
        "b.onpointermove = m => { b.style.left = m.clientX - x + 'px'; }; b.onpointerup = () => { b.onpointermove = null; }; };"
        "</script>",
        [{"do": "drag", "from": "#b", "to": [350, 110]}],
        "b.style.left",
    ),
    "hover menu of a script": Widget(
        "<span id=m>Menu</span><div id=p hidden style='position:absolute;left:200px;top:100px'><button id=o>Go</button></div><script>"
        "let due; m.onmouseenter = () => { due = setTimeout(() => { p.hidden = false; }, 150); };"
        "m.onmouseleave = () => clearTimeout(due); o.onclick = () => { document.title = 'gone'; };</script>",
        [{"do": "move", "at": [600, 500]}, {"do": "move", "at": "#m"}, {"do": "wait", "ms": 500}, {"do": "click", "at": "#o"}],
        "document.title",
    ),
    "prompt": Widget(
        "<button id=b onclick='t.textContent = prompt(\"Name?\")'>Ask</button><p id=t></p>",
        [{"do": "dialogs", "answers": ["Ada"]}, {"do": "click", "at": "#b"}],
        "t.textContent",
    ),
    "new tab": Widget(
        "<a id=a href=other.html target=_blank>Other</a>",
        [{"do": "click", "at": "#a"}, {"do": "tab", "index": 1}, {"do": "click", "at": "#i"}, {"do": "type", "text": "there"}],
        "document.querySelector('#i').value",
        {"other.html": "<title>other</title><input id=i>"},
    ),
    "there and back between tabs": Widget(
        "<a id=a href=other.html target=_blank>Other</a><input id=h>",
        [
            {"do": "click", "at": "#a"}, {"do": "tab", "index": 1}, {"do": "click", "at": "#i"}, {"do": "type", "text": "x"},
            {"do": "tab", "index": 0}, {"do": "click", "at": "#h"}, {"do": "type", "text": "y"},
        ],
        "window.opener ? opener.h.value : document.querySelector('#i').value",
        {"other.html": "<title>other</title><input id=i>"},
    ),
    "frame in a frame": Widget(
        "<iframe></iframe><iframe src=outer.html style='width:500px;height:300px'></iframe>",
        [
            {"do": "click", "at": "iframe:nth-of-type(2) >> iframe >> #i"}, {"do": "type", "text": "deep"},
        ],
        "frames[1].frames[0].document.querySelector('#i').value",
        {"outer.html": "<p>outer</p><iframe src=inner.html></iframe>", "inner.html": "<p>inner</p><input id=i>"},
    ),
    "shadow root in a shadow root": Widget(
        "<x-one></x-one><script>const make = (name, html) => customElements.define(name, class extends HTMLElement {"
        "constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; } });"
        "make('x-two', '<button>Buy</button><output></output>'); make('x-one', '<p>one</p><x-two></x-two>');"
        "const two = document.querySelector('x-one').shadowRoot.querySelector('x-two').shadowRoot;"
        "two.querySelector('button').onclick = () => { document.title = 'bought'; };</script>",
        [{"do": "click", "at": "x-one >> x-two >> button"}],
        "document.title",
    ),
    "scroll in a scroller": Widget(
        "<div id=a style='height:300px;overflow:auto;width:400px'><p>top</p>"
        f"<div id=b style='height:150px;overflow:auto'>{TALL}</div>{TALL}</div>",
        [{"do": "wheel", "at": "#b", "dy": 300}, {"do": "wait", "ms": 600}, {"do": "wheel", "at": [50, 40], "dy": 240}],
        "[a.scrollTop, b.scrollTop].join()",
    ),
    "rows that are alike": Widget(
        "<ul>" + "".join(f"<li>{name} <button>Delete</button></li>" for name in ("Tea", "Rice", "Salt")) + "</ul><script>"
        "document.querySelector('ul').onclick = e => { if (e.target.tagName === 'BUTTON') e.target.closest('li').remove(); };</script>",
        [{"do": "click", "at": "li:nth-of-type(2) button"}],
        "document.querySelector('ul').innerText",
    ),
    "late and moving": Widget(
        "<style>#b { position: relative }</style><div id=h></div><script>setTimeout(() => {"
        "h.innerHTML = '<button id=b disabled>Pay</button>';"
        "let x = 0; const go = setInterval(() => { b.style.left = (x += 8) + 'px';"
        "if (x > 120) { clearInterval(go); b.disabled = false; } }, 16);"
        "b.onclick = () => { document.title = 'paid'; }; }, 700);</script>",
        [{"do": "wait_for", "css": "#b:enabled"}, {"do": "click", "at": "#b"}],
        "document.title",
    ),
    "copy by selection": Widget(
        "<p id=p>alpha beta</p><input id=i>",
        [
            {"do": "drag", "from": "#p@0.0005,0.5", "to": [400, 30]}, {"do": "press", "key": "Control+c"},
            {"do": "click", "at": "#i"}, {"do": "press", "key": "Control+v"},
        ],
        "i.value",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDGETS)
def test_widget(name: str, lab: Callable[[], Any], tmp_path: Path) -> None:
    widget = WIDGETS[name]
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8><title>page</title><body>{widget.html}")
    for other, text in widget.others.items():
        (tmp_path / other).write_text(text)
    with lab() as there:
        trace = there.record(widget.drive)
        before = state_by_driving(there, widget)
        replay, (after,) = there.replay(trace, [widget.state], files=tmp_path)
    assert [line for line in faults(replay) if "healed" not in line] == []
    assert replay.played
    assert after == before


def state_by_driving(there: Any, widget: Widget) -> Any:
    """What the same drive gives on the bare page."""
    context = there.chromium.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(f"{there.origin}/page.html")
    player = Player(page, files=there.folder)
    player.play(widget.drive)
    page.wait_for_timeout(200)
    value = context.pages[-1].evaluate(widget.state)
    context.close()
    return value
