"""The logistic model: pairs are integrated over rightly, and without spreads it is plain logistic regression."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit
from statsmodels.discrete.discrete_model import Logit

from tasks_admin.comparison import laplace
from tests.comparison.test_reml import drawn


@pytest.fixture
def model() -> laplace.Model:
    """Whether times are under the middle one stands for a pass."""
    times, x, groups = drawn(1, (0.5, 0.2, 0.2))
    return laplace.Model((times < np.median(times)).astype(float), x, groups)


def test_a_pair_is_integrated_over_its_intercept(model: laplace.Model) -> None:
    fixed, added = model.x @ [0.3, -0.6, 0.4], np.linspace(-1, 1, model.rows.shape[0])
    found = model.pairs(fixed, added, 1.3)
    for pair in (0, 7, model.rows.shape[0] - 1):
        rows = np.flatnonzero(model.pair == pair)

        def density(drift: float, rows: np.ndarray = rows, pair: int = pair) -> float:
            chance = expit(fixed[rows] + added[pair] + 1.3 * drift)
            return float(np.where(model.y[rows] == 1, chance, 1 - chance).prod() * stats.norm.pdf(drift))

        assert found.value[pair] == pytest.approx(np.log(integrate.quad(density, -9, 9)[0]), rel=1e-5)


def test_its_derivatives_are_those_of_its_likelihood(model: laplace.Model) -> None:
    fixed, added, step = model.x @ [0.3, -0.6, 0.4], np.linspace(-1, 1, model.rows.shape[0]), 1e-5
    low, at, high = (model.pairs(fixed, added + by, 0.8) for by in (-step, 0, step))
    assert at.slope == pytest.approx((high.value - low.value) / (2 * step), abs=1e-7)
    assert at.weight == pytest.approx((low.slope - high.slope) / (2 * step), abs=1e-7)


def test_without_spreads_it_is_plain_logistic_regression(model: laplace.Model) -> None:
    plain = Logit(model.y, model.x).fit(disp=False)
    at = np.append(plain.params, [0.0, 0.0, 0.0])
    assert model.deviance(at) == pytest.approx(-2 * plain.llf)
    assert model.covariance(at) == pytest.approx(plain.cov_params(), rel=1e-4)


@pytest.mark.parametrize("outcome", [np.zeros_like, np.ones_like])
def test_effects_that_cannot_be_told_from_nothing_are_refused(
    model: laplace.Model, outcome: Callable[[np.ndarray], np.ndarray]
) -> None:
    model.y = outcome(model.y)
    with pytest.raises(np.linalg.LinAlgError):
        model.covariance(np.array([60.0 if model.y[0] else -60.0, 0, 0, 0, 0, 0]))
