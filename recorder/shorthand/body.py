"""Reading a body in shorthand, as far as it makes sense without what it is like."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from recorder import fast
from recorder.schema import DOC, MAX_N
from recorder.shorthand.numbers import digits_of, unzigzag
from recorder.wire import malformed

HEAD = 6
MAX_GROUPS, MAX_LIKES = 1000, 200
MAX_EVENTS = 2000  # of a batch: the worker sends 500 at most
MOST_DIGITS = 8  # characters that a number takes


@dataclass(frozen=True)
class Shorthand:
    """A body as it was read, nothing of it spelled out. `times` are in tenths of ms, `rtt` and `sent` in ms; `own` are lines of
    their own; `likes` the numbers of the events that the server must hold to understand it."""

    who: str | dict[str, Any]
    doc: str  # the id of the document, or its beginning
    first: int
    last: int
    left: int
    rtt: float | None
    sent: float
    check: int
    times: list[int]
    order: list[int]
    groups: list[list[Any]]
    own: list[str]
    likes: frozenset[int]


def read(text: str) -> Shorthand:
    """Read a body. Raises FootpathError (400) where it is none."""
    header, *own = text.split("\n")
    said = loaded(header)
    if not isinstance(said, list) or said[:1] != [2] or len(said) < 4:  # noqa: PLR2004
        raise malformed("the first line is no shorthand of version 2")
    _, who, numbers, order, *groups = said
    doc = who.get("doc") if isinstance(who, dict) else who
    if not isinstance(doc, str) or not DOC.match(doc):
        raise malformed("'who' must be the beginning of a document's id, or an object with one as 'doc'")
    if not isinstance(numbers, str) or not isinstance(order, str):
        raise malformed("numbers and order must be text")
    if max(len(order), len(numbers)) > (HEAD + MAX_EVENTS) * MOST_DIGITS:
        raise malformed(f"there may be {MAX_EVENTS} events")
    if len(groups) > MAX_GROUPS or not all(isinstance(group, list) and group for group in groups):
        raise malformed(f"there may be {MAX_GROUPS} groups, each a list that is not empty")
    digits = digits_of(numbers)
    if len(digits) < HEAD:
        raise malformed(f"there must be {HEAD} numbers before the events' times")
    first, behind, left, rtt, check, later = map(unzigzag, digits[:HEAD])
    times = list(accumulate(digits[HEAD:]))
    events = digits_of(order)
    alone = events.count(0)
    if len(events) > MAX_EVENTS:
        raise malformed(f"there may be {MAX_EVENTS} events")
    if len(times) != len(events) - alone or len(own) != alone or max(events, default=0) > len(groups):
        raise malformed("there are not as many times, lines and groups as events")
    last = first + len(events) - 1 + behind
    if not (0 <= first <= MAX_N and -1 <= last <= MAX_N):
        raise malformed("numbers of events must be from 0 on")
    sent = ((times[-1] if times else 0) + later) / 10
    trip = rtt / 10 if rtt >= 0 else None
    return Shorthand(
        who, doc, first, last, left, trip, sent, check, times, events, groups, own, likes_of(groups, first)
    )


def likes_of(groups: list[list[Any]], first: int) -> frozenset[int]:
    """Numbers of the events before `first` that groups are like."""
    likes = frozenset(first - like for like, *_ in groups if is_whole(like) and like > 0)
    if len(likes) > MAX_LIKES or min(likes, default=0) < 0:
        raise malformed(f"there may be {MAX_LIKES} events that it is like, none of them before the first")
    return likes


def loaded(text: str) -> Any:
    """What JSON says. Raises FootpathError (400) where it is none."""
    try:
        return fast.parsed(text)
    except (ValueError, RecursionError) as error:
        raise malformed(f"the first line is not JSON: {error}") from error


def is_whole(value: Any) -> bool:
    """True for a whole number that is written as one."""
    return isinstance(value, int) and not isinstance(value, bool)
