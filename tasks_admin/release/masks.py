"""Masks of an export: what patterns match in recorded texts and addresses is replaced before anything is written.

Raw events are masked first and cleaned afterwards, so that a bundle's traces still prove themselves. The database keeps what it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import regex

from annotate.errors import BadInput
from annotate.models import Study
from recorder.errors import FootpathError

MASK = "•••"
MOST, LONGEST = 50, 200
ENOUGH_S = 5.0  # for one mask and one text: one that takes longer tries ever more ways to match
KEPT_OF_PAGES = frozenset(
    {"tagName"}
)  # of rrweb's events: its own words; what a page calls its attributes is no such word
KEPT = frozenset({"doc", "type", "origin", "how", "cause", "action", "key", "code"})  # never texts of people
LOCATORS = frozenset({"frame", "xpath"})  # made of names of tags and places; an address may stand in them


class EndlessMask(FootpathError):
    """A mask does not come to an end on a text."""

    def __init__(self, pattern: str, length: int) -> None:
        message = (
            f"The mask {pattern} did not come to an end within {ENOUGH_S:.0f} s on a text of {length} characters. "
            "Write it without repeats within repeats, such as (?:a+)+."
        )
        super().__init__("endless_mask", 409, message)


@dataclass(frozen=True)
class Masks:
    """Patterns for texts, and names of query parameters whose values are masked in addresses."""

    texts: tuple[regex.Pattern[str], ...] = ()
    parameters: tuple[regex.Pattern[str], ...] = ()

    def text(self, value: str) -> str:
        """The text with what matches masked. Raises EndlessMask, as all that masks."""
        return self._masked(value, (*self.texts, *self.parameters))

    def event(self, value: Any) -> Any:
        """A raw event or document with its texts masked; names of fields, locators and keys stay."""
        return self._within(value, KEPT, LOCATORS)

    def page(self, value: Any) -> Any:
        """An event of rrweb's with all of its texts masked, those of attributes, too."""
        return self._within(value, KEPT_OF_PAGES, frozenset())

    def _within(self, value: Any, kept: frozenset[str], locators: frozenset[str]) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._within(one, kept, locators) for one in value]
        if not isinstance(value, dict):
            return value
        return {
            name: one
            if name in kept
            else self._masked(one, self.parameters)
            if name in locators and isinstance(one, str)
            else self._within(one, kept, locators)
            for name, one in value.items()
        }

    def _masked(self, text: str, patterns: Sequence[regex.Pattern[str]]) -> str:
        for pattern in patterns:
            try:
                text = pattern.sub(_cover, text, timeout=ENOUGH_S)
            except TimeoutError as error:
                raise EndlessMask(pattern.pattern, len(text)) from error
        return text

    def __bool__(self) -> bool:
        return bool(self.texts or self.parameters)


def _cover(hit: regex.Match[str]) -> str:
    if not hit[0]:
        return ""
    return (hit[1] if hit.re.groups else "") + MASK


def masks_of(study: Study) -> Masks:
    """The study's masks."""
    told = study.options.get("masks") or {}
    return parsed(told.get("texts", []), told.get("parameters", []))


def parsed(texts: Sequence[str], parameters: Sequence[str]) -> Masks:
    """Masks of what a lead wrote. Raises BadInput for a pattern that is none."""
    if len(texts) + len(parameters) > MOST:
        raise BadInput(f"At most {MOST} masks; put some together.", "masks")
    return Masks(
        tuple(compiled(one) for one in texts),
        tuple(
            regex.compile(rf"([?&#;]{spelt(checked(one))}(?:\[[^=]*|%5b[^=]*)?=)[^&#;\s\"'\]]*", regex.IGNORECASE)
            for one in parameters
        ),
    )


def spelt(name: str) -> str:
    """A pattern of a parameter's name, each of its characters as it is or in hexadecimal."""
    return "".join(f"(?:{regex.escape(one)}|{''.join(f'%{byte:02x}' for byte in one.encode())})" for one in name)


def compiled(pattern: str) -> regex.Pattern[str]:
    try:
        found = regex.compile(checked(pattern))
    except regex.error as error:
        raise BadInput(f"The pattern {pattern!r} cannot be read: {error}.", "masks") from error
    if found.groups:
        raise BadInput(
            f"The pattern {pattern!r} has a group; write it with (?:…), for all that matches is masked.", "masks"
        )
    if found.search(""):
        raise BadInput(
            f"The pattern {pattern!r} matches nothing at all, so it would mask between all letters.", "masks"
        )
    return found


def checked(text: str) -> str:
    if len(text) > LONGEST or "\x00" in text:
        raise BadInput(f"A mask is at most {LONGEST} characters long.", "masks")
    return text
