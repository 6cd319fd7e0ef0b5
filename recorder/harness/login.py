"""Logs in to a site whose address came with a user and a password, where the site's server asks the browser for them.

Left in the address they would be part of the page's own, and nothing relative to it could be fetched; Playwright's way of giving
them pauses every request (see interception.py).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import CDPSession

PORTS = {"http": 80, "https": 443}


class Login:
    """A user and a password for one origin alone; `has_window` says whether the browser can ask a person for others."""

    def __init__(self, origin: str, user: str, password: str, *, has_window: bool) -> None:
        self.site = site_of(origin)
        self.given = {"response": "ProvideCredentials", "username": user, "password": password}
        self.otherwise = {"response": "Default" if has_window else "CancelAuth"}
        self.tried: set[str] = set()  # the requests that it was given for; one that is asked again was refused

    def answer(self, session: CDPSession, paused: dict[str, Any]) -> None:
        """Answer Chromium's `Fetch.authRequired`: anybody else's question, and a second one, is the person's to answer."""
        request, challenge = paused["requestId"], paused["authChallenge"]
        is_ours = challenge.get("source") != "Proxy" and site_of(challenge["origin"]) == self.site
        answer = self.given if is_ours and request not in self.tried else self.otherwise
        self.tried.add(request)
        session.send("Fetch.continueWithAuth", {"requestId": request, "authChallengeResponse": answer})


def site_of(origin: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port."""
    parts = urlsplit(origin)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)
