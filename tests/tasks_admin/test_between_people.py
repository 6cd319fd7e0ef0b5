"""People against each other: marginals, pace, drift, step agreement; what is too thin says so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from tasks_admin.agreement import people
from tasks_admin.models import ComparisonReport
from tests.cast import Cast
from tests.recorded import recorded_round
from tests.tasks_admin.test_review_pages import client

PAGE = "/studies/tea/between-people/"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def made(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Attempts as `frame_of` gives them; what a row leaves out is the same for all."""
    common = {"condition": "clean", "attempt": "warm", "passed": True, "steps": 4}
    frame = pl.DataFrame([common | {"round": n, "ended": None} | row for n, row in enumerate(rows)])
    return frame.with_columns(pl.col("wall_ms").cast(pl.Float64))


def learning(factor: float, n: int = 20) -> pl.DataFrame:
    """P1 takes `factor` times as long with each attempt; P2 always ten seconds."""
    rows = []
    for place in range(n):
        started = NOON + timedelta(hours=place)
        rows.append({"task": place, "annotator": "P1", "wall_ms": 10_000 * factor**place, "started": started})
        rows.append({"task": place, "annotator": "P2", "wall_ms": 10_000, "started": started})
    return made(rows)


def test_drift_is_the_ratio_per_ten_attempts() -> None:
    first, second = people.drifts(learning(0.97))
    assert first["ratio"] == pytest.approx(0.97**10)
    assert first["interval"][0] <= first["ratio"] <= first["interval"][1]
    assert first["is_certain"]
    assert second["ratio"] == pytest.approx(0.97**-10)  # against P1, who gets faster


def test_drift_is_refused_where_it_is_too_thin() -> None:
    told = people.drifts(learning(0.97, 5))[0]
    assert told["refused"] == "too thin: 5 passed attempts that others did too, 10 are needed"


def test_pace_counts_days_with_work() -> None:
    rows = [
        {"task": n, "annotator": "P1", "wall_ms": 60_000, "started": NOON + timedelta(days=n // 3)} for n in range(6)
    ]
    (told,) = people.paces(made(rows))
    assert (told["rounds"], told["days"], told["per_day"], told["median_ms"]) == (6, 2, 3.0, 60_000)


def test_marginals_mark_what_is_thin() -> None:
    told = people.marginals(learning(1.0, 12))
    assert [(row["annotator"], row["n"], row["pass_rate"], row["thin"]) for row in told] == [
        ("P1", 12, 1.0, False),
        ("P2", 12, 1.0, False),
    ]
    assert people.marginals(learning(1.0, 3))[0]["thin"]


def test_the_page_and_its_file(cast: Cast) -> None:
    assert "Nobody has completed" in client(cast.lead).get(PAGE).content.decode()
    recorded_round(cast.assignment(cast.ann), {"cold": ["Add", "Pay"], "warm": ["Add"]})
    recorded_round(cast.assignment(cast.bob), {"cold": ["Add", "Pay"], "warm": ["Add", "Pay"]})
    page = client(cast.lead).get(PAGE).content.decode()
    assert "nobody else did the same" in page
    assert "too thin: 2 passed attempts" in page
    assert "The mixed model is fitted with the comparison" in page
    told = json.loads(client(cast.lead).get(PAGE + "file/").content)
    assert [row["annotator"] for row in told["marginals"]] == ["P1", "P1", "P2", "P2"]
    assert {row["n"] for row in told["step_agreement"]} == {0}


def test_the_mixed_model_comes_from_the_last_comparison(cast: Cast) -> None:
    recorded_round(cast.assignment(cast.ann), {"cold": ["Add", "Pay"], "warm": ["Add"]})
    figures = {
        "mixed_model": {"limits": "Few people.", "passed": {"n": 2, "refused": "too thin: 1 people where 3 are needed"}}
    }
    ComparisonReport.objects.create(study=cast.study, state="done", figures=figures, made_at=NOON)
    page = client(cast.lead).get(PAGE).content.decode()
    assert "No model: too thin: 1 people where 3 are needed." in page
    assert "Few people." in page
