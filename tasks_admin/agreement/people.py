"""People against each other: marginals, pace, drift over time, and how far their steps agree."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from annotate.counting import in_figures
from annotate.models import Attempt, Study
from recorder.errors import FootpathError
from tasks_admin.comparison.bootstrap import mean_interval
from tasks_admin.comparison.curves import between_people

MOST = 8000  # attempts that a page takes in
THIN = 10  # with fewer attempts a figure is marked as thin, and no drift is told
EVERY = 10  # attempts that drift is told per
FIELDS = {
    "task": "round__assignment__task_condition__task",
    "condition": "round__assignment__task_condition__condition",
    "attempt": "kind",
    "annotator": "round__participation__code",
    "round": "round",
    "passed": "passed",
    "steps": "steps",
    "started": "started_at",
    "ended": "evaluate_at",
}
SCHEMA: dict[str, Any] = {
    "task": pl.Int64, "condition": pl.String, "attempt": pl.String, "annotator": pl.String, "round": pl.Int64, "passed": pl.Boolean,
    "steps": pl.Int64, "started": pl.Datetime(time_zone="UTC"), "ended": pl.Datetime(time_zone="UTC"),
}  # fmt: skip


class TooManyAttempts(FootpathError):
    """More attempts than a page can count."""

    def __init__(self) -> None:
        super().__init__(
            "too_many_attempts",
            413,
            f"There are more than {MOST} attempts; the comparison, which the worker makes, has these figures for any number.",
        )


def frame_of(study: Study) -> pl.DataFrame:
    """The attempts that figures count, with `wall_ms`. Raises TooManyAttempts."""
    attempts = Attempt.objects.filter(in_figures("round__"), round__participation__study=study)
    listed = attempts.exclude(round__assignment__role="practice").order_by("started_at", "pk")
    rows = list(listed.values_list(*FIELDS.values())[: MOST + 1])
    if len(rows) > MOST:
        raise TooManyAttempts
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return frame.with_columns(
        (pl.col("ended") - pl.col("started")).dt.total_milliseconds().cast(pl.Float64).alias("wall_ms")
    )


def marginals(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Per person, condition and attempt: n, pass rate with its interval over tasks, median ms and steps, whether it is thin."""
    told = []
    cells = frame.sort("annotator", "condition", "attempt").group_by(
        "annotator", "condition", "attempt", maintain_order=True
    )
    for (annotator, condition, attempt), cell in cells:
        passed = cell["passed"].cast(pl.Float64)
        told.append(
            {
                "annotator": annotator,
                "condition": condition,
                "attempt": attempt,
                "n": cell.height,
                "pass_rate": passed.mean(),
                "interval": mean_interval(passed.to_numpy()),
                "median_ms": cell["wall_ms"].median(),
                "median_steps": cell["steps"].median(),
                "thin": cell.height < THIN,
            }
        )
    return told


def paces(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Per person: rounds, days with work, rounds a day worked, median time of a round's two attempts, first and last day."""
    rounds = frame.group_by("annotator", "round").agg(
        pl.col("wall_ms").sum(), pl.col("started").min(), pl.len().alias("n")
    )
    told = []
    for (annotator,), own in rounds.sort("annotator", "started").group_by("annotator", maintain_order=True):
        days = own["started"].dt.date()
        told.append(
            {
                "annotator": annotator,
                "rounds": own.height,
                "days": days.n_unique(),
                "per_day": own.height / days.n_unique(),
                "median_ms": own["wall_ms"].median(),
                "first": days.min(),
                "last": days.max(),
            }
        )
    return told


def drifts(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Per person: how the time of passed attempts against others' on the same task moved with practice.

    Least squares of log(own time / median time of the others on the task and kind, under either condition) on the attempt's
    place in the person's order; told as a ratio per EVERY attempts with a 95 % interval (t). A person with fewer than THIN such
    attempts has none, and why.
    """
    passed = frame.filter(pl.col("passed") & (pl.col("wall_ms") > 0)).select(
        "task", "attempt", "annotator", "started", "wall_ms"
    )
    others = passed.join(passed, on=["task", "attempt"], suffix="_other").filter(
        pl.col("annotator") != pl.col("annotator_other")
    )
    against = others.group_by("task", "attempt", "annotator", "started", "wall_ms").agg(
        pl.col("wall_ms_other").median().alias("median")
    )
    return [drift(name, against.filter(pl.col("annotator") == name)) for name in people_of(frame)]


def people_of(frame: pl.DataFrame) -> list[str]:
    return sorted(frame["annotator"].unique().to_list())


def drift(name: str, own: pl.DataFrame) -> dict[str, Any]:
    told: dict[str, Any] = {"annotator": name, "n": own.height}
    if own.height < THIN:
        return told | {"refused": f"too thin: {own.height} passed attempts that others did too, {THIN} are needed"}
    ordered = own.sort("started", "task", "attempt")
    y = (ordered["wall_ms"] / ordered["median"]).log().to_numpy()
    line = stats.linregress(np.arange(len(y)), y)
    reach = stats.t.ppf(0.975, len(y) - 2) * line.stderr
    slopes = (line.slope, line.slope - reach, line.slope + reach)
    ratio, low, high = (float(np.exp(EVERY * slope)) for slope in slopes)
    return told | {"ratio": ratio, "interval": [low, high], "is_certain": low > 1 or high < 1}


def agreement_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Per person: steps of passed attempts against the median of the others on the same task, condition and kind."""
    found = between_people(frame)
    return [
        {"annotator": name, **found[name]} if name in found else {"annotator": name, "n": 0}
        for name in people_of(frame)
    ]


def everything(frame: pl.DataFrame) -> dict[str, Any]:
    """All figures of the page as one JSON document."""
    return {
        "marginals": marginals(frame),
        "pace": [{**one, "first": day(one["first"]), "last": day(one["last"])} for one in paces(frame)],
        "drift": drifts(frame),
        "step_agreement": agreement_of(frame),
    }


def day(value: datetime | None) -> str | None:
    return value.isoformat() if value else None
