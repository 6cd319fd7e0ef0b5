"""Pieces of names and addresses that no way of writing these is without: a text that has none need not be read word by word."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from itertools import filterfalse
from urllib.parse import quote

import polars as pl

from annotate.naming import APOSTROPHES, COMMON, INVISIBLE, WORD, folded, is_telling

TELLING = 4  # letters of a piece that is seldom met by chance
PART = re.compile(rf"[^\W_]+(?:[{APOSTROPHES}][^\W_]+)*")
BETWEEN = r"(?:[^a-z0-9]|%(?:25)?[0-9a-f]{2}|&#?[a-z0-9]{2,6};|\\[nrt])+"  # two short parts of a name
AT = ("@", "%40", "%2540", "&#64;", "&commat;", "\\u0040")
WIDE = "[\uff21-\uff3a\uff41-\uff5a]"  # letters as wide as Chinese signs
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
        pairs = [pair for name, _ in given for pair in pairs_of_name(name)]
        ones, others = ({pair[place] for pair in pairs} for place in (0, 1))
        met = [f"(?:{any_of(ones)}){BETWEEN}(?:{any_of(others)})"] if pairs else []
        self._signs = "|".join([any_of({*filterfalse(str.isascii, names), *UNREAD}), WIDE, *met])
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
    """One of these stands in each way of writing the name, but for what `pairs_of_name` gives: its first or last part, or all of it
    glued together."""
    parts = parts_of(name)
    if not parts:
        return set()
    rare = [part for part in (parts[0], parts[-1]) if is_rare(part)]
    if rare:
        return written(parts[-1] if is_telling(name) else max(rare, key=len))
    return {"".join(parts)}


def pairs_of_name(name: str) -> set[tuple[str, str]]:
    """Each two parts that may meet, of a name whose first and last part are short or common."""
    parts = parts_of(name)
    if len(parts) < 2 or is_rare(parts[0]) or is_rare(parts[-1]):
        return set()
    return {(parts[0], parts[1]), (parts[0], parts[-1]), (parts[-1], parts[0])}


def parts_of(name: str) -> list[str]:
    return PART.findall(unicodedata.normalize("NFC", name).lower())


def is_rare(part: str) -> bool:
    return (len(part) >= TELLING or not part.isascii()) and part not in COMMON


def written(part: str) -> set[str]:
    """What stands in a text where the part of a name does: the longest run of plain letters, or all that it may be written as."""
    if WORD.fullmatch(part[:1]) and len(WORD.findall(part)) > 1:
        part = part[:1]  # of a script whose words have no space between them, each sign is a word
    if plain := [run for run in re.findall("[a-z0-9]+", part) if len(run) >= TELLING]:
        return {max(plain, key=len)}
    cases = {
        unicodedata.normalize(form, case) for form in ("NFC", "NFD") for case in (part, part.capitalize(), part.upper())
    }
    forms = {form.lower() for case in cases for form in (case, quote(case), quote(quote(case)), json.dumps(case)[1:-1])}
    return forms | {folded(part)}
