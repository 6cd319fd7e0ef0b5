"""Percentile bootstrap of means over tasks: B = 10,000 resamples, 95 %, seeded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 2026
LEVEL = 0.95
MANY = 200  # distinct values above which whole resamples are drawn
CHUNK = 2_000_000


def mean_interval(values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> list[float] | None:
    """Lower and upper end for the (weighted) mean of `values`, one per task; None for fewer than two."""
    if len(values) < 2:
        return None
    rng = np.random.default_rng(SEED)
    low, high = np.quantile(resampled(values, weights, rng), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [float(low), float(high)]


def groups_interval(values: NDArray[np.float64], groups: Sequence[str]) -> list[float] | None:
    """The same for the mean of `values` where whole groups (people) are drawn again; None for fewer than three groups."""
    names = {name: place for place, name in enumerate(sorted(set(groups)))}
    if len(names) < 3:
        return None
    place = np.array([names[name] for name in groups])
    sums, counts = np.bincount(place, weights=values), np.bincount(place)
    drawn = np.random.default_rng(SEED).multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    low, high = np.quantile((drawn @ sums) / (drawn @ counts), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [float(low), float(high)]


def resampled(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of the resamples. Few distinct values are drawn by how often each comes, which is the same distribution."""
    n = len(values)
    rows = np.stack([values, np.ones(n) if weights is None else weights], axis=1)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    if len(distinct) <= MANY:
        drawn = rng.multinomial(n, counts / n, size=RESAMPLES)
        return np.asarray((drawn @ (distinct[:, 0] * distinct[:, 1])) / (drawn @ distinct[:, 1]))
    size = max(1, CHUNK // n)
    parts = []
    for begin in range(0, RESAMPLES, size):
        picked = rng.integers(0, n, size=(min(size, RESAMPLES - begin), n))
        parts.append((rows[picked, 0] * rows[picked, 1]).sum(axis=1) / rows[picked, 1].sum(axis=1))
    return np.concatenate(parts)
