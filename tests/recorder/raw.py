"""A website of bytes: what it answers goes out as it is written, whether or not it is good HTTP."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Answer(socketserver.StreamRequestHandler):
    """One request, answered by the bytes that are kept for its path."""

    def handle(self) -> None:
        path = self.rfile.readline().split()[1].decode()
        while self.rfile.readline().strip():
            pass
        assert isinstance(self.server, RawSite)
        self.wfile.write(self.server.replies[path])


class RawSite(socketserver.ThreadingTCPServer):
    """The site; `replies` by path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.replies: dict[str, bytes] = {}

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def running() -> Iterator[RawSite]:
    """Serve it from threads of its own."""
    with RawSite() as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()


def ask(port: int, host: str, path: str, method: str = "GET", **headers: str) -> bytes:
    """All that comes back, to the connection's end."""
    told = {"Host": host, "Connection": "close"} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items()), "", ""]
    with socket.create_connection(("127.0.0.1", port), 10) as wire:
        wire.sendall("\r\n".join(lines).encode())
        return b"".join(iter(lambda: wire.recv(65536), b""))


def chunks(reply: bytes) -> bytes:
    """The body of a chunked reply, as far as it came."""
    body, rest = b"", reply.partition(b"\r\n\r\n")[2]
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        body, rest = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return body
