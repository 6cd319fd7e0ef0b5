"""What agents are called: a name is of one agent only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

NO_HARNESS = "no harness"
Agent = tuple[str, str | None]  # model and harness


def agent_names(agents: Iterable[Agent]) -> dict[Agent, str]:
    """Of each agent its model, or `model (harness)` where several harnesses ran the model, or where an agent of another model is
    called as this model is."""
    found = set(agents)
    full = {(model, harness): f"{model} ({harness or NO_HARNESS})" for model, harness in found}
    with_harness = {model for model, number in Counter(model for model, _ in found).items() if number > 1}
    while (
        clashing := {model for model, _ in found}
        & {name for (model, _), name in full.items() if model in with_harness} - with_harness
    ):
        with_harness |= clashing
    return {agent: full[agent] if agent[0] in with_harness else agent[0] for agent in found}
