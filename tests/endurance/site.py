"""The website that is recorded: it keeps a log of its own of what happens to it, and tells it on the console."""

from __future__ import annotations

from aiohttp import web

BUTTONS = 40
PAGE = """<!doctype html><title>Endurance</title>
<style>body{margin:0;height:3000px} button{position:absolute;width:60px;height:30px}
#t{position:absolute;left:10px;top:260px;width:600px}
#n{position:absolute;left:10px;top:300px}</style>
<body><input id=t autocomplete=off><a id=n href="/other">next</a>
<script>
for (let i = 0; i < BUTTONS; i++) {
  const b = document.createElement("button");
  b.id = "b" + i; b.textContent = i;
  b.style.left = 10 + (i % 10) * 70 + "px"; b.style.top = 10 + Math.floor(i / 10) * 50 + "px";
  document.body.append(b);
}
const say = (entry) => console.debug("truth " + JSON.stringify(entry));
say([performance.timeOrigin, "load", "", 0]);
const tell = (e, what) => e.isTrusted && (what || e.type !== "click") && say([performance.timeOrigin, e.type, what, e.timeStamp]);
let pressed = 0; // a click counts from its press
addEventListener("pointerdown", (e) => { pressed = e.timeStamp; }, true);
addEventListener("click", (e) => tell({ isTrusted: e.isTrusted, type: e.type, timeStamp: pressed }, e.target.id), true);
addEventListener("keydown", (e) => tell(e, e.key), true);
addEventListener("input", (e) => tell(e, e.target.value), true);
</script>""".replace("BUTTONS", str(BUTTONS))


def centre(button: int) -> tuple[int, int]:
    """Where a button's middle is, CSS pixels."""
    return 40 + (button % 10) * 70, 25 + button // 10 * 50


FIELD, LINK = (300, 270), (20, 308)


async def start() -> tuple[web.AppRunner, int]:
    """Serve the page at every path; returns the runner and the port."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, int(runner.addresses[0][1])
