"""Values out of other people's files: read strictly, refused by field."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

from recorder.wire import storable

TRUE = {"true", "yes", "1", "pass", "passed", "success", "successful"}
FALSE = {"false", "no", "0", "fail", "failed", "failure", "unsuccessful"}
LONGEST = 400
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}  # controls, marks of direction and joining, separators
BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that show nothing
LARGEST_COUNT = 10**9
LONGEST_MS = 1e11  # three years: what is longer is another unit, or no time


class Unusable(ValueError):
    """A field that says something it cannot mean; the text is a sentence."""


def text(value: Any, field: str) -> str | None:
    """A short text, None for nothing. Numbers are taken as they are written."""
    if value is None or value == "":
        return None
    if isinstance(value, dict | list | bool):
        raise Unusable(f"{field} is no text")
    said = str(value).strip()
    if len(said) > LONGEST or said != storable(said):
        raise Unusable(
            f"{field} is longer than {LONGEST} characters or holds what no database keeps (a zero byte, half a character)"
        )
    return said or None


def unseen_in(name: str) -> str:
    """The first character of a name that nobody sees or tells from a space, as `U+200B ZERO WIDTH SPACE`; "" where there is none."""
    for one in name:
        if one != " " and (unicodedata.category(one) in UNSEEN or one in BLANKS):
            return f"U+{ord(one):04X} {unicodedata.name(one, 'a control character')}"
    return ""


def mapping(value: Any, field: str) -> dict[str, Any]:
    """A JSON object, {} for nothing."""
    if value is not None and not isinstance(value, dict):
        raise Unusable(f"{field} is no JSON object")
    return value or {}


def listed(value: Any, field: str) -> list[Any]:
    """A JSON list, [] for nothing."""
    if value is not None and not isinstance(value, list):
        raise Unusable(f"{field} is no list")
    return value or []


def objects(value: Any, field: str) -> list[dict[str, Any]]:
    """A JSON list of objects, [] for nothing."""
    found = listed(value, field)
    if odd := next((place for place, one in enumerate(found, 1) if not isinstance(one, dict)), None):
        raise Unusable(f"{field} holds at place {odd} what is no JSON object")
    return found


def number(value: Any, field: str, most: float | None = None) -> float | None:
    """A finite number that is not negative and at most `most`, None for nothing."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        raise Unusable(f"{field} is {value}, not a number")
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise Unusable(f"{field} is {str(value)[:40]!r}, not a number") from error
    if isinstance(value, str) and "_" in value:  # Python would read 1_000 as a thousand
        raise Unusable(f"{field} is {value[:40]!r}, not a number")
    if not math.isfinite(found):
        raise Unusable(f"{field} is {found}, not a finite number")
    if found < 0:
        raise Unusable(f"{field} is negative ({found:g})")
    if most is not None and found > most:
        raise Unusable(f"{field} is {found:g}, over {most:g}")
    return found


def whole(value: Any, field: str) -> int | None:
    """A count, None for nothing."""
    found = number(value, field, LARGEST_COUNT)
    if found is None:
        return None
    if found != int(found):
        raise Unusable(f"{field} is {found:g}, not a whole number")
    return int(found)


def flag(value: Any, field: str) -> bool | None:
    """True or false in any of the usual spellings, None for nothing."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    said = str(value).strip().lower()
    said = {"1.0": "1", "0.0": "0"}.get(said, said)
    if said in TRUE or said in FALSE:
        return said in TRUE
    raise Unusable(f"{field} is {str(value)[:40]!r}, neither true nor false")


def ms_of_seconds(value: Any, field: str) -> float | None:
    """Milliseconds from seconds."""
    found = number(value, field, LONGEST_MS / 1000)
    return None if found is None else found * 1000


def milliseconds(value: Any, field: str) -> float | None:
    """Milliseconds, None for nothing."""
    return number(value, field, LONGEST_MS)
