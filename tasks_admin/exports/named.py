"""Finding people in what is written: those who are in a study by their names, those who were by digests of theirs.

Only lines that have a piece of a name are read word by word (`annotate.naming`). Where somebody is known by digests alone, every line's
words are looked at, which takes up to twice as long as the rest of an export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

import polars as pl

from annotate.naming import (
    ADDRESS,
    APOSTROPHES,
    NAME,
    SCRIPTS,
    SURNAME,
    UNSEEN,
    digest,
    folded,
    ways,
    windows,
)
from tasks_admin.exports.pieces import Pieces

ODD = r"%[0-9a-f]{2}|&[#a-z]|\\u"  # what only `folded` reads
WORDS = rf"[{SCRIPTS}]|[[\p{{L}}\p{{N}}]--[{SCRIPTS}]]+"

LINES_AT_ONCE = 5_000

kept_digest = lru_cache(100_000)(digest)


class Former(Protocol):
    """What is kept of a name that is in the study no more (annotate.models.FormerName)."""

    kind: str
    words: int
    letters: int
    digest: str


class People:
    """`present` are names and addresses; words of `own` alone are nobody's name here."""

    def __init__(
        self,
        present: Iterable[tuple[str, str]] = (),
        former: Iterable[Former] = (),
        own: frozenset[str] = frozenset(),
    ) -> None:
        given = list(present)
        told = {words: kind for name, email in given for words, kind in ways(name, email).items()}
        self.ways = {words: kind for words, kind in told.items() if words not in own}
        self._pieces = Pieces(given)
        known = set(map(kept_digest, told)) if former else set()
        gone = [one for one in former if one.digest not in known]
        self.former = {one.digest: one.kind for one in gone}
        self._own = own
        self._sizes = {(one.words, one.letters) for one in gone}
        self._longest = max([*(len(words.split()) for words in told), *(words for words, _ in self._sizes)], default=0)

    def told(self) -> list[str]:
        """All that is looked for: where it is the same, the same is found."""
        return [*sorted(self.ways), *sorted(self.former)]

    def found_in(self, texts: pl.Series) -> tuple[int, str] | None:
        """(which text, what it tells) of the first text that names somebody."""
        for index, line in self._suspects(texts):
            if kind := self.kind_in(line):
                return index, kind
        return None

    def kind_in(self, line: str) -> str | None:
        """What a line tells of somebody, if it does: the most telling of all."""
        kinds = {kind for words in windows(line, self._longest) if (kind := self._kind_of_words(words))}
        return next((kind for kind in (ADDRESS, NAME, SURNAME) if kind in kinds), None)

    def _kind_of_words(self, words: str) -> str | None:
        if (words.count(" ") + 1, len(words)) in self._sizes and words not in self._own:
            return self.ways.get(words) or self.former.get(kept_digest(words))
        return self.ways.get(words)

    def _suspects(self, texts: pl.Series) -> Iterator[tuple[int, str]]:
        """(which text, a line of it) that may name somebody."""
        table = pl.DataFrame({"text": range(len(texts)), "line": texts}, schema={"text": pl.UInt32, "line": pl.String})
        if not self.former:
            table = table.filter(self._pieces.may_be_in(texts)) if self.ways else table.clear()
        lines = table.with_columns(pl.col("line").str.split("\n")).explode("line")
        may = self._pieces.are_in(lines["line"])
        if self.former:
            may |= self._may_be_former(lines["line"])
        yield from lines.filter(may).iter_rows()

    def _may_be_former(self, lines: pl.Series) -> pl.Series:
        """Whether a line has words whose digest is known. A piece at a time: the words of a text take ten times its memory."""
        pieces = [self._have_former(lines[at : at + LINES_AT_ONCE]) for at in range(0, len(lines), LINES_AT_ONCE)]
        return pl.concat([pl.Series(dtype=pl.Boolean), *pieces])

    def _have_former(self, lines: pl.Series) -> pl.Series:
        told = pl.DataFrame({"line": range(len(lines)), "word": folded_all(lines).str.extract_all(WORDS)})
        line, word = told.explode("word").drop_nulls().get_columns()
        letters = word.str.len_chars().cast(pl.Int32)
        hits: set[int] = set()
        for many in sorted({many for many, _ in self._sizes}):
            size = letters + many - 1
            for at in range(1, many):
                size += letters.shift(-at)
            wanted = [length for words, length in self._sizes if words == many]
            places = (size.is_in(wanted) & (line == line.shift(1 - many))).arg_true()
            parts = pl.DataFrame({str(at): word.gather(places + at) for at in range(many)})
            runs = parts.select(pl.concat_str(pl.all(), separator=" ")).to_series()
            spoken = runs.filter(runs.str.contains(r"\p{L}"))  # numbers are many, and no names
            known = [run for run in spoken.unique() if kept_digest(run) in self.former]
            hits.update(line.gather(places.filter(runs.is_in(known))))
        return pl.Series(range(len(lines)), dtype=pl.Int64).is_in(sorted(hits))


def folded_all(lines: pl.Series) -> pl.Series:
    """Each line folded; those that `folded` alone can read by it, which takes ten times as long."""
    low = lines.str.to_lowercase()
    plain = (
        low.str.replace_all(r"\\.", " ").str.replace_all(r"['\u2019]s\b", " s").str.replace_all(f"[{APOSTROPHES}]", "")
    )
    foreign = low.str.len_bytes() != low.str.len_chars()
    if foreign.any():
        bare = plain.filter(foreign).str.normalize("NFKD").str.replace_all(f"[{UNSEEN}]", "").str.normalize("NFC")
        plain = plain.scatter(foreign.arg_true(), bare.str.replace_all("\u00df", "ss"))
    odd = low.str.contains(ODD)
    return plain.scatter(odd.arg_true(), pl.Series([folded(line) for line in lines.filter(odd)], dtype=pl.String))
