"""A folder as an upstream: its files answered as a plain web server would, and nothing outside it."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from urllib.parse import unquote, urlsplit

from recorder.gateway.headers import Pairs, first

INDEX = "index.html"
PIECE = 256 * 1024
TEXTUAL = {"text/html", "text/css", "text/plain", "text/javascript", "application/json", "image/svg+xml"}
NOT_FOUND = b"<!doctype html><title>Not found</title><h1>Not found</h1>"


def is_folder(upstream: str) -> bool:
    """True for an upstream that is a folder of ours."""
    return upstream.startswith("file://")


@dataclass
class Content:
    """A reply's body, piece by piece."""

    body: bytes
    file: Path | None = None

    async def iter_any(self) -> AsyncIterator[bytes]:
        """The bytes of the body, or of the file."""
        if self.file is None:
            yield self.body
            return
        with self.file.open("rb") as opened:
            while piece := await asyncio.to_thread(opened.read, PIECE):
                yield piece


@dataclass
class FileReply:
    """What the gateway reads of an upstream's reply."""

    status: int
    raw_headers: Pairs
    content: Content = field(default_factory=lambda: Content(b""))


def file_reply(upstream: str, method: str, target: str, pairs: Pairs) -> FileReply:
    """The reply to a request for a file of the folder. A folder is its index.html; links that lead outside are not there."""
    if method not in ("GET", "HEAD"):
        return FileReply(405, [(b"allow", b"GET, HEAD"), (b"content-length", b"0")])
    path, mark, query = target.partition("?")
    root = Path(unquote(urlsplit(upstream).path)).resolve()
    found = inside(root, unquote(path))
    if found is not None and found.is_dir():
        if not path.endswith("/"):
            return FileReply(308, [(b"location", f"{path}/{mark}{query}".encode("latin-1")), (b"content-length", b"0")])
        found = inside(root, unquote(path) + INDEX)
    if found is None or not found.is_file():
        return FileReply(404, typed("text/html", len(NOT_FOUND)), Content(NOT_FOUND if method == "GET" else b""))
    return of_file(found, method, pairs)


def inside(root: Path, path: str) -> Path | None:
    """The file a path means, or None where that is outside the folder or hidden in it."""
    if "\x00" in path or any(part.startswith(".") for part in path.replace("\\", "/").split("/") if part):
        return None
    found = (root / path.lstrip("/")).resolve()
    return found if found.is_relative_to(root) else None


def of_file(file: Path, method: str, pairs: Pairs) -> FileReply:
    """A file, or 304 where the browser has it already."""
    stat = file.stat()
    tag = hashlib.sha256(f"{stat.st_mtime_ns}-{stat.st_size}".encode()).hexdigest()[:20].encode()
    validators: Pairs = [
        (b"etag", b'"' + tag + b'"'),
        (b"last-modified", formatdate(stat.st_mtime, usegmt=True).encode()),
        (b"cache-control", b"no-cache"),
    ]
    known = first(pairs, b"if-none-match") or first(pairs, b"If-None-Match") or b""
    if tag in known:
        return FileReply(304, validators)
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    body = Content(b"", file) if method == "GET" else Content(b"")
    return FileReply(200, [*typed(kind, stat.st_size), *validators], body)


def typed(kind: str, size: int) -> Pairs:
    """Type and length; texts are UTF-8."""
    told = f"{kind}; charset=utf-8" if kind in TEXTUAL else kind
    return [(b"content-type", told.encode()), (b"content-length", str(size).encode())]
