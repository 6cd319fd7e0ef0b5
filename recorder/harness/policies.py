"""Lets the recorder past the policies of pages that no gateway carries, as the gateway does, and leaves the rest in force.

A browser that is told to ignore policies would let the page's own code do what its site forbids. Chromium reads a policy before
anybody can change it, so a document whose policy keeps the recorder out is taken whole as the site sent it and handed to the
page anew: it alone does not stream.
"""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import CDPSession

from recorder.capture.script import CAPTURE
from recorder.gateway.csp import Allowance, allow
from recorder.gateway.documents import RECORDED, content_type, is_whole
from recorder.gateway.headers import CSP_HEADERS
from recorder.gateway.script import EVENTS, scripts

OF_THE_WIRE = frozenset({"content-length", "content-encoding", "transfer-encoding"})
Headers = list[dict[str, str]]


class Policies:
    """Looks at documents as they come to the tabs and frames of a browser."""

    def __init__(self, farewell: str) -> None:
        self.farewell = "{0.scheme}://{0.netloc}".format(urlsplit(farewell))  # its path is for the recorder alone

    def pass_on(self, session: CDPSession, paused: dict[str, Any]) -> None:
        """Pass a document on, with its policy opened for the recorder where it is a page that has one."""
        asked, url = {"requestId": paused["requestId"]}, paused["request"]["url"]
        headers: Headers = paused.get("responseHeaders", [])
        opened = self.opened(headers, url) if is_page(paused.get("responseStatusCode", 0), headers) else headers
        if opened == headers:
            session.send("Fetch.continueResponse", asked)
            return
        sent = session.send("Fetch.getResponseBody", asked)
        body = sent["body"] if sent["base64Encoded"] else base64.b64encode(sent["body"].encode()).decode()
        kept = [header for header in opened if header["name"].lower() not in OF_THE_WIRE]
        reply = {"responseCode": paused["responseStatusCode"], "responseHeaders": kept, "body": body}
        session.send("Fetch.fulfillRequest", asked | reply)

    def opened(self, headers: Headers, url: str) -> Headers:
        """The headers with the policies in them opened for what the recorder needs on this page's origin."""
        origin, worker = "{0.scheme}://{0.netloc}".format(urlsplit(url)), scripts().worker
        posts = (origin + EVENTS, origin + CAPTURE)
        allowance = Allowance((), (), origin + worker.path if worker else None, posts, (self.farewell,))
        return [
            header | {"value": allow(header["value"], allowance)}
            if header["name"].lower().encode() in CSP_HEADERS
            else header
            for header in headers
        ]


def is_page(status: int, headers: Headers) -> bool:
    """True for a document that the browser shows and in which scripts can run. Others may be endless, and redirects have no body
    that could be taken."""
    pairs = [(header["name"].lower().encode(), header["value"].encode()) for header in headers]
    return status > 0 and is_whole(status, pairs) and content_type(pairs)[0] in RECORDED
