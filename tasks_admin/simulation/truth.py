"""What a simulated study is drawn from, and the true values that its estimates should find."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

DRAWS = 400_000


@dataclass(frozen=True)
class AgentTruth:
    """An agent: log odds of a pass on clean tasks, what intervention changes of them, steps and time as multiples of people's."""

    name: str
    log_odds: float = 0.6
    intervention: float = -1.0
    steps: float = 1.8
    time: float = 2.5
    step_unit: str = "executed_actions"


@dataclass(frozen=True)
class Truth:
    """Log odds of a pass and log times of people (cold, clean), effects of intervention and warm, and spreads (SD).

    Spreads are those of tasks, of people, and of pairs (what one person's cold and warm on one task-condition share). Those of passes
    are on the log-odds scale, those of `time_…` on the scale of log time, `time_sd` being an attempt's own.
    """

    log_odds: float = 1.6
    intervention: float = -0.6
    warm: float = 0.4
    task_sd: float = 0.8
    person_sd: float = 0.3
    pair_sd: float = 0.4
    log_time: float = 11.0  # of ms: about a minute
    time_intervention: float = 0.25
    time_warm: float = -0.45
    time_task_sd: float = 0.5
    time_person_sd: float = 0.2
    time_pair_sd: float = 0.2
    time_sd: float = 0.3
    steps_per_minute: float = 9.0
    agents: tuple[AgentTruth, ...] = field(
        default=(AgentTruth("agent-a"), AgentTruth("agent-b", 0.0, -1.4, 2.4, 1.6, "model_turns"))
    )

    def pass_rate(self, condition: str, kind: str, people: np.ndarray) -> float:
        """The expected pass rate of these people (their effects) over tasks like the study's."""
        base = self.log_odds + self.intervention * (condition == "intervention") + self.warm * (kind == "warm")
        return float(np.mean([over_tasks(base + one, float(np.hypot(self.task_sd, self.pair_sd))) for one in people]))

    def agent_rate(self, agent: AgentTruth, condition: str) -> float:
        """The agent's expected pass rate over tasks like the study's."""
        return over_tasks(agent.log_odds + agent.intervention * (condition == "intervention"), self.task_sd)


def over_tasks(log_odds: float, sd: float) -> float:
    """E expit(log_odds + N(0, sd)), by Gauss–Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    return float((expit(log_odds + sd * nodes) * weights).sum() / weights.sum())
