"""The mixed models that tell condition from person: each task's clean and intervention are always done by different people.

Pass: logistic, by quadrature over pairs and Laplace's approximation over tasks and people (`laplace.py`). Log time and log steps:
linear, by REML (`reml.py`). Fixed are condition and attempt; task, person and pair (one person's cold and warm on one task-condition)
have random intercepts, crossed, as variance components. Effects are those of intervention against clean and of warm against cold;
intervals are t's with the tasks less two degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import stats

from tasks_admin.comparison import laplace, reml
from tasks_admin.comparison.crossed import Fitted

MOST = 100_000  # attempts: of more nobody has measured how long it takes
InWords = Callable[[str, dict[str, Any]], str]
LEAST = {"people": 3, "tasks": 10, "rows": 40}
LIMITS = (
    "People and tasks are taken as drawn from many; with few people their spread is known poorly and the interval is too narrow. "
    "What a person does better under one condition only is not told apart."
)


def mixed_models(attempts: pl.DataFrame) -> dict[str, Any]:
    """{"passed", "log_time", "log_steps"}: effects with 95 % intervals, spreads, a reading in words; or `refused` with the reason."""
    frame = attempts.select("task", "annotator", "condition", "attempt", "passed", "wall_ms", "steps").to_pandas()
    told = {"limits": LIMITS, "passed": guarded(frame, "passed", logistic)}
    for name, column in (("log_time", "wall_ms"), ("log_steps", "steps")):
        usable = frame[frame["passed"].astype(bool) & (frame[column].fillna(0) > 0)]
        told[name] = guarded(usable.assign(y=np.log(usable[column].astype(float))), name, linear)
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


def guarded(frame: pd.DataFrame, name: str, fit: Any) -> dict[str, Any]:
    """The fit, or the reason why there is none."""
    told: dict[str, Any] = {"n": len(frame)}
    if reason := unfit(frame):
        return told | {"refused": reason}
    if name == "passed" and frame["passed"].nunique() < 2:
        return told | {"refused": "all attempts passed or all failed"}
    try:
        found: dict[str, Any] = fit(frame)
    except (np.linalg.LinAlgError, ValueError) as error:
        return told | {"refused": f"the model could not be fitted ({error})"}
    return told | found


def design(frame: pd.DataFrame) -> tuple[Any, list[str]]:
    """Columns 1, intervention, and warm where there are both kinds; and the names of the last."""
    columns, names = [np.ones(len(frame)), (frame["condition"] == "intervention").to_numpy(float)], ["intervention"]
    if frame["attempt"].nunique() > 1:
        columns.append((frame["attempt"] == "warm").to_numpy(float))
        names.append("warm")
    exog: Any = np.column_stack(columns)
    if np.linalg.matrix_rank(exog) < len(columns):
        raise ValueError("attempts under one condition are all cold, those under the other all warm")
    return exog, names


def pairs(frame: pd.DataFrame) -> pd.Series:
    """Which attempts are one person's cold and warm on one task-condition."""
    return frame["task"] + "\n" + frame["condition"] + "\n" + frame["annotator"]


def linear(frame: pd.DataFrame) -> dict[str, Any]:
    """Effects on the log scale, as ratios too."""
    exog, names = design(frame)
    return told_of(reml.fit(frame["y"].to_numpy(), exog, levels(frame)), names, frame, ratio_in_words)


def logistic(frame: pd.DataFrame) -> dict[str, Any]:
    """Effects as log odds, as odds ratios too."""
    exog, names = design(frame)
    return told_of(laplace.fit(frame["passed"].to_numpy(float), exog, levels(frame)), names, frame, odds_in_words)


def levels(frame: pd.DataFrame) -> list[Any]:
    """Of each row the task, the person and the pair, as numbers."""
    return [pd.factorize(one)[0] for one in (frame["task"], frame["annotator"], pairs(frame))]


def told_of(fitted: Fitted, names: list[str], frame: pd.DataFrame, in_words: InWords) -> dict[str, Any]:
    """Spreads and effects of a fit, or why there are none."""
    if not fitted.converged:
        return {"refused": "the fit did not converge"}
    spreads = zip(("task", "person", "pair", "rest"), map(float, fitted.spreads), strict=False)  # passes have no rest
    told: dict[str, Any] = {"sd": dict(spreads), "edge": fitted.edge}
    errors = np.sqrt(np.diag(fitted.covariance))
    for place, name in enumerate(names, 1):
        told[name] = effect(float(fitted.beta[place]), float(errors[place]), frame["task"].nunique() - 2)
    return told | read(told, names, in_words)


def effect(value: float, error: float, freedom: int) -> dict[str, Any]:
    """The effect, its standard error, 95 % interval, and all as ratios."""
    reach = float(stats.t.ppf(0.975, freedom)) * error
    low, high = value - reach, value + reach
    return {
        "effect": value,
        "se": error,
        "interval": [low, high],
        "ratio": float(np.exp(value)),
        "ratio_interval": [float(np.exp(low)), float(np.exp(high))],
    }


def read(told: dict[str, Any], names: list[str], in_words: InWords) -> dict[str, Any]:
    """Each effect with its `reading`, and all of them as one."""
    readings = {name: in_words(name, told[name]) for name in names}
    return {name: told[name] | {"reading": readings[name]} for name in names} | {"reading": " ".join(readings.values())}


WORDS = {"intervention": ("Under intervention", "clean"), "warm": ("On the warm attempt", "cold")}


def certain(told: dict[str, Any]) -> str:
    low, high = told["interval"]
    return "" if low > 0 or high < 0 else "; no difference lies within the interval too"


def ratio_in_words(name: str, told: dict[str, Any]) -> str:
    begin, other = WORDS[name]
    low, high = told["ratio_interval"]
    return (
        f"{begin} it is {told['ratio']:.2f} × that of {other} (95 % interval {low:.2f} to {high:.2f}){certain(told)}."
    )


def odds_in_words(name: str, told: dict[str, Any]) -> str:
    begin, other = WORDS[name]
    low, high = told["ratio_interval"]
    ends = f"95 % interval {low:.2f} to {high:.2f}"
    return f"{begin} the odds of a pass are {told['ratio']:.2f} × those of {other} ({ends}){certain(told)}."
