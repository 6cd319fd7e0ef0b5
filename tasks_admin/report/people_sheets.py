"""The report's tables of people, one function each, out of the figures."""

from __future__ import annotations

from typing import Any

from tasks_admin.comparison.curves import LEAST_SHARED
from tasks_admin.comparison.frames import KINDS
from tasks_admin.report.made_of import attempts
from tasks_admin.report.sheet import Column, N, Sheet

Figures = dict[str, Any]


def people(figures: Figures) -> Sheet:
    told = Sheet(
        "people", "People", "Primary attempts of complete rounds. Intervals: 95 %, bootstrap over tasks, and over people.",
        [Column("condition", "Condition"), Column("attempt", "Attempt"), N, Column("pass_rate", "Passed", "rate"),
         Column("pass_rate_interval", "over tasks, %", "ends_rate"), Column("pass_rate_interval_people", "over people, %",
         "ends_rate"),
         Column("mean_score", "Score", "number"), Column("median_seconds", "Median time", "seconds"),
         Column("median_steps", "Median steps", "number"), Column("median_raw_events", "Median raw events", "number")],
    )  # fmt: skip
    for condition, kinds in figures["human_panel"].items():
        for kind, cell in kinds.items():
            if cell["n"]:
                told.add({"condition": condition, "attempt": kind} | cell, attempts(condition=condition, attempt=kind))
    return told


def changes(figures: Figures) -> Sheet:
    told = Sheet(
        "changes", "What changes for people", "Cold to warm and clean to intervention, over tasks that have both. Points are "
        "percentage points of the pass rate.",
        [Column("what", "Change"), Column("of", "Of"), N, Column("points", "Points", "points"), Column("points_interval",
        "95 % interval", "ends_points"),
         Column("time_ratio_median", "Median time ratio", "number"), Column("raw_events_ratio_median", "Median raw-event ratio",
         "number")],
    )  # fmt: skip
    for condition, cell in figures["human_gain"].items():
        if cell["n"]:
            told.add({"what": "cold → warm", "of": condition} | cell, attempts(condition=condition, paired="attempt"))
    for kind, cell in figures["human_drop"].items():
        if cell["n"]:
            told.add({"what": "clean − intervention", "of": kind} | cell, attempts(attempt=kind, paired="condition"))
    return told


AT_BOUND = (
    "A spread is as large as is looked for, for outcomes are nearly all alike within a task, person or pair: "
    "the ratio and its interval say little"
)
SHOWN_AS_NONE = 0.005
NO_SPREAD = "A spread of 0.00 is one that these attempts do not show, which is not to say that there is none"
EFFECTS = {"intervention": "intervention against clean", "warm": "warm against cold"}
FITTED: dict[str, dict[str, str]] = {  # attempts of everybody, duplicates too
    "passed": {"of": "attempts"},
    "log_time": {"of": "attempts", "passed": "true"},
    "log_steps": {"of": "attempts", "passed": "true", "has": "steps"},
}


def mixed_model(figures: Figures) -> Sheet:
    told = Sheet(
        "mixed_model", "Condition told apart from person", "Mixed models with random intercepts of task, person and pair. "
        "Passes: odds ratio; time and steps of passed attempts: ratio. "
        + figures.get("mixed_model", {}).get("limits", ""),
        [Column("outcome", "Outcome"), Column("effect", "Effect"), N, Column("ratio", "Ratio", "number"),
        Column("ratio_interval", "95 % interval", "ends"),
         Column("sd", "Spread (SD): task, person, pair"), Column("reading", "In words"), Column("refused", "Refused, note", "reason")],
    )  # fmt: skip
    for outcome, cell in figures.get("mixed_model", {}).items():
        if outcome == "limits":
            continue
        if "refused" in cell:
            told.add({"outcome": outcome.replace("_", " ")} | cell)
            continue
        sd = ", ".join(f"{cell['sd'][name]:.2f}" if name in cell["sd"] else "–" for name in ("task", "person", "pair"))
        for effect in ("intervention", "warm"):
            if effect in cell:
                row = {"outcome": outcome.replace("_", " "), "n": cell["n"], "sd": sd}
                row |= {"refused": remarks(outcome, cell)}
                told.add(row | cell[effect] | {"effect": EFFECTS[effect]}, FITTED[outcome])
    return told


def remarks(outcome: str, cell: Figures) -> str | None:
    """What to know of a fit's spreads."""
    told = [AT_BOUND] if outcome == "passed" and cell["edge"] else []
    told += [cell["unpaired"]] if "unpaired" in cell else []
    told += [NO_SPREAD] if any(one < SHOWN_AS_NONE for one in cell["sd"].values()) else []
    return ". ".join(told) or None


def duplicates(figures: Figures) -> Sheet:
    told = Sheet(
        "duplicates", "Duplicate audit", "Duplicate against primary on the same task-condition. Time and steps: duplicate over "
        "primary.",
        [Column("attempt", "Attempt"), Column("duplicates", "Duplicates", "count"), Column("pairs", "Pairs", "count"),
        Column("agreement", "Agree", "rate"),
         Column("kappa", "κ", "number"), Column("ac1", "AC1", "number"), Column("mcnemar_p", "McNemar p", "p"),
         Column("time_ratio", "Time ratio (geometric mean)", "number"),
         Column("time_within", "within × 1.5", "rate"), Column("time_spearman", "Spearman of times", "number"),
         Column("time_icc", "ICC(A,1) of log times", "number"), Column("steps_ratio", "Step ratio (geometric mean)", "number"),
         Column("undefined", "Undefined because")],
    )  # fmt: skip
    for kind, cell in figures["duplicate_audit"].items():
        if cell["pairs"] or cell["duplicates"]:
            reasons = "; ".join(f"{name}: {why}" for name, why in (cell.get("undefined") or {}).items())
            row = {"attempt": kind, "time_ratio": cell["time"].get("geometric_mean"), "time_icc": cell["time"].get("icc_a1"),
            "time_within": cell["time"].get("within_1_5"), "time_spearman": cell["time"].get("spearman"),
                   "steps_ratio": cell["steps"].get("geometric_mean"), "undefined": reasons or None}  # fmt: skip
            told.add(cell | row, {"of": "attempts", "attempt": kind, "paired": "role"} if cell["pairs"] else None)
    return told


def annotators(figures: Figures) -> Sheet:
    told = Sheet(
        "annotators", "Each person", "Marginals: they hold the difficulty of the tasks that each got. The mixed model tells the "
        "two apart.",
        [Column("code", "Code"), Column("condition", "Condition"), Column("attempt", "Attempt"), N, Column("pass_rate", "Passed",
        "rate"),
         Column("median_seconds", "Median time", "seconds"), Column("median_steps", "Median steps", "number")],
    )  # fmt: skip
    for code, by_condition in figures["annotators"].items():
        for condition, kinds in by_condition.items():
            for kind, cell in kinds.items():
                made_of = {"of": "attempts", "person": code, "condition": condition, "attempt": kind}
                told.add({"code": code, "condition": condition, "attempt": kind} | cell, made_of)
    return told


def between(figures: Figures) -> Sheet:
    told = Sheet(
        "between_people", "Steps between people", "Each person's steps against the median of the others on the same "
        "task-condition and attempt, where both passed. "
        f"Pearson's r from {LEAST_SHARED} on.",
        [Column("code", "Code"), N, Column("pearson", "Pearson r", "number"), Column("exact", "Equal", "rate"),
         Column("mean_absolute_difference", "Mean difference, steps", "number"), Column("mean_ratio", "Mean ratio", "number")],
    )  # fmt: skip
    for code, cell in figures["between_people"].items():
        told.add(
            {"code": code} | cell,
            {"of": "attempts", "person": code, "passed": "true", "has": "steps", "paired": "person"},
        )
    return told


def weighted(figures: Figures) -> Sheet:
    told = Sheet(
        "weighted", "People, weighted to the whole benchmark", "Each panel task stands for N / n tasks of its environment and "
        "difficulty.",
        [Column("condition", "Condition"), *(Column(kind, kind.capitalize(), "rate") for kind in KINDS)],
    )  # fmt: skip
    for condition, kinds in figures["weighted_pass_rate"].items():
        if any(value is not None for value in kinds.values()):
            told.add({"condition": condition} | kinds, attempts(condition=condition))
    return told
