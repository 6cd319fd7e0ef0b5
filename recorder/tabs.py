"""Which tab a document is in. Pure: tabs are known again by the keys of their history entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ALIVE_S = 4.0  # a page posts at least every 3 s


@dataclass(frozen=True)
class Seen:
    """A document known already; `silence` is seconds since its last post."""

    doc: str
    tab: int
    keys: frozenset[str]
    top: bool
    closed: bool
    silence: float


def tab_of(keys: Iterable[str], *, top: bool, known: Sequence[Seen]) -> tuple[int, str]:
    """Number of the tab that a new document with history `keys` is in, and the document it may be a duplicate of, or ''.

    A frame is in the latest tab with its keys. A top document is in that tab too, unless another page is alive there: then
    the tab was duplicated, keys and all, and this is a new one.
    """
    own = frozenset(keys)
    same = [seen for seen in known if seen.keys & own]
    if not same:
        return tab_by_company(top, known), ""
    latest = max(same, key=lambda seen: seen.tab)
    living = [
        seen for seen in same if seen.top and seen.tab == latest.tab and not seen.closed and seen.silence < ALIVE_S
    ]
    if top and living:
        return next_tab(known), living[0].doc
    return latest.tab, ""


def tab_by_company(top: bool, known: Sequence[Seen]) -> int:
    """For keys nobody had: a frame (sandboxed, it knows no history) is with the page heard last; a page is where only frames
    are so far, for they came up before it, else in a new tab.
    """
    pages = [seen for seen in known if seen.top]
    if not top and pages:
        return min(pages, key=lambda seen: seen.silence).tab
    lone = {seen.tab for seen in known} - {seen.tab for seen in pages}
    return max(lone) if lone else next_tab(known)


def next_tab(known: Sequence[Seen]) -> int:
    """The number of a tab that opens now, from 1."""
    return max((seen.tab for seen in known), default=0) + 1
