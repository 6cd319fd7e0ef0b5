"""The registry of rules: one short function each, with its thresholds as data that a study may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from annotate.flags.facts import Facts

Limits = Mapping[str, float]
Find = Callable[[Facts, Limits], str]
Occasion = Literal["evaluated", "others", "replay", "rating", "judgement"]


@dataclass(frozen=True)
class Rule:
    """A rule: `find` gives the reason with its numbers, or "" where there is none.

    `subject` is what it flags; `again` names what happens later that may change its answer; `limits` are the defaults.
    """

    name: str
    words: str
    subject: Literal["attempt", "round"]
    again: frozenset[str]
    limits: dict[str, float]
    find: Find


RULES: dict[str, Rule] = {}


def rule(*again: Occasion, subject: Literal["attempt", "round"] = "attempt", **limits: float) -> Callable[[Find], Find]:
    """Register a rule under its function's name; the first line of its docstring says it to people."""

    def register(find: Find) -> Find:
        words = (find.__doc__ or "").strip().splitlines()[0]
        RULES[find.__name__] = Rule(find.__name__, words, subject, frozenset(again), limits, find)
        return find

    return register


def limits_of(found: Rule, options: Mapping[str, Any]) -> dict[str, float] | None:
    """The rule's thresholds in a study with these options; None where the study has turned it off."""
    own = (options.get("flags") or {}).get(found.name) or {}
    if own.get("on") is False:
        return None
    return {name: float(own.get(name, default)) for name, default in found.limits.items()}


def rules_for(occasion: Occasion) -> list[Rule]:
    """The rules to run when that happens; all that look at an attempt once it is evaluated."""
    if occasion == "evaluated":
        return [found for found in RULES.values() if found.subject == "attempt"]
    return [found for found in RULES.values() if occasion in found.again]
