"""What looks private in a text: suggestions for the lead who clears it, and places for the audit. Never a decision."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

PATTERNS: dict[str, re.Pattern[str]] = {
    "an e-mail address": re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,})+"),
    "a telephone number": re.compile(r"(?<![\w.])\+?\d[\d ()/-]{7,17}\d(?![\w.])|(?<![\w.-])\d{3}-\d{4}(?![\w-]|\.\d)"),
    "an internet address": re.compile(
        r"(?<![\w.])(?!127\.0\.0\.1|\d+\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"
    ),  # nor a browser's version
    "a card or account number": re.compile(
        r"(?<!\w)(?:[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}|(?:\d{4}[ -]?){3}\d{4})(?!\w)"
    ),
    "a handle": re.compile(r"(?<![\w@.])@[A-Za-z]\w{2,30}"),
    "a secret in an address": re.compile(r"[?&](?:token|key|secret|password|session|auth)=[^&\s\"]{6,}", re.IGNORECASE),
}


def suspicions(text: str, names: Iterable[str] = ()) -> list[str]:
    """What of PATTERNS the text holds, and whether it holds one of `names` (people of the study)."""
    return [words for words, _ in found(text, names)]


def found(text: str, names: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """(what it looks like, the piece of text), the first of each kind. A name counts from where a word begins: "Vera" is in
    "vera_w", not in "several"."""
    for words, pattern in PATTERNS.items():
        if hit := pattern.search(text):
            yield words, hit[0]
    lowered = text.casefold()
    if name := next((one for one in names if begins_a_word(one.casefold(), lowered)), None):
        yield "a name of somebody in the study", name


def begins_a_word(name: str, text: str) -> bool:
    """True where `text` holds the name with no letter before it."""
    at = text.find(name)
    while at > 0 and text[at - 1].isalpha():
        at = text.find(name, at + 1)
    return at >= 0
