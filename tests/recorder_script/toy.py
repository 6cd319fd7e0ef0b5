"""A small site with the recorder in every page, and a server that keeps what the recorder sends: no Django, no database."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

from aiohttp import web

from recorder.errors import FootpathError
from tests.posted import Reader

SCRIPTS = Path(__file__).parents[2] / "static" / "recorder"


def joined(*, worker: bool, boot: str = "") -> str:
    names = sorted(SCRIPTS.glob("*.js"))
    parts = [path.read_text() for path in names if path.name.startswith("worker") == worker]
    return "(()=>{" + boot + "\n".join(parts) + "})()"


class Toy:
    """Serves `pages` (path → html) or a folder on loopback in a thread. `fail` is a list of statuses to answer posts with first."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.folder: Path | None = None
        self.inject = True
        self.headers: dict[str, str] = {}
        self.fail: list[int] = []
        self.state = "open"
        self.poison = ""
        self.lines: list[dict[str, Any]] = []
        self.posts: list[dict[str, Any]] = []
        self.reader = Reader()
        self.versions = (1, 2)  # what it understands: lines, and shorthand
        self.misunderstood = 0
        self.seen: dict[str, set[int]] = {}
        self.port = 0
        self.loop = asyncio.new_event_loop()
        self.up = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        self.up.wait()

    def stop(self) -> None:
        """End the thread and close its port."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events once each, in the order of documents' first post and then `n`."""
        once = {(event["doc"], event["n"]): event for event in self.lines}
        docs = list(dict.fromkeys(event["doc"] for event in self.lines))
        return sorted(once.values(), key=lambda event: (docs.index(event["doc"]), event["n"]))

    def of(self, *types: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] in types]

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app)
        self.loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self.loop.run_until_complete(site.start())
        self.port = runner.addresses[0][1]
        self.up.set()
        self.loop.run_forever()
        self.loop.run_until_complete(site.stop())
        self.loop.run_until_complete(runner.cleanup())
        self.loop.close()

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.path
        if path == "/__footpath__/r.js":
            return web.Response(text=joined(worker=False), content_type="text/javascript")
        if path == "/__footpath__/w.js":
            return web.Response(text=joined(worker=True), content_type="text/javascript")
        if path == "/__footpath__/events":
            return self._ingest(await request.text())  # aiohttp has unpacked it
        return self._page(path)

    def _page(self, path: str) -> web.Response:
        html = self.pages.get(path)
        if html is None and self.folder is not None and (self.folder / path.lstrip("/")).is_file():
            html = (self.folder / path.lstrip("/")).read_text()
        if html is None:
            return web.Response(status=404, text="nothing here", content_type="text/html")
        tag = '<script src="/__footpath__/r.js" data-worker="/__footpath__/w.js"></script>' if self.inject else ""
        at = html.find("<head>") + 6 if "<head>" in html else 0
        return web.Response(text=html[:at] + tag + html[at:], content_type="text/html", headers=self.headers)

    def _ingest(self, body: str) -> web.Response:
        if self.fail:
            status = self.fail.pop(0)
            return web.Response(status=status, headers={"Retry-After": "1"} if status in {429, 503} else {})
        try:
            head, lines = self.reader.read(body)
            if head["v"] not in self.versions:
                raise FootpathError("malformed", 400, "What is this?")
        except FootpathError as error:
            self.misunderstood += 1
            return web.Response(status=error.status)
        if self.poison and any(self.poison in line for line in lines):
            return web.Response(status=400)
        self.reader.keep(head, lines)
        rest = [json.loads(line) for line in lines]
        self.posts.append(head)
        for entry in head["docs"]:
            self.seen.setdefault(entry["doc"], set())
        for event in rest:
            self.lines.append(event)
            self.seen.setdefault(event["doc"], set()).add(event["n"])
        ack = {doc: _contiguous(got) for doc, got in self.seen.items()}
        answer = {"ack": ack, "refused": [], "state": self.state, "tab": {}}
        return web.json_response(answer, headers={"Access-Control-Allow-Origin": "*"})


def _contiguous(got: set[int]) -> int:
    at = -1
    while at + 1 in got:
        at += 1
    return at
