"""How far two people agree on the same work: on pass and fail, and on times and counts. What is undefined says why."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Numbers = NDArray[np.float64]


@dataclass
class Figures:
    """Values by name; an undefined one is null and its reason stands in `undefined`."""

    values: dict[str, Any] = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)

    def set(self, name: str, value: float | None, reason: str) -> None:
        """A value, or null with the reason."""
        usable = value is not None and math.isfinite(value)
        self.values[name] = value if usable else None
        if not usable:
            self.undefined[name] = reason

    def told(self) -> dict[str, Any]:
        return self.values | ({"undefined": self.undefined} if self.undefined else {})


def passes(primary: NDArray[np.bool_], duplicate: NDArray[np.bool_]) -> dict[str, Any]:
    """2×2 table [[both, only primary], [only duplicate, neither]], agreement, Cohen's κ, Gwet's AC1, McNemar's exact p."""
    n = len(primary)
    both, only_p = int((primary & duplicate).sum()), int((primary & ~duplicate).sum())
    only_d, neither = int((~primary & duplicate).sum()), int((~primary & ~duplicate).sum())
    figures = Figures({"table": [[both, only_p], [only_d, neither]]})
    if n == 0:
        for name in ("agreement", "kappa", "ac1", "mcnemar_p"):
            figures.set(name, None, "there is no pair")
        return figures.told()
    agreement = (both + neither) / n
    figures.set("agreement", agreement, "")
    first, second = (both + only_p) / n, (both + only_d) / n
    by_chance = first * second + (1 - first) * (1 - second)
    kappa = (agreement - by_chance) / (1 - by_chance) if by_chance < 1 else None
    figures.set("kappa", kappa, "both always gave the same one outcome, so chance alone would agree")
    mean = (first + second) / 2
    expected = 2 * mean * (1 - mean)
    figures.set("ac1", (agreement - expected) / (1 - expected), "")
    split = only_p + only_d
    p = float(stats.binomtest(only_p, split).pvalue) if split else None
    figures.set("mcnemar_p", p, "no pair disagrees")
    return figures.told()


def as_judge(table: list[list[int]]) -> dict[str, Any]:
    """Of a judge in rows against people in columns: precision (of what it passes, the share that people pass) and recall (of what
    people pass, the share that it passes)."""
    both, judge_only = table[0]
    people_only = table[1][0]
    figures = Figures()
    passed, right = both + judge_only, both + people_only
    figures.set("precision", both / passed if passed else None, "the judge passes nothing that people labelled")
    figures.set("recall", both / right if right else None, "people pass nothing that the judge spoke of")
    return figures.told()


def ratios(primary: Numbers, duplicate: Numbers) -> dict[str, Any]:
    """Duplicate over primary of positive numbers: geometric mean, median, shares within ×1.5 and ×2; Spearman; ICC(A,1) on logs."""
    figures = Figures({"n": len(primary)})
    if len(primary) == 0:
        for name in ("geometric_mean", "median", "within_1_5", "within_2", "spearman", "icc_a1"):
            figures.set(name, None, "there is no pair with both numbers over 0")
        return figures.told()
    logs = np.log(duplicate) - np.log(primary)
    figures.set("geometric_mean", float(np.exp(logs.mean())), "")
    figures.set("median", float(np.median(duplicate / primary)), "")
    for name, factor in (("within_1_5", 1.5), ("within_2", 2.0)):
        figures.set(name, float((np.maximum(duplicate / primary, primary / duplicate) <= factor).mean()), "")
    figures.set("spearman", spearman(primary, duplicate), "ranks need two pairs and numbers that differ")
    figures.set("icc_a1", icc_a1(np.log(primary), np.log(duplicate)), "it needs two pairs and numbers that differ")
    return figures.told()


def spearman(one: Numbers, other: Numbers) -> float | None:
    """Rank correlation; None where a side is constant or there are fewer than two pairs."""
    if len(one) < 2 or np.all(one == one[0]) or np.all(other == other[0]):
        return None
    return float(stats.spearmanr(one, other).statistic)


def icc_a1(one: Numbers, other: Numbers) -> float | None:
    """ICC(A,1): two-way random effects, absolute agreement, single measure (McGraw and Wong 1996). None where undefined."""
    n, k = len(one), 2
    if n < 2:
        return None
    data = np.stack([one, other], axis=1)
    grand = data.mean()
    rows = k * float(((data.mean(axis=1) - grand) ** 2).sum()) / (n - 1)
    columns = n * float(((data.mean(axis=0) - grand) ** 2).sum()) / (k - 1)
    rest = data - data.mean(axis=1, keepdims=True) - data.mean(axis=0, keepdims=True) + grand
    error = float((rest**2).sum()) / ((n - 1) * (k - 1))
    below = rows + (k - 1) * error + k * (columns - error) / n
    return (rows - error) / below if below > 0 else None
