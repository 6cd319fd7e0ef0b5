"""`python -m tests.bench.clock [--inputs 40] [--loads 3] [--json FILE]`.

Each situation opens a page (as often as `--loads` says) with the script that the gateway serves, and a server that
estimates the offset as ingest does. The true time of
an input is its `timeStamp`, caught by a listener that CDP puts into an isolated world, where no page can touch a clock, and
brought to the wall clock by that world's `performance.timeOrigin`. The error of an event is its `t` minus the time
between the recording's start and that moment, both on this machine's clock.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from aiohttp import web
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from recorder import clocks
from recorder.browser import launch_options
from recorder.gateway.script import scripts, tag

WITNESS = """(() => {
  window.seen = [];
  addEventListener("keydown", (e) => {
    seen.push([e.key, performance.timeOrigin + e.timeStamp, performance.timeOrigin + performance.now(), Date.now()]);
  }, { capture: true, passive: true });
})()"""
FAKED = """<script>
const start = Date.now();
Date.now = () => start - 86400000 * 365;
performance.now = () => 7;
Object.defineProperty(Event.prototype, "timeStamp", { get: () => 1 });
</script>"""
STEPPED = """<script>
const now = Date.now;
let step = 0;
setInterval(() => { step += 3600000; }, 100);
Date.now = () => now() + step;
</script>"""
SKEWED = """<script>
const ticks = performance.now.bind(performance);
performance.now = () => ticks() * 1.5;
</script>"""
BUSY = (
    "<script>setInterval(() => { const end = performance.now() + 30; while (performance.now() < end); }, 60);</script>"
)
PAGES = {"plain": "", "skewed": SKEWED, "stepped": STEPPED, "faked": FAKED, "busy": BUSY, "background": ""}


class Server:
    """The page with the recorder, and the clock of each document as ingest keeps it."""

    def __init__(self) -> None:
        self.port = 0
        self.start = time.time()
        self.clocks: dict[str, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(ready,), daemon=True).start()
        ready.wait(10)

    def _serve(self, ready: threading.Event) -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.port = runner.addresses[0][1]
        ready.set()
        loop.run_forever()

    async def _answer(self, request: web.Request) -> web.Response:
        if script := scripts().by_path(request.path):
            return web.Response(body=script.body, content_type="text/javascript")
        if request.method == "POST":
            received = time.time()
            return self._take(await request.text(), received)
        body = PAGES.get(request.path.strip("/"), "")
        html = f"<!doctype html><html><head>{tag()}{body}</head><body><input id=t></body></html>"
        return web.Response(text=html, content_type="text/html")

    def _take(self, text: str, received: float) -> web.Response:
        head, *lines = [json.loads(line) for line in text.splitlines()]
        doc = head["docs"][0]["doc"]
        elapsed = (received - self.start) * 1000
        self.clocks[doc] = clocks.heard(self.clocks.get(doc, {}), elapsed, head["sent"], head["rtt"])
        self.events += lines
        got = [event["n"] for event in self.events if event["doc"] == doc]
        return web.json_response({"ack": {doc: max(got, default=-1)}, "refused": [], "state": "open", "tab": {}})

    def times(self) -> dict[str, float]:
        """`t` of each keydown by its key."""
        offsets = {doc: clocks.offset(clock) for doc, clock in self.clocks.items()}
        return {event["key"]: event["p"] + offsets[event["doc"]] for event in self.events if event["type"] == "keydown"}


def witness(cdp: CDPSession) -> int:
    """The id of an isolated world in which a listener notes every keydown."""
    frame = cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world: int = cdp.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "witness"})["executionContextId"]
    cdp.send("Runtime.evaluate", {"expression": WITNESS, "contextId": world})
    return world


def errors_of(browser: Browser, server: Server, name: str, inputs: int) -> list[float]:
    """Each key's error in ms over one load of a page."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/{name}")
        page.focus("#t")
        cdp = context.new_cdp_session(page)
        world = witness(cdp)
        if name == "background":
            context.new_page().bring_to_front()
        keys = [chr(0x4E00 + len(server.events) + number) for number in range(inputs)]
        press(cdp, keys)
        wait_until(lambda: set(keys) <= set(server.times()), page)
        seen = cdp.send("Runtime.evaluate", {"expression": "seen", "contextId": world, "returnByValue": True})
        times = server.times()
        errors = [times[key] - (stamp - server.start * 1000) for key, stamp, *_ in seen["result"]["value"]]
    assert len(errors) == inputs
    return errors


def press(cdp: CDPSession, keys: list[str]) -> None:
    for key in keys:
        cdp.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "text": key})
        cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})
        time.sleep(0.03)


def wait_until(holds: Callable[[], bool], page: Page) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "the events never came"
        page.wait_for_timeout(50)


def figures(errors: list[float]) -> dict[str, float]:
    """Of the absolute errors; `bias` with its sign."""
    sizes = sorted(map(abs, errors))
    return {"median": median(sizes), "p99": quantiles(sizes, n=100)[98], "max": sizes[-1], "bias": median(errors)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=40)
    parser.add_argument("--loads", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())  # type: ignore[arg-type]
        server = Server()
        for name in PAGES:
            loads = [errors_of(browser, server, name, options.inputs) for _ in range(options.loads)]
            found[name] = figures([error for load in loads for error in load])
            print(f"{name:12}" + "  ".join(f"{key} {value:6.2f} ms" for key, value in found[name].items()), flush=True)
        browser.close()
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


main()
