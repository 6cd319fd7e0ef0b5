"""The driven pages, and the hands that drive them: low-level inputs by CDP, the same for every recorder."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

LONG_TASKS = """<script>
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((e) => e.duration)))
  .observe({ type: "longtask", buffered: true });
</script>"""

FORM = """<form onsubmit="return false"><h1>Order</h1>
<label>Name <input id=a name=name></label> <label>Street <input id=b name=street></label>
<label>Note <textarea id=c name=note rows=3></textarea></label>
<label>Size <select id=d><option>Small<option>Large</select></label>
<label><input type=checkbox id=e> Gift</label> <label><input type=radio name=r id=f> Fast</label>
<button id=g>Send</button></form>"""

TABLE = """<button id=g>Sort</button><table id=t></table><script>
let turn = 0;
const rebuild = () => {
  let html = "";
  for (let i = 0; i < 10000; i++) html += `<tr class=row><td>${i + turn}</td><td>Person ${i}</td><td><button>Delete</button></td></tr>`;
  t.innerHTML = html;
  turn++;
};
g.onclick = rebuild;
rebuild();
</script>"""

CANVAS = """<canvas id=k width=1000 height=600 style="border:1px solid"></canvas><script>
const pen = k.getContext("2d");
k.onpointermove = (e) => { if (e.buttons) { pen.lineTo(e.offsetX, e.offsetY); pen.stroke(); } };
k.onpointerdown = (e) => { pen.beginPath(); pen.moveTo(e.offsetX, e.offsetY); };
</script>"""

CHAT = """<input id=a aria-label=Message style="position:fixed;top:4px;left:4px">
<button id=g style="position:fixed;top:4px;left:240px">Send</button>
<div id=log style="margin-top:40px;height:560px;overflow:auto"></div><script>
const say = (who) => { const p = document.createElement("p"); p.className = who; log.append(p); return p; };
g.onclick = () => { say("me").textContent = a.value; a.value = ""; };
let bot = say("bot"), words = 0;
setInterval(() => {
  bot.append("word" + words + " ");
  if (++words % 60 === 0) bot = say("bot");
  log.scrollTop = log.scrollHeight;
}, 16);
</script>"""

BOXES = """() => Object.fromEntries([...document.querySelectorAll('[id]')].map((e) => {
  const b = e.getBoundingClientRect();
  return [e.id, [b.x + Math.min(b.width, 400) / 2, b.y + Math.min(b.height, 40) / 2]];
}))"""

HTML = {"form": FORM, "table": TABLE, "canvas": CANVAS, "chat": CHAT}


class Hands:
    """Mouse and keyboard of one page; every input waits `pace` seconds after the one before."""

    def __init__(self, send: Callable[..., Any], boxes: dict[str, tuple[float, float]], pace: float = 0.016) -> None:
        self.send, self.boxes, self.pace = send, boxes, pace
        self.at = (600.0, 300.0)

    def mouse(self, kind: str, at: tuple[float, float], buttons: int = 0, **more: Any) -> None:
        self.send("Input.dispatchMouseEvent", {"type": kind, "x": at[0], "y": at[1], "buttons": buttons, **more})
        self.at = at
        time.sleep(self.pace)

    def go(self, to: tuple[float, float], steps: int = 12, buttons: int = 0) -> None:
        x, y = self.at
        for step in range(1, steps + 1):
            part = step / steps
            self.mouse("mouseMoved", (x + (to[0] - x) * part, y + (to[1] - y) * part), buttons)

    def click(self, ident: str) -> None:
        self.go(self.boxes[ident])
        for kind, buttons in (("mousePressed", 1), ("mouseReleased", 0)):
            self.mouse(kind, self.at, buttons, button="left", clickCount=1)

    def type(self, text: str) -> None:
        for letter in text:
            self.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": letter, "text": letter})
            self.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": letter})
            time.sleep(self.pace)


def drive_form(hands: Hands) -> None:
    for ident, text in (
        ("a", "Ada Lovelace"),
        ("b", "12 St James's Square"),
        ("c", "Leave it with the neighbour, please."),
    ):
        hands.click(ident)
        hands.type(text)
    for ident in ("e", "f", "g"):
        hands.click(ident)
    hands.go((900, 500), 40)


def drive_table(hands: Hands) -> None:
    for _ in range(3):
        hands.click("g")
        hands.go((300, 500), 20)


def drive_canvas(hands: Hands) -> None:
    for line in range(6):
        hands.go((100, 100 + line * 60), 4)
        hands.mouse("mousePressed", hands.at, 1, button="left", clickCount=1)
        hands.go((900, 160 + line * 50), 60, buttons=1)
        hands.mouse("mouseReleased", hands.at, 0, button="left", clickCount=1)


def drive_chat(hands: Hands) -> None:
    for text in ("How long is the Thames?", "And the Seine?"):
        hands.click("a")
        hands.type(text)
        hands.click("g")
        hands.go((500, 400), 60)


DRIVES: dict[str, Callable[[Hands], None]] = {
    "form": drive_form, "table": drive_table, "canvas": drive_canvas, "chat": drive_chat,
}  # fmt: skip
