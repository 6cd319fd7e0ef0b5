"""For sites without a control API: where a folder's pages are served to the replay, and whether a page showed success."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Error, Page

from recorder.environments.base import Check, Session, Verdict, Watch


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a word on standard error."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def reachable(session: Session) -> Iterator[str]:
    """The origin at which a browser finds the session's site: its own, or loopback for a folder, served meanwhile."""
    parts = urlsplit(session.upstream)
    if parts.scheme != "file":
        yield session.upstream.rstrip("/")
        return
    folder = Path(unquote(parts.path))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Witness:
    """Looks at the pages of a replay for what success looks like: after each step, and at the end."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.seen = False
        self.holds = False

    def look(self, pages: Sequence[Page]) -> None:
        """Look at every tab now."""
        self.holds = any(self.shows(page) for page in pages if not page.is_closed())
        self.seen = self.seen or self.holds

    def shows(self, page: Page) -> bool:
        try:
            return bool(page.evaluate(self.watch.expression))
        except Error:  # an expression that throws, or a page that is just going, counts as false
            return False

    def verdict(self) -> Verdict:
        """What was seen, as the environment would say it."""
        at_end = self.watch.when == "at_end"
        passed = self.holds if at_end else self.seen
        line = Check("The page showed success", passed, "page", "at the end" if at_end else "at some moment")
        return Verdict(float(passed), passed, "page", (line,))
