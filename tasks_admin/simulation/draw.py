"""Drawing one study: who does what by the rules of a real design, and what comes of it by the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit

from tasks_admin.comparison.tables import ATTEMPTS, RUNS, TASKS, Tables
from tasks_admin.simulation.truth import AgentTruth, Truth

LEVELS = ("easy", "medium", "hard", "expert", "frontier")
PRIMITIVES = ("grounding", "backtracking", "patience", "verification", "exploration", "state-tracking", "planning")
CONDITIONS = ("clean", "intervention")


@dataclass(frozen=True)
class Size:
    """How large the study is: environments × 5 difficulties × `per_cell` tasks; people; one duplicate per cell where `duplicates`."""

    environments: int = 7
    per_cell: int = 4
    people: int = 4
    duplicates: int = 4

    @property
    def tasks(self) -> int:
        return self.environments * len(LEVELS) * self.per_cell


@dataclass(frozen=True)
class Drawn:
    """The study's tables, and the people's true effects on the log odds."""

    tables: Tables
    people: np.ndarray


def draw(truth: Truth, size: Size, seed: int) -> Drawn:
    """One study; the same for the same truth, size and seed."""
    rng = np.random.default_rng(seed)
    tasks = task_rows(size)
    effects = rng.normal(0, truth.task_sd, len(tasks))
    paces = rng.normal(0, truth.time_task_sd, len(tasks))
    people = rng.normal(0, truth.person_sd, size.people + size.duplicates)
    speeds = rng.normal(0, truth.time_person_sd, size.people + size.duplicates)
    attempts: list[dict[str, Any]] = []
    for place, condition, who, role in places(size, tasks, rng):
        able = effects[place] + people[who] + rng.normal(0, truth.pair_sd)
        pace = paces[place] + speeds[who] + rng.normal(0, truth.time_pair_sd)
        code = f"P{who + 1}" if role == "primary" else f"D{who - size.people + 1}"
        attempts += [
            attempt(truth, tasks[place], condition, kind, role, code, able, pace, rng) for kind in ("cold", "warm")
        ]
    runs = [
        run(truth, agent, task, condition, effects[place], paces[place], rng)
        for agent in truth.agents
        for place, task in enumerate(tasks)
        for condition in CONDITIONS
    ]
    tables = Tables(
        pl.DataFrame(attempts, schema=ATTEMPTS), pl.DataFrame(tasks, schema=TASKS), pl.DataFrame(runs, schema=RUNS)
    )
    return Drawn(tables, people[: size.people])


def task_rows(size: Size) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for site in range(size.environments):
        for level in LEVELS:
            for number in range(size.per_cell):
                rows.append(
                    {
                        "environment": f"site-{site + 1}",
                        "task": f"site-{site + 1}-{level}-{number + 1}",
                        "difficulty": level,
                        "primitive": PRIMITIVES[len(rows) % len(PRIMITIVES)],
                        "in_panel": True,
                    }
                )
    return rows


def places(size: Size, tasks: list[dict[str, Any]], rng: np.random.Generator) -> list[tuple[int, str, int, str]]:
    """(task, condition, person, role): loads even, the two conditions of a task by different people, one duplicate per cell."""
    order = rng.permutation(len(tasks))
    out = []
    for turn, place in enumerate(order):
        first = turn % size.people
        second = (first + 1 + (turn // size.people) % (size.people - 1)) % size.people
        out += [(int(place), "clean", first, "primary"), (int(place), "intervention", second, "primary")]
    if size.duplicates:
        for cell, place in enumerate(range(0, len(tasks), size.per_cell)):
            out.append((place, CONDITIONS[cell % 2], size.people + cell % size.duplicates, "duplicate"))
    return out


def attempt(
    truth: Truth,
    task: dict[str, Any],
    condition: str,
    kind: str,
    role: str,
    code: str,
    able: float,
    pace: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    under, warm = condition == "intervention", kind == "warm"
    passed = bool(rng.random() < expit(truth.log_odds + able + truth.intervention * under + truth.warm * warm))
    log_ms = (
        truth.log_time + pace + truth.time_intervention * under + truth.time_warm * warm + rng.normal(0, truth.time_sd)
    )
    ms = float(np.exp(log_ms))
    steps = max(1, round(ms / 60_000 * truth.steps_per_minute))
    return {
        "attempt_id": f"{code}-{task['task']}-{condition}-{kind}",
        "environment": task["environment"], "task": task["task"], "difficulty": task["difficulty"], "primitive": task["primitive"],
        "condition": condition, "attempt": kind, "role": role, "annotator": code, "round": 1, "status": "complete",
        "score": 1.0 if passed else round(float(rng.random()) * 0.9, 2), "passed": passed, "wall_ms": round(ms),
        "raw_events": steps * 11, "cleaned_events": steps * 2, "steps": steps, "proof_complete": True,
    }  # fmt: skip


def run(
    truth: Truth,
    agent: AgentTruth,
    task: dict[str, Any],
    condition: str,
    effect: float,
    pace: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    passed = bool(rng.random() < expit(agent.log_odds + effect + agent.intervention * (condition == "intervention")))
    ms = float(np.exp(truth.log_time + pace + rng.normal(0, truth.time_sd))) * agent.time
    steps = max(1, round(ms / agent.time / 60_000 * truth.steps_per_minute * agent.steps))
    return {
        "run_id": f"{agent.name}/{task['task']}/{condition}", "model": agent.name, "harness": "simulated", "task": task["task"],
        "condition": condition, "score": 1.0 if passed else round(float(rng.random()) * 0.9, 2), "passed": passed, "steps": steps,
        "step_unit": agent.step_unit, "elapsed_ms": round(ms), "verdict_source": "environment",
        "completed": passed or bool(rng.random() < 0.7),
    }  # fmt: skip
