"""A benchmark server in a thread, and a visitor who acts as a browser would, by plain HTTP."""

from __future__ import annotations

import asyncio
import http.cookiejar
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks_admin.benchmark.engine.sessions import Session
from tasks_admin.benchmark.server import Server

TOKEN = "a token for tests"


class RunningServer:
    """Starts on free ports; ``stop`` ends it. ``restart`` is a new process in all but name: same data, empty memory."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.start()

    def start(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = Server(self.data, TOKEN)
        self._do(self.server.start())
        self.url = self.server.url

    def stop(self) -> None:
        self._do(self.server.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
        self.loop.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    def session(self, session_id: str) -> Session:
        session = self.server.store.get(session_id)
        assert session is not None
        return session

    def control(self, method: str, path: str, body: Any = None, token: str = TOKEN) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        status, text, _ = fetch(urllib.request.build_opener(), request)
        return status, json.loads(text) if text else None

    def prepare(self, task: str, variant: str | None = None, seed: int = 7, site: str = "shop") -> dict[str, Any]:
        body = {"task": task, "variant": variant, "seed": seed}
        status, prepared = self.control("POST", f"/control/{site}/sessions", body)
        assert status == 201, prepared
        return prepared

    def visit(self, prepared: dict[str, Any]) -> Visitor:
        visitor = Visitor(prepared["upstream"])
        assert visitor.get(prepared["start_path"]).status == 200
        return visitor

    def evaluate(self, session_id: str) -> dict[str, Any]:
        site = session_id.partition(".")[0]
        status, verdict = self.control("POST", f"/control/{site}/sessions/{session_id}/evaluate")
        assert status == 200, verdict
        return verdict

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result(10)


@dataclass(frozen=True)
class Page:
    status: int
    text: str
    url: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Visitor:
    """Keeps cookies and follows redirects; sends nothing twice."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> Page:
        return Page(*fetch(self.opener, urllib.request.Request(self.origin + path)))

    def post(self, path: str, accept: str = "text/html", **form: Any) -> Page:
        data = urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(self.origin + path, data=data, headers={"Accept": accept})
        return Page(*fetch(self.opener, request))

    def post_json(self, path: str, body: Any) -> Page:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.origin + path, data=json.dumps(body).encode(), headers=headers)
        return Page(*fetch(self.opener, request))


def fetch(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> tuple[int, str, str]:
    try:
        with opener.open(request, timeout=20) as answer:
            return answer.status, answer.read().decode("utf-8", "replace"), answer.url
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.read().decode("utf-8", "replace"), answer.url
