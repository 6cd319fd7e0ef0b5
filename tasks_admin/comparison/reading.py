"""What the mixed models' effects say in plain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

InWords = Callable[[str, dict[str, Any]], str]
WORDS = {"intervention": ("Under intervention", "clean"), "warm": ("On the warm attempt", "cold")}
NONE = 1e-9  # of a share: sums of floats are seldom 0
BOTH = {"intervention": "both conditions", "warm": "both attempts"}


def read(told: dict[str, Any], names: list[str], in_words: InWords) -> dict[str, Any]:
    """Each effect with its `reading`, and all of them as one."""
    readings = {name: in_words(name, told[name]) + among_people(name, told[name]) for name in names}
    whole = [*readings.values(), *([f"{told['unpaired']}."] if "unpaired" in told else [])]
    return {name: told[name] | {"reading": readings[name]} for name in names} | {"reading": " ".join(whole)}


def certain(told: dict[str, Any]) -> str:
    low, high = told["interval"]
    return "" if low > 0 or high < 0 else "; no difference lies within the interval too"


def ends(told: dict[str, Any]) -> str:
    low, high = told["ratio_interval"]
    return f"95 % interval {low:.2f} to {high:.2f}"


def ratio_in_words(what: str, name: str, told: dict[str, Any]) -> str:
    """Of `what` (time, steps) a pass takes."""
    begin, other = WORDS[name]
    return f"{begin} a pass takes {told['ratio']:.2f} × the {what} of a {other} one ({ends(told)}){certain(told)}."


def odds_in_words(name: str, told: dict[str, Any]) -> str:
    begin, other = WORDS[name]
    return f"{begin} the odds of a pass are {told['ratio']:.2f} × those of {other} ({ends(told)}){certain(told)}."


def among_people(name: str, told: dict[str, Any]) -> str:
    """A sentence where the effect is one between people more than within them; else ""."""
    if told["between"] is None:
        return ""
    who = "Nobody did" if told["within_people"] < NONE else "Few people did much of"
    return (
        f" {who} {BOTH[name]}: this is a difference between people, of whom there are {told['between']}, "
        "and cannot be told from what they are like."
    )
