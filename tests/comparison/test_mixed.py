"""The mixed models over simulated studies: where they find the truth, where they tell of people, and where they refuse in words."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.mixed import LEAST_PAIRS, PAIRED, guarded, logistic, mixed_models
from tasks_admin.report.people_sheets import mixed_model
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.truth import Truth

SMALL = Size(environments=1, per_cell=4, people=4, duplicates=0)


def drawn(seed: int, size: Size = SMALL) -> pl.DataFrame:
    return counting(draw(Truth(), size, seed).tables)


def test_with_one_attempt_of_each_pair_the_effect_is_found_and_pairs_have_no_spread() -> None:
    """Of 100 such studies the intervals held the truth in 98; with a spread of pairs in two of three, and effects of -3 were found."""
    found = []
    for seed in range(4):
        frame = drawn(seed, Size(environments=3, per_cell=4, people=6, duplicates=0))
        told = guarded(frame.filter(pl.col("attempt") == "cold").to_pandas(), logistic)
        assert set(told["sd"]) == {"task", "person"}
        assert told["reading"].endswith("for too few of them have both attempts to show one.")
        low, high = told["intervention"]["interval"]
        assert low < Truth().intervention < high
        found.append(told["intervention"]["effect"])
    assert np.mean(found) == pytest.approx(Truth().intervention, abs=0.4)


def test_pairs_have_a_spread_where_enough_of_them_have_both_attempts() -> None:
    frame = drawn(1)
    warm = frame.filter(pl.col("attempt") == "warm")["attempt_id"].to_list()
    half = round(PAIRED * len(warm))

    def some(kept: list[str]) -> pl.DataFrame:
        return frame.filter((pl.col("attempt") == "cold") | pl.col("attempt_id").is_in(kept))

    for kept, spread in ((warm[:half], True), (warm[: half - 1], False)):
        told = guarded(some(kept).to_pandas(), logistic)
        assert ("pair" in told["sd"], "unpaired" in told) == (spread, not spread)
    for kept, spread in ((warm[:LEAST_PAIRS], True), (warm[: LEAST_PAIRS - 1], False)):
        told = mixed_models(some(kept).with_columns(passed=pl.lit(value=True)))["log_time"]
        assert ("pair" in told["sd"], "unpaired" in told) == (spread, not spread)


def test_where_nobody_did_both_conditions_the_interval_is_one_between_people_and_holds_the_truth() -> None:
    """With the tasks' degrees of freedom it held the truth in 78 % of studies."""
    clean, held = pl.col("annotator").is_in(["P1", "P2"]), []
    for seed in range(15):
        whole = drawn(seed)
        alike = whole.with_columns(passed=pl.lit(value=True), steps=pl.lit(0))
        told = mixed_models(alike.filter(clean == (pl.col("condition") == "clean")))["log_time"]
        low, high = told["intervention"]["interval"]
        held.append(low < Truth().time_intervention < high)
        assert told["intervention"]["freedom"] == 2 < told["warm"]["freedom"]
        assert "Nobody did both conditions: this is a difference between people, of whom there are 4" in told["reading"]
        assert "both attempts" not in told["reading"]
    assert sum(held) >= 14


def test_where_few_did_much_of_both_conditions_that_is_told() -> None:
    frame = drawn(3, Size(environments=2, per_cell=4, people=4, duplicates=0)).with_columns(passed=pl.lit(value=True))
    mostly = pl.col("annotator").is_in(["P1", "P2"]) == (pl.col("condition") == "clean")
    some = frame.filter(mostly | pl.col("task").str.contains("easy-1"))
    told = mixed_models(some)["log_time"]["intervention"]
    assert 0 < told["within_people"] < 0.5
    assert "Few people did much of both conditions" in told["reading"]


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (pl.lit(value=True), "all attempts passed or all failed"),
        (pl.col("condition") == "clean", "all clean attempts passed, and such odds have no ratio"),
        (pl.col("passed") & (pl.col("attempt") == "warm"), "all cold attempts failed, and such odds have no ratio"),
    ],
)
def test_passes_that_have_no_ratio_of_odds_are_refused_in_words(passed: pl.Expr, words: str) -> None:
    told = guarded(drawn(1).with_columns(passed=passed).to_pandas(), logistic)
    assert told["refused"] == f"the model could not be fitted: {words}"


def test_readings_name_what_they_are_of_and_spreads_of_nothing_are_remarked_on() -> None:
    models = mixed_models(drawn(1))
    for name, what in (("log_time", "time"), ("log_steps", "steps")):
        assert f"× the {what} of a clean one" in models[name]["reading"]
    models["log_time"]["sd"]["person"] = 0.001
    made = mixed_model({"mixed_model": models})
    notes = {row["outcome"]: row["refused"] or "" for row in made.rows}
    assert "which is not to say that there is none" in notes["log time"]
