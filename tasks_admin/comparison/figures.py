"""Every figure of a comparison, by the rules of the study: what counts, over which tasks, against which reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tasks_admin.comparison.agreement import passes, ratios
from tasks_admin.comparison.bootstrap import groups_interval, mean_interval
from tasks_admin.comparison.curves import between_people, frontier, inversions, within_curve
from tasks_admin.comparison.failures import failures, self_report
from tasks_admin.comparison.paired import between_models, conditions
from tasks_admin.comparison.tables import Tables

CONDITIONS = ("clean", "intervention")
KINDS = ("cold", "warm")
MULTIPLES = (1, 2, 3, 5)
BREAKDOWNS = ("environment", "difficulty", "primitive")


def compute(tables: Tables) -> dict[str, Any]:
    """All figures as one JSON document. Rates and scores are 0..1, `points` are percentage points, times as their names say."""
    attempts = counting(tables.attempts)
    primary = attempts.filter(pl.col("role") == "primary")
    panel = tables.tasks.filter("in_panel")
    runs = tables.runs.join(panel.select("task", "environment", "difficulty", "primitive"), on="task", how="inner")
    models = sorted(runs["model"].unique().to_list())
    references = reference_table(attempts)
    weights = cell_weights(tables.tasks)
    return {
        "tasks": {"all": tables.tasks.height, "panel": panel.height, "with_attempts": primary["task"].n_unique()},
        "human_panel": {
            condition: {kind: human_cell(pick(primary, condition, kind)) for kind in KINDS} for condition in CONDITIONS
        },
        "human_gain": {condition: gain(primary, condition) for condition in CONDITIONS},
        "human_drop": {kind: human_drop(primary, kind) for kind in KINDS},
        "human_by": {name: by(primary, name) for name in BREAKDOWNS},
        "annotators": annotators(attempts),
        "agents": {model: agent(runs.filter(pl.col("model") == model)) for model in models},
        "agents_by": {
            model: {name: agent_by(runs.filter(pl.col("model") == model), name) for name in BREAKDOWNS}
            for model in models
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
                    runs.filter((pl.col("model") == model) & (pl.col("condition") == condition)),
                    references,
                    panel,
                    condition,
                )
                for condition in CONDITIONS
            }
            for model in models
        },
        "frontier": {condition: frontier(points(runs, models, condition)) for condition in CONDITIONS},
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


def counting(attempts: pl.DataFrame) -> pl.DataFrame:
    """The attempts that count: complete, no practice; ordered, so that the same data gives the same figures."""
    return attempts.filter((pl.col("status") == "complete") & pl.col("role").is_in(["primary", "duplicate"])).sort(
        "attempt_id"
    )


def pick(frame: pl.DataFrame, condition: str, kind: str) -> pl.DataFrame:
    return frame.filter((pl.col("condition") == condition) & (pl.col("attempt") == kind))


def mean(values: pl.Series) -> float | None:
    """The mean, or None of nothing."""
    found = values.cast(pl.Float64).mean()
    return float(found) if isinstance(found, int | float) else None


def middle(values: pl.Series) -> float | None:
    found = values.cast(pl.Float64).median()
    return float(found) if isinstance(found, int | float) else None


def numbers(values: pl.Series) -> NDArray[np.float64]:
    return values.cast(pl.Float64).to_numpy()


def interval(values: pl.Series) -> list[float] | None:
    return mean_interval(numbers(values))


def human_cell(frame: pl.DataFrame) -> dict[str, Any]:
    """One condition and kind: pass rate and score with intervals over tasks, median seconds and raw events."""
    seconds = middle(frame["wall_ms"])
    return {
        "n": frame.height,
        "pass_rate": mean(frame["passed"]),
        "pass_rate_interval": interval(frame["passed"]),
        "pass_rate_interval_people": groups_interval(
            frame["passed"].cast(pl.Float64).to_numpy(), frame["annotator"].to_list()
        ),
        "mean_score": mean(frame["score"]),
        "mean_score_interval": interval(frame["score"]),
        "median_seconds": None if seconds is None else seconds / 1000,
        "median_raw_events": middle(frame["raw_events"]),
        "median_steps": middle(frame["steps"]),
    }


def gain(primary: pl.DataFrame, condition: str) -> dict[str, Any]:
    """Cold to warm on the same tasks: points of pass rate, median ratios warm / cold of time and raw events."""
    cold, warm = (pick(primary, condition, kind) for kind in KINDS)
    both = cold.join(warm, on="task", suffix="_warm")
    timed = both.filter((pl.col("wall_ms") > 0) & (pl.col("wall_ms_warm") > 0))
    counted = both.filter((pl.col("raw_events") > 0) & (pl.col("raw_events_warm") > 0))
    points = mean(both["passed_warm"].cast(pl.Int8) - both["passed"].cast(pl.Int8))
    return {
        "n": both.height,
        "points": None if points is None else 100 * points,
        "time_ratio_median": middle(timed["wall_ms_warm"] / timed["wall_ms"]),
        "raw_events_ratio_median": middle(counted["raw_events_warm"] / counted["raw_events"]),
    }


def human_drop(primary: pl.DataFrame, kind: str) -> dict[str, Any]:
    """Clean minus intervention over the tasks that have both."""
    both = paired(pick(primary, "clean", kind), pick(primary, "intervention", kind))
    return drop_of(both)


def paired(clean: pl.DataFrame, intervention: pl.DataFrame) -> pl.DataFrame:
    keep = ["task", "passed", "score"]
    return clean.select(keep).join(intervention.select(keep), on="task", suffix="_under").sort("task")


def drop_of(both: pl.DataFrame) -> dict[str, Any]:
    """`points` (percentage points) and `score`, with intervals over tasks."""
    passed = both["passed"].cast(pl.Float64) - both["passed_under"].cast(pl.Float64)
    score = both["score"] - both["score_under"]
    points, ends = mean(passed), interval(passed)
    return {
        "n": both.height,
        "points": None if points is None else 100 * points,
        "points_interval": None if ends is None else [100 * end for end in ends],
        "score": mean(score),
        "score_interval": interval(score),
    }


def by(primary: pl.DataFrame, name: str) -> dict[str, Any]:
    """Pass rate and score per value of a field, condition and kind."""
    cells = (
        primary.filter(pl.col(name).is_not_null())
        .group_by(name, "condition", "attempt")
        .agg(
            pl.len().alias("n"), pl.col("passed").mean().alias("pass_rate"), pl.col("score").mean().alias("mean_score")
        )
    )
    told: dict[str, Any] = {}
    for row in cells.sort(name, "condition", "attempt").iter_rows(named=True):
        cell = {"n": row["n"], "pass_rate": row["pass_rate"], "mean_score": row["mean_score"]}
        told.setdefault(row[name], {}).setdefault(row["condition"], {})[row["attempt"]] = cell
    return told


def annotators(attempts: pl.DataFrame) -> dict[str, Any]:
    """Marginals per person, condition and kind. They hold the tasks' difficulty too; only a mixed model tells it apart."""
    cells = attempts.group_by("annotator", "condition", "attempt").agg(
        pl.len().alias("n"),
        pl.col("passed").mean().alias("pass_rate"),
        (pl.col("wall_ms").median() / 1000).alias("median_seconds"),
        pl.col("steps").median().alias("median_steps"),
    )
    told: dict[str, Any] = {}
    for row in cells.sort("annotator", "condition", "attempt").iter_rows(named=True):
        cell = {name: row[name] for name in ("n", "pass_rate", "median_seconds", "median_steps")}
        told.setdefault(row["annotator"], {}).setdefault(row["condition"], {})[row["attempt"]] = cell
    return told


def under(runs: pl.DataFrame, model: str) -> pl.DataFrame:
    """A model's intervention runs, which the paper classes the failures of."""
    return runs.filter((pl.col("model") == model) & (pl.col("condition") == "intervention"))


def agent_by(runs: pl.DataFrame, name: str) -> dict[str, Any]:
    """Per value of a field: each condition's pass rate and score, and the drop over tasks with both."""
    told: dict[str, Any] = {}
    for value in sorted(runs[name].drop_nulls().unique().to_list()):
        frame = runs.filter(pl.col(name) == value)
        sides = [frame.filter(pl.col("condition") == condition) for condition in CONDITIONS]
        both = paired(*sides)
        told[value] = {
            condition: {"n": side.height, "pass_rate": mean(side["passed"]), "mean_score": mean(side["score"])}
            for condition, side in zip(CONDITIONS, sides, strict=True)
        } | {"drop": {"n": both.height, "points": points_of(both)}}
    return told


def points_of(both: pl.DataFrame) -> float | None:
    """Percentage points of pass rate from clean to intervention, over paired tasks."""
    found = mean(both["passed"].cast(pl.Int8) - both["passed_under"].cast(pl.Int8))
    return None if found is None else 100 * found


def agent(runs: pl.DataFrame) -> dict[str, Any]:
    """One model over the panel: each condition, and the drop over tasks with both runs."""
    told: dict[str, Any] = {}
    for condition in CONDITIONS:
        frame = runs.filter(pl.col("condition") == condition).sort("task")
        told[condition] = {
            "n": frame.height,
            "pass_rate": mean(frame["passed"]),
            "pass_rate_interval": interval(frame["passed"]),
            "mean_score": mean(frame["score"]),
            "mean_score_interval": interval(frame["score"]),
        }
    both = paired(*(runs.filter(pl.col("condition") == condition) for condition in CONDITIONS))
    solved = both.filter("passed")
    told["drop"] = drop_of(both) | {"newly_failed": mean(~solved["passed_under"]), "solved_clean": solved.height}
    told["step_units"] = sorted(runs["step_unit"].unique().to_list())
    return told


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
    return known.select("task", "condition", pl.col("steps").alias("h_steps"), pl.col("wall_ms").alias("h_ms"))


def efficiency(runs: pl.DataFrame, references: pl.DataFrame, panel: pl.DataFrame, condition: str) -> dict[str, Any]:
    """Steps and time of one model against the references; H = max(steps of the reference, 1). Both denominators are told."""
    own = references.filter(pl.col("condition") == condition).join(panel.select("task"), on="task")
    both = runs.join(own.select("task", "h_steps", "h_ms"), on="task").sort("task")
    units = runs["step_unit"].unique().to_list()
    told: dict[str, Any] = {
        "n_panel": panel.height,
        "n_with_run": runs.height,
        "n_with_reference": own.height,
        "n_with_both": both.height,
        "step_unit": units[0] if len(units) == 1 else None,
    }
    if len(units) > 1:
        reason = f"the runs count steps in different units ({', '.join(sorted(units))}); they are not put together"
        return told | {"refused": reason, "time_ratio": ratio_of(both, "elapsed_ms", "h_ms")}
    for k in MULTIPLES:
        within = both["passed"] & (both["steps"] <= k * both["h_steps"].clip(lower_bound=1)).fill_null(value=False)
        solved = int(within.sum())
        told[f"within_{k}H_of_panel"] = solved / panel.height if panel.height else None
        told[f"within_{k}H_of_both"] = solved / both.height if both.height else None
    told["within_curve"] = within_curve(runs, own, panel)
    told["step_ratio"] = ratio_of(both, "steps", "h_steps")
    told["time_ratio"] = ratio_of(both, "elapsed_ms", "h_ms")
    return told | weighted_efficiency(both)


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


def points(runs: pl.DataFrame, models: list[str], condition: str) -> list[dict[str, Any]]:
    """Pass rate and mean seconds of each model's runs under a condition."""
    told = []
    for model in models:
        frame = runs.filter((pl.col("model") == model) & (pl.col("condition") == condition))
        ms = mean(frame["elapsed_ms"])
        told.append(
            {"name": model, "pass_rate": mean(frame["passed"]), "mean_seconds": None if ms is None else ms / 1000}
        )
    return told


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


def cell_weights(tasks: pl.DataFrame) -> pl.DataFrame:
    """w = N of the whole table / n of the panel, per environment and difficulty."""
    cells = tasks.group_by("environment", "difficulty").agg(
        pl.len().alias("whole"), pl.col("in_panel").sum().alias("chosen")
    )
    used = cells.filter(pl.col("chosen") > 0)
    return used.with_columns((pl.col("whole") / pl.col("chosen")).alias("weight")).sort("environment", "difficulty")


def first_weights(weights: pl.DataFrame) -> dict[str, float]:
    return {f"{row['environment']}/{row['difficulty']}": row["weight"] for row in weights.iter_rows(named=True)}


def weights_over(panel: pl.DataFrame, weights: pl.DataFrame) -> pl.DataFrame:
    """Task and weight of each panel task."""
    return panel.join(weights, on=["environment", "difficulty"]).select("task", "weight")


def weighted_rate(frame: pl.DataFrame, panel: pl.DataFrame, weights: pl.DataFrame) -> float | None:
    """Pass rate as the whole benchmark would have it, by the cells' weights."""
    joined = frame.join(weights_over(panel, weights), on="task")
    weight, passed = joined["weight"].to_numpy(), joined["passed"].to_numpy().astype(np.float64)
    return float((passed * weight).sum() / weight.sum()) if joined.height else None


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
