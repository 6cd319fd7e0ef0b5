"""Intervals over pairs: they hold the figure, agree with it row by row, and are not told where it is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from tasks_admin.comparison import agreement, pair_intervals

RNG = np.random.default_rng(5)
FIRST = RNG.lognormal(3, 0.6, 30)
SECOND = FIRST * RNG.lognormal(0.1, 0.3, 30)


def test_each_figure_of_ratios_lies_in_its_interval() -> None:
    told, intervals = agreement.ratios(FIRST, SECOND), pair_intervals.of_ratios(FIRST, SECOND)
    assert set(intervals) == {"geometric_mean", "median", "within_1_5", "within_2", "spearman", "icc_a1"}
    for name, ends in intervals.items():
        assert ends is not None
        assert ends[0] <= told[name] <= ends[1], name
        assert ends[1] - ends[0] < 1, name


def test_rows_are_counted_as_single_ones_are() -> None:
    rows = RNG.integers(0, 30, size=(20, 30))
    rho, icc = pair_intervals.spearman_rows(FIRST[rows], SECOND[rows]), pair_intervals.icc_rows(
        np.log(FIRST)[rows], np.log(SECOND)[rows]
    )  # fmt: skip
    for place, row in enumerate(rows):
        assert rho[place] == pytest.approx(agreement.spearman(FIRST[row], SECOND[row]))
        assert icc[place] == pytest.approx(agreement.icc_a1(np.log(FIRST[row]), np.log(SECOND[row])))


def test_passes() -> None:
    table = [[20, 3], [2, 5]]
    passed = np.repeat([True, True, False, False], [20, 3, 2, 5])
    again = np.repeat([True, False, True, False], [20, 3, 2, 5])
    told, intervals = agreement.passes(passed, again), pair_intervals.of_passes(table)
    for name in ("agreement", "kappa", "ac1"):
        ends = intervals[name]
        assert ends is not None
        assert ends[0] < told[name] < ends[1]


def test_what_is_undefined_has_no_interval() -> None:
    assert pair_intervals.of_passes([[9, 0], [0, 0]])["kappa"] is None
    assert pair_intervals.of_passes([[1, 0], [0, 0]]) == {"agreement": None, "kappa": None, "ac1": None}
    ones = np.ones(9)
    assert pair_intervals.of_ratios(ones, ones)["spearman"] is None
    assert pair_intervals.of_ratios(ones[:1], ones[:1])["median"] is None
