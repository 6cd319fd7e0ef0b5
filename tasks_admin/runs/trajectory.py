"""What a trajectory tells about how a run ended, as the BreakingWeb paper's Appendix I defines it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

DONE_VERBS = frozenset({"done", "finish", "send_msg_to_user", "complete", "submit"})
ERRORS = ("doesn't exist", "couldn't", "could not", "failed")  # Appendix I.1, "Action-error count"
NO_STEPS = "its steps: it lists none"
SUCCESS = re.compile(r"\b(success\w*|submitted|placed|confirmed|completed|saved)\b", re.IGNORECASE)
CALL = re.compile(r"^\s*([A-Za-z_][\w.]*)\s*\((.*)\)\s*$", re.DOTALL)


def verb_and_target(action: Any) -> tuple[str, str]:
    """An action's verb and what it acts on: `click('a51')`, {"click_element": {"index": 3}}, {"action": "click", "target": …}."""
    if isinstance(action, str):
        found = CALL.match(action)
        if not found:
            return action.strip().split(" ")[0].lower() if action.strip() else "", ""
        return found[1], first_argument(found[2])
    if isinstance(action, dict) and action:
        if isinstance(action.get("action"), str):
            return action["action"], str(action.get("target") or action.get("bid") or "")
        verb = next((name for name, value in action.items() if value is not None), "")
        inner = action.get(verb)
        return verb, str(next(iter(inner.values()), "")) if isinstance(inner, dict) else ""
    return "", ""


def first_argument(arguments: str) -> str:
    return arguments.split(",")[0].strip().strip("'\"")


def longest_repeat(actions: Sequence[Any]) -> int:
    """The longest run of consecutive actions with the same verb and target (the values are dropped)."""
    return max((len(list(group)) for _, group in groupby(map(verb_and_target, actions))), default=0)


def untimed(times: Sequence[Any], parts: str) -> list[str]:
    """Why a run has no time, where some of its parts tell theirs and others do not; nothing where all do, or none."""
    told = sum(one is not None for one in times)
    return [f"its time: no more than {told} of its {len(times)} {parts} tell it"] if 0 < told < len(times) else []


def features(
    actions: Sequence[Any],
    results: Sequence[Any] = (),
    final_thought: str = "",
    positive: Sequence[bool] | None = None,
    negative: Sequence[bool] | None = None,
) -> dict[str, Any]:
    """The features that failures are classed by; what the trajectory does not carry is absent."""
    told: dict[str, Any] = {}
    if actions:
        said = [str(result).lower().replace("’", "'") for result in results if result]
        told = {
            "actions": len(actions),
            "done_verb": verb_and_target(actions[-1])[0] in DONE_VERBS,
            "longest_repeat": longest_repeat(actions),
            "action_errors": sum(any(sign in one for sign in ERRORS) for one in said),
            "success_words": bool(SUCCESS.search(f"{final_thought} {actions[-1]}")),
        }
    if positive is not None:
        told["failed_positive"] = not all(positive)
    if negative is not None:
        told["failed_negative"] = not all(negative)
    return told
