"""The harness's way of getting the recorder into pages: Playwright's init script, and routes in the gateway's place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import BrowserContext, Route

from recorder.errors import FootpathError
from recorder.harness.desk import Desk
from recorder.harness.script import PREFIX, joined, worker_name
from recorder.ingest import ingest
from recorder.models import Recording


class Injection:
    """The recorder in every page and frame of one browser context, its posts going straight to `ingest`."""

    def __init__(self, context: BrowserContext, recording: Recording, desk: Desk) -> None:
        self.recording = recording
        self.desk = desk
        boot = json.dumps({"worker": PREFIX + worker_name(), "everywhere": True})
        context.add_init_script(joined(worker=False, boot=f"const BOOT={boot};"))
        context.route("**" + PREFIX + "**", self.answer)

    def answer(self, route: Route) -> None:
        """What the gateway answers under the reserved prefix."""
        path = route.request.url.split("?")[0]
        if path.endswith("/events") and route.request.method == "POST":
            self.take_in(route)
        elif path.endswith(worker_name()):
            route.fulfill(body=joined(worker=True), content_type="text/javascript; charset=utf-8")
        else:
            route.fulfill(status=404, body="")

    def take_in(self, route: Route) -> None:
        """One post of a page."""
        body = route.request.post_data_buffer or b""
        try:
            reply = self.desk.do(ingest, self.recording.pk, body, datetime.now(UTC))
        except FootpathError as error:
            answer(route, error.status, {"code": error.code, "message": error.message} | error.data)
        else:
            answer(route, 200, reply.as_json())


def answer(route: Route, status: int, body: dict[str, Any]) -> None:
    """A JSON reply that a document of any origin may read (sandboxed frames have none of their own)."""
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
    route.fulfill(status=status, body=json.dumps(body), content_type="application/json", headers=headers)
