"""What a site's pages may load from other hosts, where its environment says so.

Blocking is one more Content-Security-Policy beside the site's own: the browser holds to both. A host that gets an empty
answer instead is named anew in the site's documents, style sheets and scripts, by an address on the recording's own origin.
"""

from __future__ import annotations

import base64
import hashlib
import re
from urllib.parse import quote

from recorder.environments.base import Foreign
from recorder.gateway.asgi import Scope, Send, respond
from recorder.gateway.headers import Pairs, first
from recorder.gateway.script import PREFIX

STUB = PREFIX + "stub/"
MAX_NAME = 300
DOT = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")  # a transparent picture of one pixel
EMPTY: dict[bytes, tuple[bytes, bytes]] = {
    b"script": (b"text/javascript; charset=utf-8", b""),
    b"style": (b"text/css; charset=utf-8", b""),
    b"image": (b"image/gif", DOT),
    b"iframe": (b"text/html; charset=utf-8", b"<!doctype html><title></title>"),
    b"empty": (b"application/json", b"{}"),
}


def policy(foreign: Foreign) -> str:
    """A policy that keeps everything but the site itself and what is allowed out."""
    allowed = " ".join(foreign.allow)
    return (
        f"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob: {allowed}".strip()
        + "; form-action 'self'"
        + (f" {allowed}" if allowed else "")
    )


def foreign_mark(foreign: Foreign) -> str:
    """What tells documents with these rules from others with the recorder in them."""
    return hashlib.sha256(repr(foreign).encode()).hexdigest()[:6]


class Renamer:
    """Names hosts anew in text that streams by; holds back what may be the beginning of a name."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self.held = b""
        names = "|".join(
            sorted((re.escape(host).replace(r"\*\.", r"(?:[a-z0-9-]+\.)+") for host in hosts), reverse=True)
        )
        pattern = rf"(?:https?:)?//({names})(?=[/?#:\"'`)\s\\<>]|$)" if hosts else ""
        self.pattern = re.compile(pattern.encode(), re.IGNORECASE) if hosts else None

    def feed(self, data: bytes) -> bytes:
        """What can go out now."""
        if self.pattern is None:
            return data
        text = self.held + data
        cut = self.open_end(text)
        self.held = text[cut:]
        return self.renamed(text[:cut])

    def end(self) -> bytes:
        """The rest."""
        out, self.held = self.renamed(self.held), b""
        return out

    def renamed(self, text: bytes) -> bytes:
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda found: (STUB + quote(found.group(1).decode().lower())).encode(), text)

    def open_end(self, text: bytes) -> int:
        """Where the last piece begins that may go on to be a name: the last `//` (or `h`, `/`…) near the end."""
        tail = max(0, len(text) - MAX_NAME)
        found = re.search(
            rb"(?:h(?:t(?:t(?:p(?:s?(?::(?:/(?:/[a-z0-9.:-]*)?)?)?)?)?)?)?|/(?:/[a-z0-9.:-]*)?)\Z",
            text[tail:],
            re.IGNORECASE,
        )
        return tail + found.start() if found else len(text)


async def stub(scope: Scope, send: Send) -> None:
    """An empty answer of the kind that was asked for."""
    asked = first(list(scope["headers"]), b"sec-fetch-dest") or b"empty"
    kind, body = EMPTY.get(asked, (b"application/octet-stream", b""))
    headers: Pairs = [(b"content-type", kind), (b"cache-control", b"no-store"), (b"access-control-allow-origin", b"*")]
    await respond(send, 200, body, headers, head=scope["method"] == "HEAD")
