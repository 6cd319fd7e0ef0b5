"""The mixed models that tell condition from person: each task's clean and intervention are always done by different people.

Pass: logistic, by quadrature over pairs and Laplace's approximation over tasks and people (`laplace.py`). Log time and log steps:
linear, by REML (`reml.py`). Fixed are condition and attempt; task, person and pair (one person's cold and warm on one task-condition)
have random intercepts, crossed, as variance components; pairs have none where too few have both attempts (PAIRED, LEAST_PAIRS).
Effects are those of intervention against clean and of warm against cold; intervals are t's with the tasks less two degrees of
freedom, or the people less two where the effect is one between people (`reading.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import stats

from tasks_admin.comparison import laplace, reml
from tasks_admin.comparison.crossed import Array, Fitted, Unfit
from tasks_admin.comparison.reading import InWords, odds_in_words, ratio_in_words, read

MOST = 100_000  # attempts: of more nobody has measured how long it takes
LEAST = {"people": 3, "tasks": 10, "rows": 40}
PAIRED = 0.5  # of the pairs; with a third the logistic model still finds spreads of 5 where 0.4 is true, and effects as false
LEAST_PAIRS = 20  # for the linear models, which are never that far off: with fewer the interval of warm against cold is too narrow
WITHIN = 0.5  # of an effect's variance; below it intervals with the tasks' degrees of freedom hold the truth too seldom
GROUPS = ("task", "person", "pair")
BOUNDLESS = 50.0  # of an effect: its ratio has 22 digits
LIMITS = (
    "People and tasks are taken as drawn from many; with few people their spread is known poorly and the interval is too narrow. "
    "What a person does better under one condition only is not told apart."
)
UNPAIRED = "Pairs have no spread of their own here, for too few of them have both attempts to show one"


def mixed_models(attempts: pl.DataFrame) -> dict[str, Any]:
    """{"passed", "log_time", "log_steps"}: effects with 95 % intervals, spreads, a reading in words; or `refused` with the reason."""
    frame = attempts.select("task", "annotator", "condition", "attempt", "passed", "wall_ms", "steps").to_pandas()
    told = {"limits": LIMITS, "passed": guarded(frame, logistic)}
    for what, column in (("time", "wall_ms"), ("steps", "steps")):
        usable = frame[frame["passed"].astype(bool) & (frame[column].fillna(0) > 0)]
        usable = usable.assign(y=np.log(usable[column].astype(float)))
        told[f"log_{what}"] = guarded(usable, partial(linear, in_words=partial(ratio_in_words, what)))
    return told


def unfit(frame: pd.DataFrame) -> str:
    """Why no model may be fitted, or ""."""
    counts = {"people": frame["annotator"].nunique(), "tasks": frame["task"].nunique(), "rows": len(frame)}
    short = [f"{counts[name]} {name} where {least} are needed" for name, least in LEAST.items() if counts[name] < least]
    if short:
        return "too thin: " + ", ".join(short)
    if len(frame) > MOST:
        return f"too large: {len(frame):,} attempts, the model is fitted to {MOST:,} at most; choose a part of them"
    if frame["condition"].nunique() < 2:
        return "all attempts are under one condition"
    return ""


def guarded(frame: pd.DataFrame, fit: Callable[[pd.DataFrame], dict[str, Any]]) -> dict[str, Any]:
    """The fit, or the reason why there is none."""
    told: dict[str, Any] = {"n": len(frame)}
    if reason := unfit(frame):
        return told | {"refused": reason}
    try:
        return told | fit(frame)
    except Unfit as error:
        return told | {"refused": f"the model could not be fitted: {error}"}
    except np.linalg.LinAlgError:
        return told | {"refused": "the model could not be fitted: these attempts tie the effects to no value"}


def design(frame: pd.DataFrame) -> tuple[Array, list[str]]:
    """Columns 1, intervention, and warm where there are both kinds; and the names of the last. Raises Unfit."""
    columns, names = [np.ones(len(frame)), (frame["condition"] == "intervention").to_numpy(float)], ["intervention"]
    if frame["attempt"].nunique() > 1:
        columns.append((frame["attempt"] == "warm").to_numpy(float))
        names.append("warm")
    exog: Array = np.column_stack(columns)
    if np.linalg.matrix_rank(exog) < len(columns):
        raise Unfit("attempts under one condition are all cold, those under the other all warm")
    return exog, names


def pairs(frame: pd.DataFrame) -> pd.Series:
    """Which attempts are one person's cold and warm on one task-condition."""
    return frame["task"] + "\n" + frame["condition"] + "\n" + frame["annotator"]


def whole_pairs(frame: pd.DataFrame) -> pd.Series:
    """Of each pair whether it has both attempts: one shows no spread of a pair."""
    return pairs(frame).value_counts() > 1


def linear(frame: pd.DataFrame, in_words: InWords) -> dict[str, Any]:
    """Effects on the log scale, as ratios too."""
    exog, names = design(frame)
    groups = levels(frame) if whole_pairs(frame).sum() >= LEAST_PAIRS else levels(frame)[:2]
    spreads = (*GROUPS[: len(groups)], "rest")
    return told_of(reml.fit(frame["y"].to_numpy(), exog, groups), spreads, exog, names, frame, in_words)


def logistic(frame: pd.DataFrame) -> dict[str, Any]:
    """Effects as log odds, as odds ratios too. Raises Unfit where odds have no ratio, for a side has only passes or only failures."""
    exog, names = design(frame)
    if frame["passed"].nunique() < 2:
        raise Unfit("all attempts passed or all failed")
    for field in ("condition", "attempt"):
        for value, passed in frame.groupby(field)["passed"]:
            if passed.nunique() < 2:
                raise Unfit(
                    f"all {value} attempts {'passed' if passed.iloc[0] else 'failed'}, and such odds have no ratio"
                )
    paired = bool(whole_pairs(frame).mean() >= PAIRED)
    fitted = laplace.fit(frame["passed"].to_numpy(float), exog, levels(frame), spread=paired)
    return told_of(fitted, GROUPS if paired else GROUPS[:2], exog, names, frame, odds_in_words)


def levels(frame: pd.DataFrame) -> list[Any]:
    """Of each row the task, the person and the pair, as numbers."""
    return [pd.factorize(one)[0] for one in (frame["task"], frame["annotator"], pairs(frame))]


def within_people(frame: pd.DataFrame, column: Array) -> float:
    """Share of a column's variance that lies within people: 1 where all have as much of both, 0 where nobody has both."""
    own = pd.Series(column).groupby(frame["annotator"].to_numpy()).transform("mean")
    return float(np.var(column - own.to_numpy()) / np.var(column))


def told_of(
    fitted: Fitted, spreads: tuple[str, ...], exog: Array, names: list[str], frame: pd.DataFrame, in_words: InWords
) -> dict[str, Any]:
    """Spreads and effects of a fit, or why there are none."""
    if not fitted.converged:
        return {"refused": "the fit did not converge"}
    told: dict[str, Any] = {"sd": dict(zip(spreads, map(float, fitted.spreads), strict=True)), "edge": fitted.edge}
    if "pair" not in spreads:
        told["unpaired"] = UNPAIRED
    errors = np.sqrt(np.diag(fitted.covariance))
    people, tasks = (frame[field].nunique() for field in ("annotator", "task"))
    for place, name in enumerate(names, 1):
        within = within_people(frame, exog[:, place])
        freedom = (people if within < WITHIN else tasks) - 2
        told[name] = effect(float(fitted.beta[place]), float(errors[place]), freedom) | {
            "within_people": within,
            "between": people if within < WITHIN else None,
        }
    return told | read(told, names, in_words)


def effect(value: float, error: float, freedom: int) -> dict[str, Any]:
    """The effect, its standard error, 95 % interval, and all as ratios. Raises Unfit where they have no bounds."""
    reach = float(stats.t.ppf(0.975, freedom)) * error
    low, high = value - reach, value + reach
    if not max(abs(low), abs(high)) < BOUNDLESS:
        raise Unfit("these attempts leave an effect without bounds")
    return {
        "effect": value,
        "se": error,
        "freedom": freedom,
        "interval": [low, high],
        "ratio": float(np.exp(value)),
        "ratio_interval": [float(np.exp(low)), float(np.exp(high))],
    }
