"""What a run did, in texts that a person can look at without learning what anybody thought of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recorder.wire import storable

MOST_STEPS = 1000
LONGEST = 4000  # characters of one text
LONGEST_ANSWER = 20_000
PARTS = ("action", "thought", "url", "result")
TELLING = {"success", "score", "reward", "passed"}  # what an action says of itself and a labeller must not know


@dataclass
class Seen:
    """`steps`: {action, thought, url, result}, texts, what was not told is absent; `cut`: there was more than is kept."""

    steps: list[dict[str, str]] = field(default_factory=list)
    answer: str = ""
    task: str = ""
    cut: bool = False


def seen(steps: Iterable[Mapping[str, Any]], answer: Any = None, task: Any = None) -> Seen | None:
    """What may be looked at, None where the files tell neither a step nor an answer."""
    told = Seen()
    for step in steps:
        if len(told.steps) == MOST_STEPS:
            told.cut = True
            break
        shown = {name: short(told, as_text(step[name])) for name in PARTS if step.get(name) not in (None, "", [], {})}
        if shown:
            told.steps.append(shown)
    told.answer = short(told, as_text(answer), LONGEST_ANSWER)
    told.task = short(told, as_text(task))
    return told if told.steps or told.answer else None


def short(told: Seen, text: str, most: int = LONGEST) -> str:
    """The text as it is kept; a longer one is cut, and that is noted."""
    if len(text) > most:
        told.cut = True
    return storable(text[:most])


def as_text(value: Any) -> str:
    """A value as a line: texts as they are, an action {"click": {"index": 3}} as `click(index=3)`, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return of_action({name: one for name, one in value.items() if one is not None and name not in TELLING})
    return json.dumps(value, ensure_ascii=False, default=str)


def of_action(told: dict[str, Any]) -> str:
    """A JSON action with its verb before its arguments, where it has the form {verb: {argument: value}}."""
    if len(told) == 1:
        verb, inner = next(iter(told.items()))
        if isinstance(inner, dict):
            arguments = {name: one for name, one in inner.items() if one is not None and name not in TELLING}
            return f"{verb}({', '.join(f'{name}={short_json(one)}' for name, one in arguments.items())})"
    return json.dumps(told, ensure_ascii=False, default=str)


def short_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
