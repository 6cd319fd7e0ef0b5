"""The harness's way of getting the recorder into pages: Playwright's init script, and our answers in the gateway's place.

What a page sends as it goes away comes to a small server of ours on loopback instead, for a browser that a person quits lets us
answer nothing any more.
"""

from __future__ import annotations

import base64
import contextlib
import json
import secrets
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.conf import settings
from playwright.sync_api import BrowserContext, CDPSession

from recorder.capture import script as capturing
from recorder.capture.ingest import ingest as ingest_capture
from recorder.capture.script import CAPTURE
from recorder.errors import FootpathError
from recorder.gateway.packed import unpacked
from recorder.gateway.script import EVENTS, PREFIX, scripts
from recorder.harness.desk import Desk
from recorder.ingest import ingest
from recorder.models import Recording

HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "no-store",
}  # sandboxed frames have no origin of their own, and isolated pages take isolated workers only


class Injection:
    """The recorder in every page and frame of one browser context, its posts going straight to `ingest`."""

    def __init__(self, context: BrowserContext, recording: Recording, desk: Desk, farewell: str) -> None:
        self.recording = recording
        self.desk = desk
        context.add_init_script(source(farewell))
        if recording.capture:
            context.add_init_script(capture_source(farewell))

    def answer(self, session: CDPSession, paused: dict[str, Any]) -> None:
        """What the gateway answers under the reserved prefix."""
        asked = paused["request"]
        path = PREFIX + asked["url"].partition(PREFIX)[2]
        script = scripts().by_path(path)
        if path == EVENTS and asked["method"] == "POST":
            reply = told(*self.take_in(posted(asked), coding(asked)))
        elif path == CAPTURE and asked["method"] == "POST":
            reply = told(*self.take_capture_in(posted(asked)))
        elif script:
            reply = replied(200, script.body, "text/javascript; charset=utf-8")
        else:
            reply = {"responseCode": 404}
        session.send("Fetch.fulfillRequest", {"requestId": paused["requestId"]} | reply)

    def take_in(self, body: bytes, coding: str = "") -> tuple[int, dict[str, Any]]:
        """Status and reply to one post of a page."""
        try:
            body = unpacked(body, coding, settings.RECORDER_MAX_BATCH_BYTES)
            return 200, self.desk.do(ingest, self.recording.pk, body, datetime.now(UTC)).as_json()
        except FootpathError as error:
            return error.status, {"code": error.code, "message": error.message} | error.data

    def take_capture_in(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """Status and reply to one post of a page's capture."""
        try:
            return 200, self.desk.do(ingest_capture, self.recording.pk, body, datetime.now(UTC)).as_json()
        except FootpathError as error:
            return error.status, {"code": error.code, "message": error.message} | error.data


def posted(asked: dict[str, Any]) -> bytes:
    """The body of a request, which Chromium hands over in pieces."""
    return b"".join(base64.b64decode(piece["bytes"]) for piece in asked.get("postDataEntries", ()))


def coding(asked: dict[str, Any]) -> str:
    """What a request's body is packed with, or ""."""
    return next((value for name, value in asked["headers"].items() if name.lower() == "content-encoding"), "")


def told(status: int, said: dict[str, Any]) -> dict[str, Any]:
    """A reply in JSON, as Chromium takes it."""
    return replied(status, json.dumps(said).encode(), "application/json")


def replied(status: int, body: bytes, kind: str) -> dict[str, Any]:
    """A reply, as Chromium takes it."""
    headers = [{"name": name, "value": value} for name, value in (HEADERS | {"Content-Type": kind}).items()]
    return {"responseCode": status, "responseHeaders": headers, "body": base64.b64encode(body).decode()}


def source(farewell: str) -> str:
    """The recorder with its settings, for Playwright's init script."""
    served = scripts()
    boot = {"worker": served.worker.path if served.worker else "", "everywhere": True, "farewell": farewell}
    return served.recorder.body.decode().replace("(()=>{", f"(()=>{{const BOOT = {json.dumps(boot)};", 1)


def capture_source(farewell: str) -> str:
    """The capture with its settings, for Playwright's init script."""
    boot = f"const BOOT = {json.dumps({'farewell': farewell})};"
    return capturing.script().body.decode().replace("=>{", "=>{" + boot, 1)


class Farewells:
    """Takes what pages send as they go away; `url` is known to the injected script alone."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(16)
        self.injection: Injection | None = None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/{self.secret}"

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """The request handler, bound to this."""
        farewells = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802  (the library's name)
                size = int(self.headers.get("Content-Length") or 0)
                secret, _, what = self.path.removeprefix("/").partition("/")
                known = farewells.injection if secret == farewells.secret else None
                if known and size <= settings.RECORDER_MAX_BATCH_BYTES:
                    (known.take_capture_in if what == "capture" else known.take_in)(self.rfile.read(size))
                self.send_response(204 if known else 404)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing: standard error is for what a person must know."""

        return Handler


@contextlib.contextmanager
def farewells() -> Iterator[Farewells]:
    """A running server for farewells."""
    running = Farewells()
    threading.Thread(target=running.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield running
    finally:
        running.server.shutdown()
        running.server.server_close()
