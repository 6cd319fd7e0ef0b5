"""Predicates over rows: a field's expected value is a plain value or a Matcher."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tasks_admin.benchmark.engine.matching import maximum_matching


@dataclass(frozen=True)
class Matcher:
    """A test of one value with words for the lead who reads the check."""

    words: str
    accept: Callable[[Any], bool]


Where = Mapping[str, Any]


def same_text(wanted: str) -> Matcher:
    """Equal but for case and white space."""
    return Matcher(f"{wanted!r}", lambda value: _plain(value) == _plain(wanted))


def one_of(wanted: Collection[Any]) -> Matcher:
    """Any of these values."""
    return Matcher(f"one of {sorted(map(str, wanted))}", lambda value: value in wanted)


def satisfies(words: str, accept: Callable[[Any], bool]) -> Matcher:
    """A test of your own."""
    return Matcher(words, accept)


def same_set(*wanted: Where) -> Matcher:
    """A list whose elements pair off one to one with these predicates, none left over."""
    return Matcher(
        "exactly " + "; ".join(words(where) for where in wanted),
        lambda value: isinstance(value, list) and pairs_off(value, wanted),
    )


def pairs_off(rows: list[Any], wanted: Collection[Where]) -> bool:
    """True if rows and predicates match one to one."""
    edges = [[i for i, row in enumerate(rows) if holds(where, row)] for where in wanted]
    return len(rows) == len(wanted) == len(maximum_matching(edges))


def holds(where: Where, row: Mapping[str, Any]) -> bool:
    """True if every field of the predicate suits the row."""
    return all(field in row and _suits(wanted, row[field]) for field, wanted in where.items())


def words(where: Where) -> str:
    """The predicate in words."""
    return ", ".join(f"{field} {w.words if isinstance(w, Matcher) else repr(w)}" for field, w in where.items())


def _suits(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, Matcher):
        return wanted.accept(value)
    return type(wanted) is type(value) and bool(wanted == value)


def _plain(value: Any) -> str:
    return " ".join(str(value).split()).casefold()
