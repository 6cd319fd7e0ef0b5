"""Rules about what the annotator said: boxes, low points, comments, and a word against the verdict."""

from __future__ import annotations

from annotate.flags.facts import Facts
from annotate.flags.registry import Limits, rule

BELIEVES = {"alternate_strategy": "solved it another way", "suspected_bug": "suspects a bug"}


def said(facts: Facts) -> dict[str, int | bool]:
    """The answers of the last revision."""
    return facts.rating.answers if facts.rating else {}


@rule("rating", subject="round")
def annotator_box(facts: Facts, limits: Limits) -> str:
    """The annotator ticked a box."""
    ticked = sorted(name for name, value in said(facts).items() if value is True)
    return "ticked: " + ", ".join(ticked) if ticked else ""


@rule("rating", subject="round", at_most=2)
def low_rating(facts: Facts, limits: Limits) -> str:
    """The annotator gave few points."""
    low = {name: value for name, value in said(facts).items() if value is not True and int(value) <= limits["at_most"]}
    if not low:
        return ""
    return f"rated {limits['at_most']:g} or lower: " + ", ".join(f"{name} ({low[name]})" for name in sorted(low))


@rule("rating", subject="round")
def comment(facts: Facts, limits: Limits) -> str:
    """The annotator left a comment."""
    text = facts.rating.comment.strip() if facts.rating else ""
    return f"left a comment of {len(text)} character{'s' * (len(text) != 1)}" if text else ""


@rule("rating", "judgement")
def verdict_disagrees(facts: Facts, limits: Limits) -> str:
    """The verdict and the annotator's own word disagree."""
    attempt = facts.attempt
    if attempt.declared is not None and attempt.declared != attempt.passed:
        says, verdict = ("done", "not passed") if attempt.declared else ("not done", "passed")
        return f"The annotator declared it {says}; the verdict is {verdict} (score {attempt.score:g})."
    believed = [words for box, words in BELIEVES.items() if said(facts).get(box) is True]
    if attempt.passed or attempt.passed is None or not believed:
        return ""
    return f"It did not pass (score {attempt.score:g}), yet the annotator {' and '.join(believed)}."
