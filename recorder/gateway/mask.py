"""Masks secrets in what the request log keeps: by their names and looks; or, `closely`, whatever could be one. Pure."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote, unquote_plus

from recorder.gateway.usual import USUAL

MASK = "***"
SECRET_NAME = re.compile(
    r"(?:^|[-_])pass(?:[-_]?(?:code|phrase))?$|pass[-_]?w(?:or)?d|^pwd?$|secret|token|auth(?:orization)?$|api[-_]?key|access[-_]?key|private[-_]?key"
    r"|credential|(?:^|[-_])cv[vc]2?(?:$|[-_])|csc$|(?:security|verification)[-_]?code|card[-_]?(?:number|no|num)|cc[-_]?(?:number|num|exp|csc)|^pan$"
    r"|(?:^|[-_])t?otp(?:$|[-_])|one[-_]?time|(?:^|[-_])pin$|^iban$|^ssn$|^jwt$|^session(?:[-_]?id)?$|cookie|signature|^sig$|^code[-_]?verifier$",
    re.IGNORECASE,
)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
BEARER = re.compile(
    r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
    re.IGNORECASE,
)
PARTS = re.compile(r"[-_.~]+")
SHORT = 3  # up to which a name tells nothing
MANY_DIGITS = 3  # from which on a number may be a code


def mask_path(path: str, *, closely: bool = False) -> str:
    """A path with its query; values of secret parameters and card numbers are masked, all else is as it was."""
    address, mark, query = path.partition("?")
    pairs = [mask_closely(pair) if closely else mask_pair(pair) for pair in query.split("&")]
    address = "/".join(mask_name(part) for part in address.split("/")) if closely else mask_text(address)
    return address + mark + "&".join(pairs)


def mask_closely(pair: str) -> str:
    """A parameter with its name alone; one without a value may itself be one."""
    name, mark, value = pair.partition("=")
    return f"{mask_name(name)}={MASK if value else ''}" if mark else MASK if pair else ""


def mask_name(name: str) -> str:
    """A name as it was where it is one for certain: short, or of usual words, for a secret may be of letters alone."""
    plain = unquote(name)
    return name if len(plain) <= SHORT or all(map(is_usual, PARTS.split(CAMEL.sub("_", plain)))) else MASK


def is_usual(word: str) -> bool:
    """True for the words that most websites use for their paths and fields, in the plural too."""
    return not word or word.lower() in USUAL or word.lower().removesuffix("s") in USUAL


def mask_pair(pair: str) -> str:
    name, mark, value = pair.partition("=")
    if mark and is_secret(unquote_plus(name)):
        return f"{name}={MASK}"
    return pair if mask_text(unquote_plus(value)) == unquote_plus(value) else f"{name}={MASK}"


def mask_json(body: bytes, *, closely: bool = False) -> str:
    """A JSON body with secrets masked; '' where it is not whole JSON in UTF-8."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    masked = mask_all(value) if closely else mask_value(value)
    return json.dumps(masked, ensure_ascii=True, separators=(",", ":")).replace("\\u0000", "\\ufffd")


def mask_value(value: Any) -> Any:
    """The same at every depth."""
    if isinstance(value, dict):
        return {
            name: MASK if is_secret(name) and inner is not None else mask_value(inner) for name, inner in value.items()
        }
    if isinstance(value, list):
        return [mask_value(item) for item in value]
    if isinstance(value, str):
        return mask_text(value)
    return MASK if isinstance(value, int) and is_card(str(value)) else value


def mask_all(value: Any) -> Any:
    """The shape of a value: every text and every number of three digits or more is masked, at every depth."""
    if isinstance(value, dict):
        return {mask_name(name): mask_all(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [mask_all(item) for item in value]
    if isinstance(value, bool) or not value:
        return value
    return MASK if isinstance(value, str) or sum(char.isdigit() for char in str(value)) >= MANY_DIGITS else value


def mask_text(text: str) -> str:
    """Text with card numbers and bearer tokens masked."""
    text = BEARER.sub(MASK, text)
    return DIGITS.sub(lambda found: MASK if is_card(found.group()) else found.group(), text)


def is_secret(name: str) -> bool:
    """True for the names that secrets go by."""
    return bool(SECRET_NAME.search(CAMEL.sub("_", name)))


def is_card(text: str) -> bool:
    """True for 13 to 19 digits that pass Luhn's check."""
    digits = [int(char) for char in text if char.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
