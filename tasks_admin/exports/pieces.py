"""Pieces of names and addresses that no way of writing these is without: a text that has none need not be read word by word."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from itertools import filterfalse
from urllib.parse import quote

import polars as pl

from annotate.naming import APOSTROPHES, COMMON, INVISIBLE, is_telling

TELLING = 4  # letters of a piece that is seldom met by chance
PART = re.compile(rf"[^\W_]+(?:[{APOSTROPHES}][^\W_]+)*")
_GAPS = r"+ %20 %2520 %c2%a0 &nbsp; \n \t \u00a0 , ,+ ,%20 %2c%20 %2c+ . - _"
BETWEEN = (
    *_GAPS.split(" "),
    " ",
    "  ",
    "\u00a0",
    " \u00a0",
    "\u00a0 ",
    ", ",
    '","',
    '", "',
)  # two short parts of a name
AT = ("@", "%40", "%2540", "&#64;", "&commat;", "\\u0040")
UNREAD = (*INVISIBLE, "%c2%ad", "&shy;", "\\u00ad", "%e2%80%8", "\\u200")  # may stand within a piece, and hide it


def any_of(pieces: Iterable[str]) -> str:
    """An expression that finds one of the pieces."""
    return "|".join(map(re.escape, sorted(pieces)))


class Pieces:
    """The pieces of (name, address) of people. They are looked for in small letters: not telling capitals apart takes five times as
    long; and all with other signs than ASCII's by an expression, for many at once are found fast only without them."""

    def __init__(self, people: Iterable[tuple[str, str]]) -> None:
        given = list(people)
        names = {piece for name, _ in given for piece in pieces_of_name(name)}
        self._names = sorted(filter(str.isascii, names))
        self._signs = any_of({*filterfalse(str.isascii, names), *UNREAD})
        self._mails = sorted({local_end(email) + at for _, email in given if "@" in email for at in AT})

    def may_be_in(self, texts: pl.Series) -> pl.Series:
        """Whether a text may have one; for long texts, as it takes any sign of an address for one."""
        low = texts.str.to_lowercase()
        # One after another: all in one take three times as long.
        return self._have(low, self._names) | low.str.contains(self._signs) | low.str.contains(any_of(AT))

    def are_in(self, lines: pl.Series) -> pl.Series:
        """Whether a line has one."""
        low = lines.str.to_lowercase()
        return self._have(low, self._names) | self._have(low, self._mails) | low.str.contains(self._signs)

    def _have(self, low: pl.Series, pieces: list[str]) -> pl.Series:
        return low.str.contains_any(pieces) if pieces else pl.repeat(value=False, n=len(low), eager=True)


def local_end(email: str) -> str:
    """The last plain piece before the address's sign."""
    return re.split(r"[^a-z0-9]", email.lower().rpartition("@")[0])[-1]


def pieces_of_name(name: str) -> set[str]:
    """Of the part that no way of writing the name is without; of a name of short or common parts, of each two that may meet."""
    parts = PART.findall(unicodedata.normalize("NFC", name).lower())
    if not parts:
        return set()
    rare = [part for part in parts if (len(part) >= TELLING or not part.isascii()) and part not in COMMON]
    if rare:
        return written(parts[-1] if is_telling(name) else max(rare, key=len))
    pairs = {(parts[0], parts[1]), (parts[0], parts[-1]), (parts[-1], parts[0])} if len(parts) > 1 else set()
    return {"".join(parts)} | {one + between + other for one, other in pairs for between in BETWEEN}


def written(part: str) -> set[str]:
    """What stands in a text where the part of a name does: the longest run of plain letters, or all that it may be written as."""
    if plain := [run for run in re.findall("[a-z0-9]+", part) if len(run) >= TELLING]:
        return {max(plain, key=len)}
    cases = {
        unicodedata.normalize(form, case) for form in ("NFC", "NFD") for case in (part, part.capitalize(), part.upper())
    }
    return {form.lower() for case in cases for form in (case, quote(case), quote(quote(case)), json.dumps(case)[1:-1])}
