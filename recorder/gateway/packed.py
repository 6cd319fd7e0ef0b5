"""The bodies of posts, which the recorder's worker packs."""

from __future__ import annotations

import zlib

from recorder.errors import FootpathError

WRAPPERS = {"gzip": 31, "deflate": 15}  # zlib's numbers for them, with the largest window
CODINGS = frozenset({"identity", *WRAPPERS})


def unpacked(body: bytes, coding: str, limit: int) -> bytes:
    """The body as it was before `coding`, one of CODINGS or "", at most `limit` bytes and never more in memory.

    Raises FootpathError: 413 where there would be more, 400 for broken data.
    """
    if coding not in WRAPPERS:
        if len(body) > limit:
            raise too_large(limit)
        return body
    unpacking = zlib.decompressobj(WRAPPERS[coding])
    try:
        text = unpacking.decompress(body, limit + 1)
    except zlib.error as error:
        raise FootpathError("malformed", 400, f"The batch is malformed: {error}. Nothing of it was stored.") from error
    if len(text) > limit:
        raise too_large(limit)
    if not unpacking.eof:
        raise FootpathError("malformed", 400, "The batch is malformed: its end is missing. Nothing of it was stored.")
    return text


def too_large(limit: int) -> FootpathError:
    return FootpathError("too_large", 413, f"A batch may have {limit} bytes.", limit=limit)
