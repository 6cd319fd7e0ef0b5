"""From shorthand to the lines that are meant."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recorder import fast
from recorder.schema import MAX_CLOCK, MAX_N
from recorder.shorthand.body import Shorthand, is_whole
from recorder.shorthand.columns import Changes, changes
from recorder.shorthand.errors import too_large, unlike
from recorder.shorthand.likeness import Likeness, likeness
from recorder.shorthand.numbers import tenth_text
from recorder.wire import malformed

CHECK = 1_000_003
IDENTITY = ["doc", "n", "p"]


def lines(said: Shorthand, doc: str, held: Mapping[int, str], limit: int) -> list[tuple[str, int]]:
    """The event lines that are meant, in order, each with the place of its leader: its own, or that of an earlier one; where the
    leader keeps the schema, so does the line.

    `doc` is the document's whole id, `held` the lines of it that the server holds, by number.
    Raises FootpathError: 400 where it makes no sense, 409 where something of `held` is missing or another than is meant, 413 where the
    lines would have more than `limit` bytes.
    """
    found = [("", 0)] * len(said.order)
    room = limit
    try:
        for place, line, leader in spelled(said, doc, held, limit):
            room -= len(line)
            if room < 0:
                raise too_large(limit)
            found[place] = (line, leader)
        text = "\n".join([line for line, _ in found]).encode()
    except RecursionError as error:
        raise malformed("it is nested too deep") from error
    except UnicodeEncodeError as error:
        raise malformed("it has half a character") from error
    if zlib.adler32(text) % CHECK != said.check:
        raise unlike("it says something else than was meant")
    return found


def spelled(said: Shorthand, doc: str, held: Mapping[int, str], room: int) -> Iterator[tuple[int, str, int]]:
    """(place, line, place of its leader) of each event, group by group, one after another: who has too many can end it."""
    places: list[list[int]] = [[] for _ in range(len(said.groups) + 1)]
    for place, number in enumerate(said.order):
        places[number].append(place)
    yield from zip(places[0], said.own, places[0], strict=True)
    sane = said.last <= MAX_N and (not said.times or said.times[-1] <= MAX_CLOCK * 10)
    times = iter(map(tenth_text, said.times))
    begun = [
        f'{{"doc":"{doc}","n":{said.first + i},"p":{next(times)}' if group else "" for i, group in enumerate(said.order)
    ]
    firsts: list[First] = []
    for (like, *columns), mine in zip(said.groups, places[1:], strict=True):
        if not mine:
            raise malformed("a group has no event")
        base = base_of(like, said.first, held, firsts)
        read = changes(base, columns, len(mine), room, whole=isinstance(like, dict), firsts=firsts)
        firsts.append(First(base, read))
        parts = read.parts.copy()
        for i, place in enumerate(mine):
            for field, texts in read.texts.items():
                parts[2 * field + 1] = texts[i]
            yield place, begun[place] + "".join(parts), mine[0] if sane and read.alike else place


def base_of(like: Any, first: int, held: Mapping[int, str], firsts: list[First]) -> Likeness:
    """What a group is compared with."""
    if isinstance(like, dict):
        return likeness(like)
    if not is_whole(like) or -like >= max(len(firsts), 1) or (like == 0 and not firsts):
        raise malformed("a group must be like an event, or like a group before it")
    if like <= 0:
        made: First = firsts[-like]
        return made()
    event = fast.parsed(held[first - like]) if first - like in held else None
    if not isinstance(event, dict) or list(event)[:3] != IDENTITY:
        raise unlike(f"event {first - like} is not held")
    for name in IDENTITY:
        del event[name]
    return likeness(event)


@dataclass(slots=True)
class First:
    """A group's first event, put together when another is like it."""

    base: Likeness
    read: Changes
    made: Likeness | None = None

    def __call__(self) -> Likeness:
        if self.made is None:
            values = [self.read.first.get(field, value) for field, value in enumerate(self.base.values)]
            self.made = Likeness(self.base.names, values, self.read.parts)
        return self.made
