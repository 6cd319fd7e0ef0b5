"""Rules about what the person did in an attempt."""

from __future__ import annotations

from annotate.flags.facts import Facts
from annotate.flags.recording import seconds
from annotate.flags.registry import Limits, rule


@rule()
def no_steps(facts: Facts, limits: Limits) -> str:
    """Nothing was done, or nothing was recorded."""
    attempt = facts.attempt
    return "" if attempt.steps else f"The trace has no step ({attempt.raw_events} raw events)."


@rule(share_of_expected=0.25)
def few_steps(facts: Facts, limits: Limits) -> str:
    """Far fewer steps than the task's author expects."""
    steps, expected = facts.attempt.steps, facts.condition.task.expected_steps
    if not steps or not expected or steps >= limits["share_of_expected"] * expected:
        return ""
    return f"{steps} step{'s' * (steps != 1)} where {expected} are expected ({100 * steps / expected:.0f} %)."


@rule(least_characters=20)
def pasted_answer(facts: Facts, limits: Limits) -> str:
    """A whole answer was pasted that neither the instruction nor the website gave.

    Text that the instruction quotes, or that was copied from the website in the same attempt, is the person's own way.
    """
    own = [facts.attempt.instruction, facts.condition.task.instruction]
    for event in facts.events:
        text = (event.get("text") or "").strip()
        if event["type"] in ("copy", "cut") and text:
            own.append(text)
        elif event["type"] == "paste" and len(text) >= limits["least_characters"] and is_new(text, own):
            shown = text if len(text) <= 60 else text[:57] + "…"
            return f"At {seconds(event['t'])} {len(text)} characters were pasted that came from elsewhere: “{shown}”."
    return ""


def is_new(text: str, sources: list[str]) -> bool:
    """True where the text stands in none of the sources, and none of them in it."""
    return not any(text in source or source in text for source in sources if source)


@rule("judgement")
def cold_passed_warm_failed(facts: Facts, limits: Limits) -> str:
    """The second go failed where the first passed."""
    if facts.attempt.kind == "cold" or facts.attempt.passed:
        return ""
    cold = facts.round.attempts.get(kind="cold")
    return f"Cold passed with {cold.score}, warm failed with {facts.attempt.score}." if cold.passed else ""


@rule("replay")
def passed_but_replay_fails(facts: Facts, limits: Limits) -> str:
    """The attempt passed, but its replay in a fresh session does not."""
    replay = facts.replay
    if not facts.attempt.passed or replay is None or replay.outcome not in ("fails_check", "breaks"):
        return ""
    what = f"breaks at step {replay.broke_at}" if replay.outcome == "breaks" else "is played but fails the check"
    return f"Replay {replay.number} {what}" + (f": {replay.diagnosis}. {replay.why}" if replay.diagnosis else ".")
