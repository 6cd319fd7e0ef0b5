"""The report's tables, one function each, out of the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tasks_admin.comparison.curves import LEAST_SHARED
from tasks_admin.comparison.efficiency import MULTIPLES
from tasks_admin.comparison.frames import BREAKDOWNS, CONDITIONS, FAMILY, KINDS
from tasks_admin.report.sheet import Column, Sheet

Figures = dict[str, Any]
Make = Callable[[Figures], Sheet]
SHEETS: list[Make] = []
N = Column("n", "n", "count")
JUDGES = {"environment": "the environment", "self": "the agent itself", "judge": "a judge", "human": "a person"}


def sheet(make: Make) -> Make:
    """Register a table; they are shown in this order."""
    SHEETS.append(make)
    return make


def all_sheets(figures: Figures) -> list[Sheet]:
    """Every table that has a row."""
    return [found for found in (make(figures) for make in SHEETS) if found.rows]


def attempts(**fields: str) -> dict[str, str]:
    return {"of": "attempts", "role": "primary"} | fields


def runs(**fields: str) -> dict[str, str]:
    return {"of": "runs"} | fields


@sheet
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


@sheet
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


@sheet
def agents(figures: Figures) -> Sheet:
    told = Sheet(
        "agents", "Agents", "Runs on the panel. The drop is over tasks with both conditions; newly failed: share of tasks "
        "solved clean that fail under intervention.",
        [Column("model", "Model"), Column("condition", "Condition"), N, Column("pass_rate", "Passed", "rate"),
         Column("pass_rate_interval", "95 % interval, %", "ends_rate"), Column("mean_score", "Score", "number"),
         Column("drop", "Drop, points", "points"), Column("drop_interval", "95 % interval", "ends_points"),
         Column("newly_failed", "Newly failed", "rate"), Column("step_units", "Steps are"), Column("verdict_sources", "Judged by")],
    )  # fmt: skip
    for model, told_of in figures["agents"].items():
        for condition in CONDITIONS:
            cell = told_of[condition]
            more = {}
            if condition == "intervention":
                drop = told_of["drop"]
                more = {
                    "drop": drop["points"],
                    "drop_interval": drop["points_interval"],
                    "newly_failed": drop["newly_failed"],
                }
            if cell["n"]:
                units = ", ".join(told_of["step_units"]).replace("_", " ")
                judges = ", ".join(JUDGES.get(one, one) for one in told_of["verdict_sources"]) or "not told"
                told.add(
                    {"model": model, "condition": condition, "step_units": units, "verdict_sources": judges}
                    | cell
                    | more,
                    runs(model=model, condition=condition),
                )
    return told


@sheet
def efficiency(figures: Figures) -> Sheet:
    within = [Column(f"within_{k}", f"≤ {k}H" if k > 1 else "≤ H", "rate") for k in MULTIPLES]
    told = Sheet(
        "efficiency", "Efficiency against the references",
        "H: steps of the reference, 1 at least. ≤ kH: share of all panel tasks solved within that many steps. Ratios: agent "
        "over reference on tasks both solved. "
        "Runs that count steps in different units are not put together.",
        [Column("model", "Model"), Column("condition", "Condition"), Column("panel", "Panel tasks", "count"), Column("both",
        "with run and reference", "count"),
         *within, Column("step_mean", "Step ratio: mean of ratios", "number"), Column("step_means", "ratio of means", "number"),
         Column("step_median", "median", "number"),
         Column("time_mean", "Time ratio: mean of ratios", "number"), Column("time_means", "ratio of means", "number"),
         Column("time_median", "median", "number"),
         Column("wes_plus", "WES+", "number"), Column("wes_minus", "WES−", "number"), Column("note", "Note", "reason")],
    )  # fmt: skip
    for model, by_condition in figures["efficiency"].items():
        for condition, cell in by_condition.items():
            if not cell["n_with_run"]:
                continue
            row = {
                "model": model,
                "condition": condition,
                "panel": cell["n_panel"],
                "both": cell["n_with_both"],
                "note": note(cell),
            }
            row |= {f"within_{k}": cell.get(f"within_{k}H_of_panel") for k in MULTIPLES}
            for short, name in (("step", "step_ratio"), ("time", "time_ratio")):
                ratio = cell.get(name) or {}
                row |= {
                    f"{short}_mean": ratio.get("mean_of_ratios"),
                    f"{short}_means": ratio.get("ratio_of_means"),
                    f"{short}_median": ratio.get("median"),
                }
            score = cell.get("weighted_efficiency") or {}
            told.add(
                row | {"wes_plus": score.get("plus"), "wes_minus": score.get("minus")},
                runs(model=model, condition=condition),
            )
    return told


TURNS = "steps are model turns, of which one may hold several actions or none; people's are executed actions"


def note(cell: Figures) -> str | None:
    """What a line of efficiency is refused, and what its steps and time are where they are not people's."""
    time = cell["time_ratio"]
    own = "the runs' time is that of their steps, added up; people's is from start to end"
    turns = TURNS if cell.get("step_unit") == "model_turns" and "refused" not in cell else None
    told = [cell.get("refused"), turns, time.get("refused"), own if time.get("time_unit") == "sum_of_steps" else None]
    return "; ".join(one for one in told if one) or None


def breakdown(figures: Figures, name: str) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """People's and agents' rates and drops per value of a field."""
    for value, by_condition in figures["human_by"].get(name, {}).items():
        rates = {condition: (kinds.get("warm") or {}) for condition, kinds in by_condition.items()}
        clean, under = (rates.get(condition, {}) for condition in CONDITIONS)
        drop = figures["human_drop_by"][name][value]["warm"]
        yield {
            "value": value, "who": "people, warm", "n": (clean.get("n") or 0) + (under.get("n") or 0),
            "clean": clean.get("pass_rate"),
            "intervention": under.get("pass_rate"), "tasks": drop["n"], "drop": drop["points"],
        }, attempts(attempt="warm", **{name: value})  # fmt: skip
    for model, told in figures["agents_by"].items():
        for value, cell in told.get(name, {}).items():
            yield {
                "value": value, "who": model, "n": cell["clean"]["n"] + cell["intervention"]["n"],
                "clean": cell["clean"]["pass_rate"],
                "intervention": cell["intervention"]["pass_rate"], "tasks": cell["drop"]["n"], "drop": cell["drop"]["points"],
            }, runs(model=model, **{name: value})  # fmt: skip


def breakdown_sheet(name: str) -> Make:
    def make(figures: Figures) -> Sheet:
        told = Sheet(
            f"by_{name}", f"By {name}", "Pass rates; a drop is over the tasks with both conditions.",
            [Column("value", name.capitalize()), Column("who", "Who"), N, Column("clean", "Clean", "rate"),
             Column("intervention", "Intervention", "rate"), Column("tasks", "Tasks with both", "count"),
             Column("drop", "Drop, points", "points")],
        )  # fmt: skip
        for row, made_of in sorted(breakdown(figures, name), key=lambda pair: pair[0]["value"]):
            told.add(row, made_of)
        return told

    return make


for field_name in reversed((*BREAKDOWNS, FAMILY)):
    sheet(breakdown_sheet(field_name))


@sheet
def failures(figures: Figures) -> Sheet:
    told = Sheet(
        "failures", "How agents fail", "Failed intervention runs, classed by the BreakingWeb paper's rules in their order "
        "(Appendix I); shares leave out what has no class. "
        "False positives: of runs that the agent declared done, the share that had failed.",
        [Column("model", "Model"), Column("failed", "Failed", "count"), Column("classed", "with what the rules need", "count"),
        Column("belief", "Belief", "rate"),
         Column("action", "Action", "rate"), Column("overreach", "Overreach", "rate"), Column("declared", "Declared done", "count"),
         Column("false_positive_rate", "False positives", "rate"), Column("refused", "Refused, note", "reason")],
    )  # fmt: skip
    for model, cell in figures["failures"].items():
        report = figures["self_report"][model]
        row = (
            {"model": model, "declared": report["n"], "false_positive_rate": report.get("false_positive_rate")}
            | cell
            | cell.get("shares", {})
        )
        told.add(
            row | {"refused": cell.get("refused") or report.get("refused")},
            runs(model=model, condition="intervention", passed="false"),
        )
    return told


POINTS, MCNEMAR = Column("points", "Points", "points"), Column("mcnemar", "McNemar p", "p")


@sheet
def tests(figures: Figures) -> Sheet:
    told = Sheet(
        "tests", "Paired tests", "Each model under both conditions, over tasks that it has under both. McNemar: exact, on passes; "
        "Wilcoxon: signed ranks of scores. Adjusted: Holm's correction over the models.",
        [Column("model", "Model"), N, POINTS, MCNEMAR, Column("mcnemar_holm", "adjusted", "p"),
         Column("wilcoxon", "Wilcoxon p", "p"), Column("wilcoxon_holm", "adjusted", "p")],
    )  # fmt: skip
    for model, cell in figures["paired_tests"]["conditions"].items():
        if cell["n"]:
            points = figures["agents"][model]["drop"]["points"]
            told.add({"model": model, "points": points} | cell, runs(model=model, paired="condition"))
    return told


@sheet
def model_tests(figures: Figures) -> Sheet:
    told = Sheet(
        "model_tests", "Paired tests of models", "Every two models under a condition, over tasks that both have; the smallest p first. "
        "McNemar: exact, on passes. Adjusted: Holm's correction over the pairs of the condition.",
        [Column("condition", "Condition"), Column("first", "First"), Column("second", "Second"), N, POINTS, MCNEMAR,
         Column("mcnemar_holm", "adjusted", "p")],
    )  # fmt: skip
    found = figures["paired_tests"]["models"]
    pairs = [(condition, cell) for condition, cells in found.items() for cell in cells if cell["n"]]
    for condition, cell in sorted(pairs, key=lambda pair: p_or_last(pair[1]["mcnemar"])):
        one, other = cell["models"]
        told.add(
            {"condition": condition, "first": one, "second": other} | cell,
            runs(condition=condition, model=one, or_model=other, paired="model"),
        )
    return told


def p_or_last(value: float | None) -> float:
    """A p value to sort by; where the two never differ there is none, and that stands last."""
    return 2.0 if value is None else value


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


@sheet
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


@sheet
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


@sheet
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


@sheet
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


@sheet
def inversions(figures: Figures) -> Sheet:
    told = Sheet(
        "inversions", "Easy for people, hard for agents", "Tasks whose reference has at most two steps and which most runs fail.",
        [Column("task", "Task"), Column("condition", "Condition"), Column("human_steps", "Steps of the reference", "count"),
        Column("runs", "Runs", "count"),
         Column("passed", "Passed", "count")],
    )  # fmt: skip
    for row in figures["inversions"]:
        told.add(row, runs(task=row["task"], condition=row["condition"]))
    return told


@sheet
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
