"""A fake of the seven-site benchmark: its control API and its pages on one origin, with all its ways."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PAGE = """<!doctype html><html><head><link rel="stylesheet" href="/assets/site.css">
<link rel="stylesheet" href="https://fonts.example/css?family=Inter"></head><body><h1>Amazon</h1>
<button id="buy" onclick="fetch('/api/env/{site}/cart/add?session=' + new URLSearchParams(location.search).get('session'),
 {{method: 'POST'}}).then((r) => {{ document.getElementById('said').textContent = 'added ' + r.status; }})">Buy</button>
<p id="said"></p></body></html>"""
ETAG = '"spa-1"'
MODIFIED = "Mon, 02 Nov 2026 08:00:00 GMT"
SECRET_PAGE = b"<h1>ANSWER KEY</h1>"


@dataclass
class Kept:
    """One session: whether its task is done, the marks in its audit log, and how often a faulty request was counted."""

    site: str
    task: str
    seed: int
    variant: str | None
    done: bool = False
    audit: list[str] = field(default_factory=list)
    adds: int = 0


@dataclass
class SevenSites:
    """`delay` makes replies slow; `answer_with` replaces the reply to a call; `asked` lists everything that was asked."""

    sessions: dict[str, Kept] = field(default_factory=dict)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    delay: float = 0.0
    drop_evaluate: bool = False
    answer_with: tuple[int, bytes, dict[str, str]] | None = None
    number: int = 0
    server: ThreadingHTTPServer | None = None
    port: int = 0

    def start(self) -> None:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                fake.handle(self)

            do_GET = do_POST = do_DELETE = do_HEAD = answer

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def options(self, site: str = "amazon", **more: Any) -> dict[str, Any]:
        return {"mapping": "seven-sites", "base_url": self.url, "site": site, **more}

    def calls(self, method: str, pattern: str) -> int:
        return sum(method == asked and re.fullmatch(pattern, path) is not None for asked, path, _ in self.asked)

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        raw = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else None
        self.asked.append((request.command, request.path, body))
        self.headers.append(dict(request.headers))
        control = re.match(r"/api/env/[a-z]+/(session|evaluate)", request.path)
        if control:
            time.sleep(self.delay)
        if control and self.answer_with is not None:
            status, content, headers = self.answer_with
            return reply(request, status, content, **headers)
        path = urlsplit(request.path)
        return self.route(request, path.path, parse_qs(path.query), body)

    def route(self, request: BaseHTTPRequestHandler, path: str, query: dict[str, list[str]], body: Any) -> None:
        method = request.command
        if found := re.fullmatch(r"/api/env/(\w+)/session", path):
            return self.create(request, found.group(1), body)
        if found := re.fullmatch(r"/api/env/\w+/session/([^/]+)(/reset)?", path):
            return self.one(request, found.group(1), reset=bool(found.group(2)))
        if re.fullmatch(r"/api/env/\w+/evaluate", path):
            return self.evaluate(request, body)
        if found := re.fullmatch(r"/api/env/(\w+)/cart/add", path):
            return self.add(request, query)
        if re.match(r"/(task|variant|manifest|launch|control|api/human|api/control)(/|$)", path) or "/variants" in path:
            return reply(request, 200, SECRET_PAGE)
        if found := re.fullmatch(r"/env/(\w+)/.*", path):  # every path the same page, for it routes by itself
            if request.headers.get("If-None-Match") == ETAG:
                return reply(request, 304, b"", ETag=ETAG)
            page = PAGE.format(site=found.group(1)).encode()
            return reply(request, 200, page, ETag=ETAG, **{"Last-Modified": MODIFIED})
        if path == "/assets/site.css":
            css = b"@import url(https://fonts.example/more.css); body { background: url('//fonts.example/dot.png') }"
            return reply(request, 200, css, **{"Content-Type": "text/css"})
        return reply(request, 404 if method != "GET" else 404, b"nothing here")

    def create(self, request: BaseHTTPRequestHandler, site: str, body: Any) -> None:
        if body["task_id"] != "amazon_browse_category":
            return reply_json(request, 500, {"detail": f"KeyError: {body['task_id']}"})
        return self.opened(request, Kept(site, body["task_id"], body["seed"], body.get("variant_filename")))

    def opened(self, request: BaseHTTPRequestHandler, kept: Kept) -> None:
        self.number += 1
        session = f"amz~{self.number}.Ab:c"
        self.sessions[session] = kept
        return reply_json(
            request,
            200,
            {
                "session_id": session,
                "start_path": "/s?k=cable",
                "title": "Browse Category",
                "instruction": "Find the cheapest cable and add it to your cart.",
                "degradation_active": kept.variant is not None,
            },
        )

    def one(self, request: BaseHTTPRequestHandler, session: str, *, reset: bool) -> None:
        kept = self.sessions.pop(session, None)
        if kept is None:
            return reply_json(request, 404, {"detail": "unknown session"})
        if reset:
            return self.opened(request, Kept(kept.site, kept.task, kept.seed, kept.variant))
        return reply_json(request, 200, {"deleted": True})

    def evaluate(self, request: BaseHTTPRequestHandler, body: Any) -> None:
        kept = self.sessions.get(body["session_id"])
        if kept is None:
            return reply_json(request, 404, {"detail": "unknown session"})
        kept.audit.append("evaluate")
        if self.drop_evaluate:
            request.close_connection = True
            return None
        score = 1.0 if kept.done else 0.0
        return reply_json(
            request,
            200,
            {
                "score": score,
                "final_score": score,
                "success": kept.done,
                "reasoning": "one cable in the cart" if kept.done else "the cart is empty",
                "checks": [{"desc": "CANARY-CHECK cable in cart", "passed": kept.done, "error": None}],
                "negative_checks": [{"desc": "no order", "passed": True, "penalty": 0.2, "kind": "invariant"}],
            },
        )

    def add(self, request: BaseHTTPRequestHandler, query: dict[str, list[str]]) -> None:
        kept = self.sessions.get(query.get("session", [""])[0])
        if kept is None:
            return reply_json(request, 404, {"detail": "unknown session"})
        kept.adds += 1
        if kept.variant and kept.adds == 1:
            return reply_json(request, 503, {"detail": "try again"})  # counted: a repeated request would hide the fault
        kept.done = True
        return reply_json(request, 200, {"ok": True})


def reply(request: BaseHTTPRequestHandler, status: int, content: bytes, **headers: str) -> None:
    request.send_response(status)
    told = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(content)), **headers}
    for name, value in told.items():
        request.send_header(name, value)
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(content)


def reply_json(request: BaseHTTPRequestHandler, status: int, body: Any) -> None:
    reply(request, status, json.dumps(body).encode(), **{"Content-Type": "application/json"})
