"""Masks of an export: what patterns match in recorded texts and addresses is replaced before anything is written.

Raw events are masked first and cleaned afterwards, so that a bundle's traces still prove themselves. The database keeps what it has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotate.errors import BadInput
from annotate.models import Study

MASK = "•••"
MOST, LONGEST = 50, 200
KEPT = frozenset({"doc", "type", "origin", "how", "cause", "action", "key", "code"})  # never texts of people
LOCATORS = frozenset({"frame", "xpath", "css"})  # in which an address may stand


@dataclass(frozen=True)
class Masks:
    """Patterns for texts, and names of query parameters whose values are masked in addresses."""

    texts: tuple[re.Pattern[str], ...] = ()
    parameters: tuple[re.Pattern[str], ...] = ()

    def text(self, value: str) -> str:
        """The text with what matches masked."""
        return self._masked(value, (*self.texts, *self.parameters))

    def event(self, value: Any) -> Any:
        """A raw event or document with its texts masked; names of fields, locators and keys stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.event(one) for one in value]
        if isinstance(value, dict):
            return {name: self._named(name, one) for name, one in value.items()}
        return value

    def _named(self, name: str, value: Any) -> Any:
        if name in LOCATORS and isinstance(value, str):
            return self._masked(value, self.parameters)
        return value if name in KEPT else self.event(value)

    def _masked(self, text: str, patterns: Sequence[re.Pattern[str]]) -> str:
        for pattern in patterns:
            text = pattern.sub(lambda hit: (hit[1] if hit.re.groups else "") + MASK if hit[0] else "", text)
        return text

    def __bool__(self) -> bool:
        return bool(self.texts or self.parameters)


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
            re.compile(rf"([?&#;]{spelt(checked(one))}(?:\[[^=]*|%5b[^=]*)?=)[^&#;\s\"'\]]*", re.IGNORECASE)
            for one in parameters
        ),
    )


def spelt(name: str) -> str:
    """A pattern of a parameter's name, each of its characters as it is or in hexadecimal."""
    return "".join(f"(?:{re.escape(one)}|{''.join(f'%{byte:02x}' for byte in one.encode())})" for one in name)


def compiled(pattern: str) -> re.Pattern[str]:
    try:
        found = re.compile(f"(?:{checked(pattern)})")
    except re.error as error:
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
