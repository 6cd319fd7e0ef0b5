"""Lets the recorder past the policies of pages that no gateway carries, as the gateway does, and leaves the rest in force.

A browser that is told to ignore policies would let the page's own code do what its site forbids. Chromium reads a policy before
anybody can change it, so a document whose policy keeps the recorder out is taken whole as the site sent it and handed to the
page anew: it alone does not stream.
"""

from __future__ import annotations

import base64
import contextlib
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, CDPSession, Error

from recorder.capture.script import CAPTURE
from recorder.gateway.csp import Allowance, allow
from recorder.gateway.documents import RECORDED, content_type, is_whole
from recorder.gateway.headers import CSP_HEADERS
from recorder.gateway.script import EVENTS, scripts

log = logging.getLogger(__name__)
OF_THE_WIRE = frozenset({"content-length", "content-encoding", "transfer-encoding"})
GONE = ("Invalid InterceptionId", "has been closed")  # what is said where nobody waits for the document any more
Headers = list[dict[str, str]]


class Policies:
    """Looks at every document that comes to any tab or frame of a browser."""

    def __init__(self, session: CDPSession, farewell: str) -> None:
        self.session = session
        self.farewell = "{0.scheme}://{0.netloc}".format(urlsplit(farewell))  # its path is for the recorder alone
        session.on("Fetch.requestPaused", self.look)
        documents = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}
        session.send("Fetch.enable", {"patterns": [documents]})

    def look(self, paused: dict[str, Any]) -> None:
        """Pass a document on. A page whose tab was closed meanwhile needs no more; any other goes on as it was."""
        asked, url = {"requestId": paused["requestId"]}, paused["request"]["url"]
        try:
            self.pass_on(paused, asked, url)
        except Error as error:
            if not any(words in error.message for words in GONE):
                log.warning("the policy of %s may keep the recorder out: %s", url, error.message)
                self.session.send("Fetch.continueResponse", asked)

    def pass_on(self, paused: dict[str, Any], asked: dict[str, Any], url: str) -> None:
        """Pass a document on, with its policy opened for the recorder where it is a page that has one."""
        headers: Headers = paused.get("responseHeaders", [])
        opened = self.opened(headers, url) if is_page(paused.get("responseStatusCode", 0), headers) else headers
        if opened == headers:
            self.session.send("Fetch.continueResponse", asked)
            return
        sent = self.session.send("Fetch.getResponseBody", asked)
        body = sent["body"] if sent["base64Encoded"] else base64.b64encode(sent["body"].encode()).decode()
        kept = [header for header in opened if header["name"].lower() not in OF_THE_WIRE]
        reply = {"responseCode": paused["responseStatusCode"], "responseHeaders": kept, "body": body}
        self.session.send("Fetch.fulfillRequest", asked | reply)

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


@contextlib.contextmanager
def policies(chromium: Browser, farewell: str) -> Iterator[None]:
    """While this lasts, policies let the recorder in; `farewell` is where pages post as they go away."""
    session = chromium.new_browser_cdp_session()
    Policies(session, farewell)
    try:
        yield
    finally:
        with contextlib.suppress(Error):  # a person may have quit the whole browser
            session.detach()
