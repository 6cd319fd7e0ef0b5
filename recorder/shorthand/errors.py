"""What a page is told that posts shorthand which does not hold."""

from __future__ import annotations

from recorder.errors import FootpathError


def unlike(what: str) -> FootpathError:
    """The page means something else than we understand: it is to send lines."""
    return FootpathError("unlike", 409, f"The batch is not understood: {what}. Nothing of it was stored: send lines.")


def too_large(limit: int) -> FootpathError:
    """The lines that are meant are more than a batch may have."""
    return FootpathError("too_large", 413, f"A batch may have {limit} bytes once it is spelled out.", limit=limit)
