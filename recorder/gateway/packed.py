"""The bodies of posts, which the recorder's worker packs."""

from __future__ import annotations

import zlib

from recorder.errors import FootpathError

GZIP = 31  # zlib's number for a gzip wrapper with the largest window


def unpacked(body: bytes, coding: str, limit: int) -> bytes:
    """The body as it was before `coding` ("gzip" or nothing), at most `limit` bytes.

    Raises FootpathError: 413 where there would be more, 415 for another coding, 400 for broken data.
    """
    if coding in {"", "identity"}:
        return body
    if coding != "gzip":
        raise FootpathError("coding", 415, f"A batch may be packed with gzip, not with {coding[:40]!r}.")
    unpacking = zlib.decompressobj(GZIP)
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
