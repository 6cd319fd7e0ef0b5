"""Entity tags of documents with the recorder in them. Pure.

The same address read by a script is another text than loaded as a document, and so is the document with another version of
the recorder. Browsers trust a tag across such variants, so each variant has its own: the upstream's tag with a mark.
"""

from __future__ import annotations

import re

TAG = re.compile(r'(?:W/)?"[^"]*"')


def marked(tag: str, mark: str) -> str:
    """The upstream's tag as the browser gets it with a document of ours."""
    return f'{tag[:-1]}{suffix(mark)}"' if TAG.fullmatch(tag.strip()) else tag


def suffix(mark: str) -> str:
    return f"-fp{mark}"


def for_upstream(value: str, mark: str, *, document: bool) -> str | None:
    """If-None-Match as the upstream gets it: only tags of the variant that is asked for, as the upstream made them.

    None where none is left: then the upstream must answer in full.
    """
    if value.strip() == "*":
        return value
    tags = [found.group() for found in TAG.finditer(value)]
    if document:
        end = suffix(mark) + '"'
        kept = [tag[: -len(end)] + '"' for tag in tags if tag.endswith(end)]
    else:
        kept = [tag for tag in tags if "-fp" not in tag]
    return ", ".join(kept) or None
