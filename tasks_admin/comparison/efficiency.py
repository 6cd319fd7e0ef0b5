"""Steps and time of agents against the references, and what an intervention costs people."""

from __future__ import annotations

from typing import Any

import polars as pl

from tasks_admin.comparison.curves import within_curve
from tasks_admin.comparison.frames import CONDITIONS, mean, middle, pick

MULTIPLES = (1, 2, 3, 5)


def reference_table(attempts: pl.DataFrame) -> pl.DataFrame:
    """The reference of each task-condition: the attempt that the table names as such; where it names none at all, the warm primary
    attempt that passed with a complete proof."""
    if attempts["reference"].is_null().all():
        found = attempts.filter(
            (pl.col("role") == "primary") & (pl.col("attempt") == "warm") & pl.col("passed") & pl.col("proof_complete")
        )
    else:
        found = attempts.filter(pl.col("reference").fill_null(value=False))
    known = found.filter(pl.col("steps").is_not_null())
    kept = pl.col("steps").alias("h_steps"), pl.col("wall_ms").alias("h_ms"), pl.col("attempt_id").alias("reference")
    return known.select("task", "condition", *kept)


def efficiency(runs: pl.DataFrame, references: pl.DataFrame, panel: pl.DataFrame, condition: str) -> dict[str, Any]:
    """Steps and time of one model under a condition against the references; H = max(steps of the reference, 1). Both denominators are
    told. Units that differ between its conditions are refused too: their figures are read side by side."""
    kinds = kinds_of(runs, "elapsed_ms", "time_unit")
    units = kinds_of(runs, "steps", "step_unit")
    runs = runs.filter(pl.col("condition") == condition)
    own = references.filter(pl.col("condition") == condition).join(panel.select("task"), on="task")
    both = runs.join(own.select("task", "h_steps", "h_ms"), on="task").sort("task")
    told: dict[str, Any] = {
        "n_panel": panel.height,
        "n_with_run": runs.height,
        "n_with_reference": own.height,
        "n_with_both": both.height,
        "step_unit": units[0] if len(units) == 1 else None,
    }
    if reason := no_steps_because(runs, own, units):
        return told | {"refused": reason, "time_ratio": time_ratio(both, kinds)}
    for k in MULTIPLES:
        within = both["passed"] & (both["steps"] <= k * both["h_steps"].clip(lower_bound=1)).fill_null(value=False)
        solved = int(within.sum())
        told[f"within_{k}H_of_panel"] = solved / panel.height if panel.height else None
        told[f"within_{k}H_of_both"] = solved / both.height if both.height else None
    told["within_curve"] = within_curve(runs, own, panel)
    told["step_ratio"] = ratio_of(both, "steps", "h_steps")
    told["time_ratio"] = time_ratio(both, kinds)
    return told | weighted_efficiency(both)


def kinds_of(runs: pl.DataFrame, value: str, unit: str) -> list[str]:
    """The units that the runs have which tell a value."""
    return sorted(runs.filter(pl.col(value).is_not_null())[unit].drop_nulls().unique().to_list())


def no_steps_because(runs: pl.DataFrame, references: pl.DataFrame, units: list[str]) -> str:
    """Why no figure can be made of steps; "" where it can."""
    if len(units) > 1:
        return f"the runs count steps in different units ({', '.join(sorted(units))}); they are not put together"
    if not runs.height:
        return ""
    if not references.height:
        return "no task of the panel has a reference under this condition yet"
    return "" if units else "the runs do not tell their steps"


def weighted_efficiency(both: pl.DataFrame) -> dict[str, Any]:
    """OSWorld-Human's weighted efficiency scores over tasks with run and reference.

    `plus` is the mean of score × H / steps, `minus` that of −(1 − score) × steps / S. S is the step limit, which runs do not tell:
    the most steps of any of these runs stands for it.
    """
    frame = both.filter(pl.col("steps") > 0)
    most = frame["steps"].max()
    human = frame["h_steps"].clip(lower_bound=1)
    return {
        "weighted_efficiency": {
            "n": frame.height,
            "plus": mean(frame["score"] * (human / frame["steps"]).clip(upper_bound=1)),
            "minus": mean(-(1 - frame["score"]) * frame["steps"] / most) if isinstance(most, int) else None,
            "step_limit": most,
        }
    }


def ratio_of(both: pl.DataFrame, agents: str, people: str) -> dict[str, Any]:
    """Agent over reference on tasks that the run passed and whose reference has steps."""
    solved = both.filter(
        pl.col("passed") & (pl.col("h_steps") > 0) & pl.col(agents).is_not_null() & (pl.col(people) > 0)
    )
    over = solved[agents] / solved[people]
    below = mean(solved[people])
    return {
        "n": solved.height,
        "mean_of_ratios": mean(over),
        "median": middle(over),
        "ratio_of_means": (mean(solved[agents]) or 0.0) / below if below else None,
    }


def time_ratio(both: pl.DataFrame, units: list[str]) -> dict[str, Any]:
    """The runs' time over the reference's from start to end, with the `time_unit` of the runs; refused where they have two."""
    if len(units) > 1:
        reason = f"the runs' times are of different kinds ({', '.join(units)}); they are not put together"
        return ratio_of(both.clear(), "elapsed_ms", "h_ms") | {"time_unit": None, "refused": reason}
    return ratio_of(both, "elapsed_ms", "h_ms") | {"time_unit": units[0] if units else None}


def human_tax(primary: pl.DataFrame, runs: pl.DataFrame) -> dict[str, Any]:
    """τ = ln(warm ms under intervention / warm ms clean) per task, whether or not passed, beside the agents' mean drop there."""
    clean, under = (pick(primary, condition, "warm").filter(pl.col("wall_ms") > 0) for condition in CONDITIONS)
    both = clean.join(under, on="task", suffix="_under").sort("task")
    tax = (both["wall_ms_under"] / both["wall_ms"]).log()
    sides = [
        runs.filter(pl.col("condition") == condition).select("task", "model", "harness", "score")
        for condition in CONDITIONS
    ]
    drops = sides[0].join(sides[1], on=["task", "model", "harness"], suffix="_under", nulls_equal=True)
    lost = drops.group_by("task").agg((pl.col("score") - pl.col("score_under")).mean().alias("drop"))
    drop_by_task = dict(lost.join(both.select("task"), on="task", how="semi").sort("task").iter_rows())
    return {
        "n": both.height,
        "median": middle(tax),
        "by_task": dict(zip(both["task"].to_list(), tax.to_list(), strict=True)),
        "agent_drop_by_task": drop_by_task,
    }
