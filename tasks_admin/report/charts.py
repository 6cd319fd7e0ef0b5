"""The report's plots, one function each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import altair as alt
import pandas as pd
import polars as pl

from tasks_admin.comparison.agents import FRONTIER_SHARE
from tasks_admin.comparison.efficiency import reference_table
from tasks_admin.comparison.frames import CONDITIONS, counting, pick
from tasks_admin.comparison.tables import Tables
from tasks_admin.report.agent_sheets import breakdown
from tasks_admin.report.made_of import attempts, runs
from tasks_admin.report.plot import COLOURS, INK, Plot, hue

MOST_POINTS = 4000
TIMES = {"wall": "from start to end", "sum_of_steps": "the steps' own, added up"}
NAMED = 10  # models that stay out of a plot
Figures = dict[str, Any]
Make = Callable[[Figures, Tables], "Plot | None"]
CHARTS: list[Make] = []
BOTH_CONDITIONS = [attempts(attempt="warm", paired="condition"), runs(paired="condition")]


def chart(make: Make) -> Make:
    """Register a plot; they are shown in this order."""
    CHARTS.append(make)
    return make


def all_charts(figures: Figures, tables: Tables) -> list[Plot]:
    """Every plot that there is data for."""
    return [found for make in CHARTS if (found := make(figures, tables)) is not None]


def joined(tables: Tables) -> pl.DataFrame:
    """Solved runs beside solved references: ratios of steps and time per model, task and condition."""
    references = reference_table(counting(tables))
    both = tables.runs.filter("passed").join(references, on=["task", "condition"])
    return both.with_columns(
        (pl.col("steps") / pl.col("h_steps").clip(lower_bound=1)).alias("step_ratio"),
        (pl.col("elapsed_ms") / pl.col("h_ms")).alias("time_ratio"),
    )


def counted_as(figures: Figures, model: str) -> str:
    """A model's name where its steps are plotted, with a mark where they are model turns."""
    cells = figures["efficiency"][model].values()
    return f"{model}, turns" if any(cell["step_unit"] == "model_turns" for cell in cells) else model


def turns_in(names: Iterable[str], models: Iterable[str]) -> str:
    """A sentence where models are marked; else ""."""
    return " “turns”: steps are model turns, not executed actions as people's are." if set(names) - set(models) else ""


@chart
def drop_by_primitive(figures: Figures, tables: Tables) -> Plot | None:
    rows = [row for row, _ in breakdown(figures, "primitive") if row["drop"] is not None]
    if not rows:
        return None
    data = pd.DataFrame(rows)[["value", "who", "tasks", "drop"]]
    shown = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            y=alt.Y("value:N", title=None),
            yOffset="who:N",
            x=alt.X("drop:Q", title="drop of the pass rate, points"),
            color=hue("who"),
        )
    )
    return Plot(
        "drop_by_primitive",
        "Drop by primitive",
        "Clean minus intervention, people (warm) and agents, each over the tasks that they have under both.",
        shown,
        data,
        BOTH_CONDITIONS,
    )


def ratios(tables: Tables, field: str) -> pd.DataFrame:
    found = joined(tables).filter(pl.col(field).is_finite() & (pl.col(field) > 0))
    return found.select("model", "condition", "task", field, "run_id", "reference").head(MOST_POINTS).to_pandas()


def kinds_of_time(tables: Tables) -> str:
    """A sentence where the runs tell times of several kinds; else ""."""
    kinds = joined(tables).filter(pl.col("time_ratio").is_finite())["time_unit"].drop_nulls().unique().sort()
    told = ", ".join(kinds).replace("_", " ")
    return f" The runs' times are of different kinds ({told}) and do not compare." if len(kinds) > 1 else ""


def distribution(name: str, field: str, title: str, axis: str) -> Make:
    def make(figures: Figures, tables: Tables) -> Plot | None:
        data = ratios(tables, field)
        if data.empty:
            return None
        words = "A tick per task that both solved; the diamond is the median."
        if field == "time_ratio":
            words += kinds_of_time(tables)
        else:
            models = data["model"]
            data = data.assign(model=[counted_as(figures, model) for model in models])
            words += turns_in(data["model"], models)
        shown = (
            alt.Chart(data)
            .mark_tick(thickness=2, opacity=0.55, size=16)
            .encode(
                x=alt.X(f"{field}:Q", scale=alt.Scale(type="log"), title=axis),
                y=alt.Y("model:N", title=None),
                yOffset="condition:N",
                color=hue("condition"),
            )
        )
        middle = (
            alt.Chart(data)
            .mark_point(filled=True, size=90, shape="diamond", color=INK)
            .encode(x=f"median({field}):Q", y=alt.Y("model:N", title=None), yOffset="condition:N")
        )
        return Plot(name, title, words, shown + middle, data, [runs(passed="true")])

    return make


chart(distribution("step_ratios", "step_ratio", "Step ratios", "steps of the agent / steps of the reference (log)"))
chart(distribution("time_ratios", "time_ratio", "Time ratios", "time of the agent / time of the reference (log)"))


@chart
def within_curves(figures: Figures, tables: Tables) -> Plot | None:
    rows = [
        {"model": counted_as(figures, model), "condition": condition} | point
        for model, cells in figures["efficiency"].items()
        for condition, cell in cells.items()
        if cell["n_with_run"]
        for point in cell.get("within_curve", [])
    ]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    shown = (
        alt.Chart(data)
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", title="k", scale=alt.Scale(type="log")),
            y=alt.Y("share:Q", title="share of the panel solved in ≤ kH steps", axis=alt.Axis(format="%")),
            color=hue("model"),
            strokeDash=alt.StrokeDash("condition:N", title=None),
        )
    )
    words = "Of all panel tasks." + turns_in(data["model"], figures["efficiency"])
    return Plot("within_curves", "Solved within k times the reference's steps", words, shown, data, [runs()])


@chart
def frontier(figures: Figures, tables: Tables) -> Plot | None:
    rows = [
        {"model": one["name"], "condition": condition}
        | {name: one[name] for name in ("pass_rate", "mean_seconds", "n")}
        | {"frontier": "yes" if one["name"] in figures["frontier"][condition] else "no"}
        for condition, over in figures["frontier_over"].items()
        for one in over["points"]
    ]
    if not rows:
        return None
    data = pl.DataFrame(rows).sort("model", "condition").to_pandas()
    shown = (
        alt.Chart(data)
        .mark_point(filled=True, size=110)
        .encode(
            x=alt.X("mean_seconds:Q", title="mean time of a run, s"),
            y=alt.Y("pass_rate:Q", title="pass rate", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            color=hue("model"),
            shape=alt.Shape("condition:N", title=None),
            opacity=alt.Opacity(
                "frontier:N", scale=alt.Scale(domain=["yes", "no"], range=[1, 0.45]), title="on the frontier"
            ),
        )
    )
    return Plot("frontier", "Efficiency frontier", frontier_words(figures["frontier_over"]), shown, data, [runs()])


def frontier_words(over: dict[str, Any]) -> str:
    """Over which tasks the frontier compares, whose times are of another kind, and which models stay out."""
    tasks = ", ".join(f"{one['tasks']} {condition}" for condition, one in over.items())
    told = f"No other model is as good in both and better in one. Over the tasks that all of them have with a time: {tasks}."
    for condition, one in over.items():
        if len(one["time_units"]) > 1:
            kinds = "; ".join(f"{TIMES[unit]}: {some(models)}" for unit, models in one["time_units"].items())
            told += f" Times are of different kinds ({condition}) and compare only roughly: {kinds}."
    names = [f"{name} ({n}, {condition})" for condition, one in over.items() for name, n in one["left_out"].items()]
    if not names:
        return told
    share = f"fewer than {FRONTIER_SHARE:.0%} of the tasks of the model with the most"
    return f"{told} Left out, with {share}: {some(names)}."


def some(names: list[str]) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


@chart
def tax_against_drop(figures: Figures, tables: Tables) -> Plot | None:
    tax, drop = figures["human_tax"]["by_task"], figures["human_tax"]["agent_drop_by_task"]
    rows = [{"task": task, "tax": tax[task], "drop": drop[task]} for task in tax if task in drop][:MOST_POINTS]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    shown = (
        alt.Chart(data)
        .mark_circle(size=45, opacity=0.6, color=COLOURS[0])
        .encode(
            x=alt.X("tax:Q", title="human tax τ = ln(time under intervention / clean)"),
            y=alt.Y("drop:Q", title="mean drop of the agents' score"),
        )
    )
    return Plot("tax_against_drop", "Human tax against agents' drop", "A point per task.", shown, data, BOTH_CONDITIONS)


@chart
def duplicate_scatter(figures: Figures, tables: Tables) -> Plot | None:
    found = counting(tables)
    first, second = (found.filter(pl.col("role") == role) for role in ("primary", "duplicate"))
    pairs = first.join(second, on=["task", "condition", "attempt"], suffix="_again")
    pairs = pairs.filter((pl.col("wall_ms") > 0) & (pl.col("wall_ms_again") > 0)).head(MOST_POINTS)
    if pairs.is_empty():
        return None
    data = pairs.select(
        "task",
        "condition",
        "attempt",
        (pl.col("wall_ms") / 1000).alias("primary_s"),
        (pl.col("wall_ms_again") / 1000).alias("duplicate_s"),
        pl.col("attempt_id").alias("primary"),
        pl.col("attempt_id_again").alias("duplicate"),
    ).to_pandas()
    axis = alt.Scale(type="log")
    shown = (
        alt.Chart(data)
        .mark_circle(size=50, opacity=0.65)
        .encode(
            x=alt.X("primary_s:Q", scale=axis, title="primary, s (log)"),
            y=alt.Y("duplicate_s:Q", scale=axis, title="duplicate, s (log)"),
            color=hue("attempt"),
        )
    )
    return Plot(
        "duplicate_scatter",
        "Duplicates against primaries",
        "Time of the same task-condition by two people.",
        shown,
        data,
        [{"of": "attempts", "paired": "role"}],
    )


@chart
def per_person(figures: Figures, tables: Tables) -> Plot | None:
    rows = [
        {"code": code, "condition": condition, "attempt": kind, "n": cell["n"], "pass_rate": cell["pass_rate"]}
        for code, by_condition in figures["annotators"].items()
        for condition, kinds in by_condition.items()
        for kind, cell in kinds.items()
    ]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    shown = (
        alt.Chart(data)
        .mark_point(filled=True, size=90)
        .encode(
            x=alt.X("pass_rate:Q", title="pass rate", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("code:N", title=None),
            color=hue("condition"),
            shape=alt.Shape("attempt:N", title=None),
        )
    )
    return Plot(
        "per_person", "Each person", "Marginals; tasks differ between people.", shown, data, [{"of": "attempts"}]
    )


@chart
def cells(figures: Figures, tables: Tables) -> Plot | None:
    found = counting(tables).filter(pl.col("role") == "primary")
    frames = [pick(found, condition, "warm") for condition in CONDITIONS]
    whole = (
        pl.concat(frames)
        .group_by("environment", "difficulty", "condition")
        .agg(pl.len().alias("n"), pl.col("passed").mean().alias("pass_rate"))
    )
    if whole.is_empty():
        return None
    data = whole.sort("environment", "difficulty", "condition").to_pandas()
    shown = (
        alt.Chart(data)
        .mark_rect(cornerRadius=2)
        .encode(
            x=alt.X("difficulty:N", sort=["easy", "medium", "hard", "expert", "frontier"], title=None),
            xOffset="condition:N",
            y=alt.Y("environment:N", title=None),
            color=alt.Color(
                "pass_rate:Q",
                title="people's warm pass rate",
                scale=alt.Scale(scheme="viridis", domain=[0, 1]),
                legend=alt.Legend(format="%"),
            ),
        )
    )
    words = "Clean on the left, intervention on the right of each cell."
    return Plot("cells", "Cells", words, shown, data, [attempts(attempt="warm")])
