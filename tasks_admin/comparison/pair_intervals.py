"""Intervals (95 %) of what `agreement` tells of pairs: percentile bootstrap over them (B = 10,000, seeded), of shares Wilson's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, rankdata

from tasks_admin.comparison.bootstrap import CHUNK, LEVEL, RESAMPLES, SEED, mean_interval

Numbers = NDArray[np.float64]
Interval = list[float] | None
DEFINED = 0.95  # share of resamples in which a figure must be defined for its interval to be told


def ends(values: Numbers) -> Interval:
    """The percentile interval of resampled values; None where too many are undefined."""
    known = values[np.isfinite(values)]
    if len(known) < DEFINED * len(values):
        return None
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [float(low), float(high)]


def of_passes(table: list[list[int]]) -> dict[str, Interval]:
    """Intervals of agreement, Cohen's κ and Gwet's AC1 of a 2×2 table [[both, only first], [only second, neither]]."""
    counts = np.array(table, dtype=float).ravel()
    n = int(counts.sum())
    if n < 2:
        return dict.fromkeys(("agreement", "kappa", "ac1"))
    both, first_only, second_only, neither = np.random.default_rng(SEED).multinomial(n, counts / n, RESAMPLES).T / n
    agreement = both + neither
    first, second = both + first_only, both + second_only
    chance = first * second + (1 - first) * (1 - second)
    mean = (first + second) / 2
    expected = 2 * mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa, ac1 = (agreement - chance) / (1 - chance), (agreement - expected) / (1 - expected)
    return {"agreement": ends(agreement), "kappa": ends(kappa), "ac1": ends(ac1)}


def of_judge(table: list[list[int]]) -> dict[str, Interval]:
    """Intervals of a judge's precision and recall, Wilson's score: shares of few need one that does not shrink to a point at 0 or 1."""
    both, judge_only = table[0]
    people_only = table[1][0]
    return {"precision": wilson(both, both + judge_only), "recall": wilson(both, both + people_only)}


def wilson(part: int, whole: int) -> Interval:
    """Wilson's score interval of a share; None of nothing."""
    if not whole:
        return None
    found = binomtest(part, whole).proportion_ci(LEVEL, method="wilson")
    return [float(found.low), float(found.high)]


def of_ratios(primary: Numbers, duplicate: Numbers) -> dict[str, Interval]:
    """Intervals of what `agreement.ratios` tells of positive numbers, duplicate over primary."""
    logs = np.log(duplicate) - np.log(primary)
    apart = np.abs(logs)
    centre = mean_interval(logs)
    return {
        "geometric_mean": None if centre is None else [float(np.exp(end)) for end in centre],
        "median": drawn_again(len(logs), lambda picked: np.exp(np.median(logs[picked], axis=1))),
        "within_1_5": mean_interval((apart <= np.log(1.5) + 1e-12).astype(float)),
        "within_2": mean_interval((apart <= np.log(2) + 1e-12).astype(float)),
        "spearman": drawn_again(len(logs), lambda picked: spearman_rows(primary[picked], duplicate[picked])),
        "icc_a1": drawn_again(len(logs), lambda picked: icc_rows(np.log(primary)[picked], np.log(duplicate)[picked])),
    }


def drawn_again(n: int, figure: Callable[[Any], Numbers]) -> Interval:
    """The interval of a figure of resamples, given as rows of places; None for fewer than three pairs."""
    if n < 3:
        return None
    rng, parts = np.random.default_rng(SEED), []
    size = max(1, CHUNK // n)
    for begin in range(0, RESAMPLES, size):
        parts.append(figure(rng.integers(0, n, size=(min(size, RESAMPLES - begin), n))))
    return ends(np.concatenate(parts))


def spearman_rows(one: Numbers, other: Numbers) -> Numbers:
    """Rank correlation of each row; NaN where a side is constant."""
    a, b = (rankdata(side, axis=1) for side in (one, other))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))


def icc_rows(one: Numbers, other: Numbers) -> Numbers:
    """ICC(A,1) of each row, as `agreement.icc_a1` has it; NaN where undefined."""
    n = one.shape[1]
    data = np.stack([one, other], axis=2)
    grand = data.mean(axis=(1, 2), keepdims=True)
    by_row, by_column = data.mean(axis=2, keepdims=True), data.mean(axis=1, keepdims=True)
    rows = 2 * ((by_row - grand) ** 2).sum(axis=(1, 2)) / (n - 1)
    columns = n * ((by_column - grand) ** 2).sum(axis=(1, 2))
    error = ((data - by_row - by_column + grand) ** 2).sum(axis=(1, 2)) / (n - 1)
    below = rows + error + 2 * (columns - error) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, (rows - error) / below, np.nan))
