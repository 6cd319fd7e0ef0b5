"""A large file to be fetched in pieces: single byte ranges, as RFC 9110 section 14 has them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified, StreamingHttpResponse

PIECE = 1 << 18  # bytes
ONE_RANGE = re.compile(r"bytes=\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII | re.IGNORECASE)


class Unsatisfiable(ValueError):
    """The range lies wholly outside the file."""


def asked_range(header: str, size: int) -> tuple[int, int] | None:
    """(first, last) byte that a Range header asks for; None for the whole file: no, several or senseless ranges.

    Raises Unsatisfiable.
    """
    found = ONE_RANGE.fullmatch(header.strip())
    if found is None or not any(found.groups()):
        return None
    first, last = (int(text[:20]) if text else None for text in found.groups())
    if first is None:
        if not last or not size:
            raise Unsatisfiable
        return max(0, size - last), size - 1
    if last is not None and last < first:
        return None
    if first >= size:
        raise Unsatisfiable
    return first, size - 1 if last is None else min(last, size - 1)


def serve(request: HttpRequest, path: Path, sha256: str, name: str) -> HttpResponseBase:
    """The file, or the piece of it that is asked for: 200, 206, 304, 416. Its ETag is its SHA-256."""
    size, tag = path.stat().st_size, f'"{sha256}"'
    unchanged = tag in request.headers.get("If-None-Match", "")
    response = HttpResponseNotModified() if unchanged else _piece(request, path, size, tag)
    response.headers["ETag"] = tag
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["Cache-Control"] = "private, no-cache"
    if response.status_code in (200, 206):
        response.headers["Content-Type"] = "application/zip"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _piece(request: HttpRequest, path: Path, size: int, tag: str) -> HttpResponseBase:
    same = request.headers.get("If-Range", tag) == tag  # else it has changed since: the whole is sent
    try:
        asked = asked_range(request.headers.get("Range", ""), size) if same and request.method == "GET" else None
    except Unsatisfiable:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    first, last = asked or (0, size - 1)
    response = StreamingHttpResponse(_bytes(path, first, last + 1 - first), status=206 if asked else 200)
    response.headers["Content-Length"] = str(last + 1 - first)
    if asked:
        response.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return response


async def _bytes(path: Path, start: int, count: int) -> AsyncIterator[bytes]:
    """Read in a thread, a piece at a time: served by ASGI, a plain iterator would be read whole into memory first."""
    with path.open("rb") as file:
        file.seek(start)
        while count > 0 and (piece := await asyncio.to_thread(file.read, min(PIECE, count))):
            count -= len(piece)
            yield piece
