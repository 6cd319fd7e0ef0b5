"""What browsers show of replies that are no HTML by their header: HTML without a type, and documents of other kinds. Pure.

Source: MIME Sniffing Standard, section 7.1, the rows of `text/html`.
"""

from __future__ import annotations

from recorder.gateway.headers import Pairs, first
from recorder.gateway.inject import SPACE, Injector

LOOKED_AT = 1445  # bytes, the standard's resource header
TAGS = b"!doctype html,html,head,script,iframe,h1,div,font,table,a,style,title,b,body,br,p".split(b",")
STARTS = [(b"<" + tag + end).lower() for tag in TAGS for end in (b" ", b">")] + [b"<!--"]
SHOWN = ("text/", "image/", "audio/", "video/")
SHOWN_SUFFIXES = ("/pdf", "/json", "+json", "/xml", "+xml", "/javascript")


def may_be_sniffed(kind: str, pairs: Pairs) -> bool:
    """True where a browser finds out the type of a reply by its first bytes."""
    options = first(pairs, b"x-content-type-options") or b""
    return not kind and options.strip().lower() != b"nosniff"


def is_shown(kind: str) -> bool:
    """True for a type that a browser shows in a tab or frame; the others it saves. Without a type it may do either."""
    return not kind or kind.startswith(SHOWN) or kind.endswith(SHOWN_SUFFIXES)


def looks_like_html(data: bytes, *, ended: bool) -> bool | None:
    """What the first bytes of a reply say, or None while more of them are needed."""
    text = data[:LOOKED_AT].lstrip(SPACE).lower()
    if any(text.startswith(start) for start in STARTS):
        return True
    open_still = not ended and len(data) < LOOKED_AT and any(start.startswith(text) for start in STARTS)
    return None if open_still else False


class SniffingInjector(Injector):
    """An injector that leaves a document alone which does not look like HTML."""

    def place(self, *, ended: bool = False) -> int | None:
        found = looks_like_html(self.held, ended=ended)
        if found is None:
            return None
        return super().place(ended=ended) if found else -1
