"""Whether a JavaScript predicate can be put into a page: one expression, and nothing that breaks out of it."""

from __future__ import annotations

import re

MAX_LENGTH = 2000
PAIRS = {"(": ")", "[": "]", "{": "}"}
PART = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)|(?P<mark>[(){}\[\]])|(?P<bad>["'`;]|//|/\*|\*/)|.""",
    re.DOTALL | re.VERBOSE,
)


def refuse_broken(predicate: str) -> None:
    """Raises ValueError for a text that is not one plain expression: brackets that don't match, `;`, comments, line ends
    in texts. What an expression means is not looked at; one that throws counts as false."""
    if len(predicate) > MAX_LENGTH:
        raise ValueError(f"a predicate has at most {MAX_LENGTH} characters")
    open_: list[str] = []
    for part in PART.finditer(predicate):
        if part.group("bad"):
            raise ValueError(f"a predicate is one JavaScript expression; {part.group('bad')!r} has no place in it")
        mark = part.group("mark")
        if mark in PAIRS:
            open_.append(PAIRS[mark])
        elif mark and (not open_ or open_.pop() != mark):
            raise ValueError(f"the predicate's brackets don't match at {mark!r}")
    if open_:
        raise ValueError(f"the predicate lacks {open_[-1]!r}")
    if not predicate.strip() or "</" in predicate.lower():
        raise ValueError("a predicate is one JavaScript expression")
