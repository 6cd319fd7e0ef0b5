"""The harness's session with the whole browser: pauses what is for the recorder, and documents as they come, and nothing else.

Playwright's own routes pause every request. Playwright then answers preflights in the site's place and keeps nothing in the
browser's cache: pages could do what their browser forbids, and sites would see what no person's browser asks.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from functools import partial
from typing import Any, Protocol

from playwright.sync_api import Browser, CDPSession, Error

from recorder.gateway.script import PREFIX
from recorder.harness.login import Login

log = logging.getLogger(__name__)
GONE = ("Invalid InterceptionId", "has been closed")  # what is said where nobody waits for the answer any more
PATTERNS = (
    {"urlPattern": f"*://*{PREFIX}*", "requestStage": "Request"},
    {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"},
)
# Of a request that was not paused Chromium does not say that its server asks for a password.
ASKING = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}


class Paused(Protocol):
    """Takes what the browser paused, Chromium's `Fetch.requestPaused`, and has the session let it go on."""

    def __call__(self, session: CDPSession, paused: dict[str, Any]) -> None: ...


class Interception:
    """Hands requests under the reserved prefix to `asked`, and every document that comes to any tab or frame to `came`.

    With `login` it has the questions of servers for a user and a password answered too.
    """

    def __init__(self, session: CDPSession, asked: Paused, came: Paused, login: Login | None = None) -> None:
        self.session, self.asked, self.came = session, asked, came
        session.on("Fetch.requestPaused", self.pause)
        patterns = list(PATTERNS)
        if login:
            patterns.append(ASKING)
            session.on("Fetch.authRequired", partial(self.log_in, login))
        session.send("Fetch.enable", {"patterns": patterns, "handleAuthRequests": login is not None})

    def pause(self, paused: dict[str, Any]) -> None:
        """Have it answered. What belongs to a tab that was closed meanwhile needs no answer any more."""
        has_come = "responseStatusCode" in paused or "responseErrorReason" in paused
        try:
            with unless_gone():
                if has_come:
                    self.came(self.session, paused)
                elif PREFIX in paused["request"]["url"]:
                    self.asked(self.session, paused)
                else:
                    self.session.send("Fetch.continueRequest", {"requestId": paused["requestId"]})
        except Error as error:
            log.warning("the recorder may be kept out of %s: %s", paused["request"]["url"], error.message)
            self.let_go(paused["requestId"], has_come=has_come)

    def log_in(self, login: Login, paused: dict[str, Any]) -> None:
        """Have a server's question answered."""
        with unless_gone():
            login.answer(self.session, paused)

    def let_go(self, request: str, *, has_come: bool) -> None:
        """A document goes on as it was; a post of the recorder's fails, for it is not the site's to read, and is sent again."""
        if has_come:
            self.session.send("Fetch.continueResponse", {"requestId": request})
        else:
            self.session.send("Fetch.failRequest", {"requestId": request, "errorReason": "Failed"})


@contextlib.contextmanager
def unless_gone() -> Iterator[None]:
    """Passes over that nobody waits for the answer any more, and over nothing else."""
    try:
        yield
    except Error as error:
        if not any(words in error.message for words in GONE):
            raise


@contextlib.contextmanager
def interception(chromium: Browser, asked: Paused, came: Paused, login: Login | None = None) -> Iterator[None]:
    """While this lasts, what is for the recorder goes to `asked` and every document to `came`; `login` logs in."""
    session = chromium.new_browser_cdp_session()
    Interception(session, asked, came, login)
    try:
        yield
    finally:
        with contextlib.suppress(Error):  # a person may have quit the whole browser
            session.detach()
