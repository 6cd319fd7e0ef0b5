"""Which attempt stands for a task-condition: policies as named data, and one pure function that applies them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """An attempt of a complete round as policies see it. `steps` and `wall_ms` are None where they are not known."""

    attempt: int
    kind: str  # cold or warm
    role: str  # primary, duplicate or practice
    code: str
    passed: bool
    proof_complete: bool
    verified: bool
    accepted: bool
    steps: int | None
    wall_ms: int | None
    left_out: str = ""  # why figures leave its round out; "" where they do not


@dataclass(frozen=True)
class Policy:
    """`kinds` may be chosen; `order` names what decides, each the smaller the better; `words` say it to people."""

    name: str
    words: str
    kinds: tuple[str, ...]
    order: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """The chosen attempt or None, those that came after it, best first, why, and why each other one may not be chosen."""

    attempt: int | None
    runners_up: list[int]
    reason: str
    refused: dict[int, str]


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("default", "warm; fewest steps, then shortest time", ("warm",), ("steps", "time")),
        Policy("best_of_two", "cold or warm; fewest steps, then shortest time", ("cold", "warm"), ("steps", "time")),
        Policy("first", "cold, as it is done the first time; fewest steps, then shortest time", ("cold",), ("steps", "time")),
        Policy("fastest", "warm; shortest time, then fewest steps", ("warm",), ("time", "steps")),
        Policy("duplicate_wins", "warm; duplicates first, then fewest steps, then time", ("warm",), ("duplicate", "steps", "time")),
    )
}  # fmt: skip
DEFAULT = "default"
NEVER = 10**12
KEYS: dict[str, Callable[[Candidate], int]] = {
    "steps": lambda one: NEVER if one.steps is None else one.steps,
    "time": lambda one: NEVER if one.wall_ms is None else one.wall_ms,
    "duplicate": lambda one: 0 if one.role == "duplicate" else 1,
}
SAID: dict[str, Callable[[Candidate], str]] = {
    "steps": lambda one: f"{one.steps} steps",
    "time": lambda one: f"{(one.wall_ms or 0) / 1000:.1f} s",
    "duplicate": lambda one: one.role,
}


def refusal(candidate: Candidate) -> str:
    """Why the attempt may never be chosen, whatever the policy; "" where it may."""
    if candidate.role == "practice":
        return "practice never counts"
    if candidate.left_out:
        return candidate.left_out
    if not candidate.passed:
        return "it did not pass"
    if not candidate.proof_complete:
        return "its recording is not complete"
    if not candidate.verified:
        return "its replay is not verified"
    return "" if candidate.accepted else "it is flagged and not accepted by a review"


def choose(policy: Policy, candidates: Sequence[Candidate]) -> Choice:
    """Apply a policy. Ties are broken by the attempt's id, so that the same data give the same reference."""
    refused = {one.attempt: why for one in candidates if (why := refusal(one) or wrong_kind(policy, one))}
    left = [one for one in candidates if one.attempt not in refused]
    if not left:
        return Choice(None, [], none_reason(refused), refused)
    ranked = sorted(left, key=lambda one: (*(KEYS[name](one) for name in policy.order), one.attempt))
    return Choice(ranked[0].attempt, [one.attempt for one in ranked[1:]], reason(policy, ranked), refused)


def wrong_kind(policy: Policy, candidate: Candidate) -> str:
    return "" if candidate.kind in policy.kinds else f"{candidate.kind} attempts are not chosen by this policy"


def none_reason(refused: dict[int, str]) -> str:
    """Why there is no reference, in one sentence."""
    if not refused:
        return "No complete round yet."
    counted = {why: list(refused.values()).count(why) for why in refused.values()}
    return "None may be chosen: " + "; ".join(f"{why} ({count})" for why, count in sorted(counted.items())) + "."


def reason(policy: Policy, ranked: list[Candidate]) -> str:
    """Why the first one, with what decided."""
    best = ranked[0]
    if len(ranked) == 1:
        return f"The only one that may be chosen: {best.kind} by {best.code}, {said(policy, best)}."
    for name in policy.order:
        if KEYS[name](best) != KEYS[name](ranked[1]):
            other = ranked[1]
            return f"{SAID[name](best)} ({best.kind} by {best.code}) against {SAID[name](other)} ({other.kind} by {other.code})."
    return f"Equal to {ranked[1].kind} by {ranked[1].code} in all that decides; it was there first."


def said(policy: Policy, one: Candidate) -> str:
    return ", ".join(SAID[name](one) for name in policy.order if name != "duplicate")


def policy_of(options: dict[str, Any]) -> Policy:
    """The policy that a study's options name."""
    return POLICIES[options.get("reference_policy", DEFAULT)]
