"""What differs between the events of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from recorder import fast
from recorder.shorthand.body import is_whole
from recorder.shorthand.errors import too_large
from recorder.shorthand.likeness import Likeness
from recorder.shorthand.numbers import DIGITS, SERIES, digits_of, series
from recorder.wire import malformed

MAX_FIELDS = 100  # the worker puts 90 into shorthand at most
Read = dict[int, tuple[list[str], Any]]  # by field: the JSON of values, and the first of them
# Fields that may hold any text, or any number: who changes them so keeps the schema.
TEXTS = frozenset({("key",), ("value",), ("before",), ("data",)})
NUMBERS = frozenset({("x",), ("y",), ("dx",), ("dy",), ("top",), ("left",)})


@dataclass(slots=True)
class Changes:
    """A group's events but for `doc`, `n` and `p`.

    `parts`: what is the same for all, as in a Likeness; `texts`: the JSON of what differs, by field, for each event; `first`: the
    first event's values, where they are not those that it is compared with; `alike`: where that one keeps the schema, the
    others do.
    """

    parts: list[str]
    texts: dict[int, list[str]]
    first: dict[int, Any]
    alike: bool = True


def changes(
    base: Likeness,
    columns: Sequence[Any],
    count: int,
    room: int,
    *,
    whole: bool,
    firsts: Sequence[Callable[[], Likeness]],
) -> Changes:
    """Read the columns of a group of `count` events. `whole`: `base` is the first of them; `room` is in bytes; `firsts` are the first
    events of the groups before.

    Raises FootpathError: 400 where they make no sense, 413 where there would be more than `room`.
    """
    found = Changes(base.parts.copy(), {}, {})
    if max(len(columns), len(base.names)) > MAX_FIELDS:
        raise malformed(f"an event in shorthand has {MAX_FIELDS} fields at most, and a column for each at most")
    for column in columns:
        begun = not whole
        if isinstance(column, str) and column[1:2] == "g":
            take_place(found, base, column, firsts)
            continue
        if isinstance(column, str):
            read = text_column(base, column, room)
            begun |= column[1] == "q"
        else:
            read = list_column(base, column, count - whole)
        for field, (texts, value) in read.items():
            own = texts if begun else [base.parts[2 * field + 1], *texts]
            if len(own) != count:
                raise malformed("a column has not as many values as its group has events")
            found.first[field] = value if begun else base.values[field]
            found.parts[2 * field + 1] = own[0]
            if own.count(own[0]) < count:
                found.texts[field] = own
                found.alike = found.alike and is_harmless(base.names[field], column)
    return found


def is_harmless(name: tuple[str, ...], column: Any) -> bool:
    """True where values of a column are of one kind, and any of that kind keeps the schema where one does."""
    kind = column[1] if isinstance(column, str) else ""
    return (
        kind in {"a", "b", "c"}
        or (kind in {"d", "e", "f"} and name in NUMBERS)
        or (kind in {"s", "t"} and name in TEXTS)
    )


def take_place(found: Changes, base: Likeness, column: str, firsts: Sequence[Callable[[], Likeness]]) -> None:
    """All events have the target, or another object, of the first event of a group before."""
    field, group = DIGITS.get(column[0], len(base.names)), digits_of(column[2:])
    if field >= len(base.names) or len(group) != 1 or group[0] >= len(firsts):
        raise malformed("a target is that of a group before")
    other = firsts[group[0]]()
    fields = [own for own, name in enumerate(base.names) if len(name) > 1 and name[0] == base.names[field][0]]
    begin = other.names.index(base.names[field]) if base.names[field] in other.names else len(other.names)
    there = slice(begin, begin + len(fields))
    if not fields or field != fields[0] or other.names[there] != base.names[field : field + len(fields)]:
        raise malformed("a target has the fields of the one that it is like")
    found.parts[2 * field + 1 : 2 * (field + len(fields)) : 2] = other.parts[2 * begin + 1 : 2 * there.stop : 2]
    found.first.update(zip(fields, other.values[there], strict=True))


def list_column(base: Likeness, column: Any, count: int) -> Read:
    """A column of JSON values: one for all, or one each."""
    if (
        not isinstance(column, list)
        or len(column) < 2
        or not is_whole(column[0])
        or not 0 <= column[0] < len(base.names)
    ):  # noqa: PLR2004
        raise malformed("a column is a list or a text that begins with a field's number")
    field, *values = column
    texts = list(map(fast.written, values))
    return {field: (texts * count if len(texts) == 1 else texts, values[0])}


def text_column(base: Likeness, column: str, room: int) -> Read:
    """A column that is a text."""
    field, kind, text = DIGITS.get(column[:1], len(base.names)), column[1:2], column[2:]
    if field >= len(base.names) or not text:
        raise malformed("a column begins with a field's number and a kind, and is not empty")
    if kind in SERIES:
        texts, numbers = series(kind, text, base.values[field])
        return {field: (texts, numbers[0] if kind in "abc" else numbers[0] / 10)}
    if kind == "s":
        return {field: (list(map(fast.written, text)), text[0])}
    if kind == "t":
        return typed(base, field, text, room)
    if kind in {"p", "q"}:
        paths = [path_text(path) for path in text.split("!")]
        return {field: (paths, [])}
    raise malformed(f"there is no kind of column {kind!r}")


def typed(base: Likeness, field: int, text: str, room: int) -> Read:
    """`value`, `before` and `data` of one character after another at the end of a text."""
    value = base.values[field]
    needed = {("value",), ("before",), ("data",)}
    if base.names[field] != ("value",) or not needed.issubset(base.names) or not isinstance(value, str):
        raise malformed("typing goes on from a value, and has a value before and data")
    if len(text) * (len(value) + len(text) // 2) > room:
        raise too_large(room)
    letters = list(map(fast.written, text))
    grown = [f'{part}"' for part in accumulate((letter[1:-1] for letter in letters), initial=fast.written(value)[:-1])]
    old, data = base.names.index(("before",)), base.names.index(("data",))
    return {field: (grown[1:], value + text[0]), old: (grown[:-1], value), data: (letters, text[0])}


def path_text(path: str) -> str:
    """The JSON of one path."""
    axes = []
    for axis in path.split(" "):
        if axis[:1] not in SERIES or len(axis) < 2:  # noqa: PLR2004
            raise malformed("a path has columns of numbers")
        axes.append(series(axis[0], axis[1:], 0)[0])
    if len({len(axis) for axis in axes}) > 1:
        raise malformed("the columns of a path have one length")
    return "[" + ",".join(f"[{','.join(point)}]" for point in zip(*axes, strict=True)) + "]"
