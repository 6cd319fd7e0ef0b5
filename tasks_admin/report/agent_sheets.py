"""The report's tables of agents, and of agents beside people, one function each, out of the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tasks_admin.comparison.efficiency import MULTIPLES
from tasks_admin.comparison.frames import CONDITIONS
from tasks_admin.report.made_of import attempts, runs
from tasks_admin.report.sheet import Column, N, Sheet

Figures = dict[str, Any]
Make = Callable[[Figures], Sheet]
JUDGES = {"environment": "the environment", "self": "the agent itself", "judge": "a judge", "human": "a person"}


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
