"""Numbers as shorthand writes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from recorder.wire import malformed

DIGITS = {chr(code): place for place, code in enumerate(code for code in range(35, 127) if chr(code) != "\\")}
LAST_DIGITS, BASE, MAX_NUMBER = 61, 30, 2**60
SERIES = frozenset("abcdef")


def digits_of(text: str) -> list[int]:
    """The numbers that a text holds, none of them negative. Raises FootpathError (400)."""
    found: list[int] = []
    number, scale = 0, 1
    for digit in map(DIGITS.get, text):
        if digit is None or scale > MAX_NUMBER:
            raise malformed("a number has a character that is none of its digits, or too many")
        number += digit * scale
        if digit < LAST_DIGITS:
            found.append(number)
            number, scale = 0, 1
        else:
            scale *= BASE
    if scale > 1:
        raise malformed("a number breaks off")
    return found


def unzigzag(number: int) -> int:
    """A signed number."""
    return -(number + 1) // 2 if number % 2 else number // 2


def series(kind: str, text: str, before: Any) -> tuple[list[str], list[int]]:
    """A column of one of the kinds SERIES after the value `before`: the JSON of its numbers; and they, whole or tenths.

    Raises FootpathError (400).
    """
    if isinstance(before, bool) or not isinstance(before, int | float) or not abs(before) < MAX_NUMBER:
        raise malformed("numbers follow a number")
    whole = kind in "abc"
    start = round(before if whole else before * 10)
    steps: Sequence[int] = digits_of(text)
    if kind not in "cf":
        steps = list(map(unzigzag, steps))
        if kind in "be":
            steps[1:] = accumulate(steps[1:])
    numbers = list(accumulate(steps, initial=start))[1:]
    return list(map(str if whole else tenth_text, numbers)), numbers


def tenth_text(tenths: int) -> str:
    """A number of tenths as JavaScript writes it."""
    return repr(tenths / 10) if tenths % 10 else str(tenths // 10)
