"""Every figure of a comparison, by the rules of the study: what counts, over which tasks, against which reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tasks_admin.comparison.agents import agent, agent_by, points, under
from tasks_admin.comparison.agreement import passes, ratios
from tasks_admin.comparison.curves import between_people, frontier, inversions
from tasks_admin.comparison.efficiency import efficiency, human_tax, reference_table
from tasks_admin.comparison.failures import failures, self_report
from tasks_admin.comparison.frames import CONDITIONS, FAMILY, KINDS, breakdowns, counting, pick
from tasks_admin.comparison.paired import between_models, conditions
from tasks_admin.comparison.people import annotators, by, drop_by, gain, human_cell, human_drop
from tasks_admin.comparison.tables import Tables
from tasks_admin.comparison.weights import cell_weights, first_weights, weighted_rate, weights_over


def compute(tables: Tables) -> dict[str, Any]:
    """All figures as one JSON document. Rates and scores are 0..1, `points` are percentage points, times as their names say."""
    attempts = counting(tables)
    primary = attempts.filter(pl.col("role") == "primary")
    panel = tables.tasks.filter("in_panel")
    runs = tables.runs.join(
        panel.select("task", "environment", "difficulty", "primitive", FAMILY), on="task", how="inner"
    )
    # A task's primitive is its intervention's, for people as for agents: else a drop would be one between different tasks.
    of_tasks = primary.drop("primitive").join(panel.select("task", "primitive", FAMILY), on="task", how="left")
    fields = breakdowns(panel)
    models = sorted(runs["model"].unique().to_list())
    references = reference_table(attempts)
    weights = cell_weights(tables.tasks)
    compared = {condition: points(runs, condition) for condition in CONDITIONS}
    return {
        "tasks": {"all": tables.tasks.height, "panel": panel.height, "with_attempts": primary["task"].n_unique()},
        "human_panel": {
            condition: {kind: human_cell(pick(primary, condition, kind)) for kind in KINDS} for condition in CONDITIONS
        },
        "human_gain": {condition: gain(primary, condition) for condition in CONDITIONS},
        "human_drop": {kind: human_drop(primary, kind) for kind in KINDS},
        "human_by": {name: by(of_tasks, name) for name in fields},
        "human_drop_by": {name: drop_by(of_tasks, name) for name in fields},
        "annotators": annotators(attempts),
        "agents": {model: agent(runs.filter(pl.col("model") == model)) for model in models},
        "agents_by": {
            model: {name: agent_by(runs.filter(pl.col("model") == model), name) for name in fields} for model in models
        },
        "failures": {model: failures(under(runs, model)) for model in models},
        "self_report": {model: self_report(runs.filter(pl.col("model") == model)) for model in models},
        "paired_tests": {
            "correction": "Holm",
            "conditions": conditions(runs, models),
            "models": {condition: between_models(runs, models, condition) for condition in CONDITIONS},
        },
        "efficiency": {
            model: {
                condition: efficiency(
                    runs.filter(pl.col("model") == model),
                    references,
                    panel,
                    condition,
                )
                for condition in CONDITIONS
            }
            for model in models
        },
        "frontier": {condition: frontier(one["points"]) for condition, one in compared.items()},
        "frontier_over": compared,
        "inversions": inversions(runs, references),
        "between_people": between_people(attempts),
        "references": {c: references.filter(pl.col("condition") == c).height for c in CONDITIONS},
        "human_tax": human_tax(primary, runs),
        "weights": {"sum_over_panel": weights_over(panel, weights)["weight"].sum(), "first": first_weights(weights)},
        "weighted_pass_rate": {
            condition: {kind: weighted_rate(pick(primary, condition, kind), panel, weights) for kind in KINDS}
            for condition in CONDITIONS
        },
        "duplicate_audit": {kind: audit(attempts, kind) for kind in KINDS},
    }


def audit(attempts: pl.DataFrame, kind: str) -> dict[str, Any]:
    """Duplicate against primary on the same task, condition and kind."""
    of_kind = attempts.filter(pl.col("attempt") == kind)
    first, second = (of_kind.filter(pl.col("role") == role) for role in ("primary", "duplicate"))
    pairs = first.join(second, on=["task", "condition"], suffix="_again").sort("task", "condition", "annotator_again")
    told: dict[str, Any] = {"duplicates": second.height, "pairs": pairs.height}
    told |= passes(pairs["passed"].to_numpy().astype(bool), pairs["passed_again"].to_numpy().astype(bool))
    for name, field in (("time", "wall_ms"), ("raw_events", "raw_events"), ("steps", "steps")):
        usable = pairs.filter((pl.col(field) > 0) & (pl.col(f"{field}_again") > 0))
        told[name] = ratios(
            usable[field].to_numpy().astype(np.float64), usable[f"{field}_again"].to_numpy().astype(np.float64)
        )
    return told
