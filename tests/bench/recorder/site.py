"""Serves the pages without a recorder, with Footpath's, its capture too, rrweb's or next to none, and counts what each sends."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
import threading
import zlib
from pathlib import Path
from typing import Any

from aiohttp import web

from recorder.capture import script as capturing
from recorder.gateway.script import EVENTS, scripts, sources, tag
from tests.bench.recorder.pages import HTML, LONG_TASKS
from tests.posted import Reader

RECORDERS = ("none", "listeners", "raw", "footpath", "captured", "rrweb")
# What cannot be gone below: a passive listener for each type of event that Footpath's recorder hears, which does nothing;
# and such as note what happened where and hand that to a worker every 300 ms, without a look at the page, safety or masks.
HEARD = sorted(
    {name for path in sources() for name in re.findall(r"^handlers\.(\w+) =", path.read_text(), re.MULTILINE)}
)
LISTENERS = f"""<script>
for (const type of {json.dumps(HEARD)}) addEventListener(type, (e) => {{}}, {{ capture: true, passive: true }});
</script>"""
RAW = f"""<script>
(() => {{
  const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = () => setTimeout(() => postMessage(0), 300)"])));
  let noted = [], waiting = false;
  const hand = () => {{ waiting = true; worker.postMessage(noted); noted = []; }};
  worker.onmessage = () => {{ waiting = false; if (noted.length) hand(); }};
  for (const type of {json.dumps(HEARD)}) addEventListener(type, (e) => {{
    const {{ id, tagName: tag, value }} = e.target;
    noted.push({{ type, at: e.timeStamp, tag, id, x: e.clientX, y: e.clientY, key: e.key, value: type === "input" ? value : 0 }});
    if (!waiting) hand();
  }}, {{ capture: true, passive: true }});
}})();
</script>"""
# As its own documentation starts it; the events leave the page as ours do: 200 ms after the first, as lines of JSON.
RRWEB = """<script src="/rrweb.js"></script><script>
(() => {
  let lines = [];
  const post = () => { fetch("/events", { method: "POST", body: lines.join("\\n") }); lines = []; };
  rrwebRecord.record({ emit(event) { if (lines.push(JSON.stringify(event)) === 1) setTimeout(post, 200); } });
})();
</script>"""


def install_rrweb(folder: Path) -> tuple[str, bytes]:
    """Version and minified bundle of rrweb's current recorder, from npm into `folder`."""
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "@rrweb/record"]
    subprocess.run(npm, check=True, capture_output=True)
    home = folder / "node_modules" / "@rrweb" / "record"
    version = json.loads((home / "package.json").read_text())["version"]
    return version, (home / "dist" / "record.umd.min.cjs").read_bytes()


class Site:
    """`/<page>/<recorder>` on loopback in a thread; `sent` counts the bytes of what a recorder posted.

    `stream`: what they would be if all posts of a page were one packed stream, so that nothing is said twice.
    """

    def __init__(self, rrweb: bytes) -> None:
        self.rrweb = rrweb
        self.sent = self.plain = self.packed = self.stream = self.posts = self.port = 0
        self.packer = zlib.compressobj()
        self.last: dict[str, int] = {}
        self.reader = Reader()
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(ready,), daemon=True).start()
        ready.wait(10)

    def _serve(self, ready: threading.Event) -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        app = web.Application(client_max_size=2**28)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.port = runner.addresses[0][1]
        ready.set()
        loop.run_forever()

    def begin_page(self) -> None:
        """Another page: its stream begins anew."""
        self.packer = zlib.compressobj()

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.path
        if script := scripts().by_path(path):
            return web.Response(body=script.body, content_type="text/javascript")
        if path == capturing.script().path:
            return web.Response(body=capturing.script().body, content_type="text/javascript")
        if path == "/rrweb.js":
            return web.Response(body=self.rrweb, content_type="text/javascript")
        if request.method == "POST":
            return self._count(await request.read(), request.content_length or 0, path)
        _, page, recorder = [*path.split("/"), "", ""][:3]
        if page not in HTML:
            return web.Response(text="<!doctype html>", content_type="text/html")
        own = {
            "none": "",
            "listeners": LISTENERS,
            "raw": RAW,
            "footpath": tag(),
            "captured": tag() + capturing.tag(),
            "rrweb": RRWEB,
        }[recorder]
        head = f"<!doctype html><html><head>{LONG_TASKS}{own}<title>{page}</title></head>"
        return web.Response(text=f"{head}<body>{HTML[page]}</body></html>", content_type="text/html")

    def _count(self, body: bytes, sent: int, path: str) -> web.Response:
        body = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
        self.sent += sent
        self.plain += len(body)
        self.packed += len(gzip.compress(body))
        self.stream += len(self.packer.compress(body) + self.packer.flush(zlib.Z_SYNC_FLUSH))
        self.posts += 1
        if path == capturing.CAPTURE:
            return web.json_response({"state": "open"})
        if path != EVENTS:
            return web.Response(status=204)
        header, lines = self.reader.read(body.decode())
        self.reader.keep(header, lines)
        for line in lines:
            event: dict[str, Any] = json.loads(line)
            self.last[event["doc"]] = max(self.last.get(event["doc"], -1), event["n"])
        return web.json_response({"ack": self.last, "refused": [], "state": "open", "tab": {}})
