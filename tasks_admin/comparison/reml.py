"""A linear model with crossed random intercepts, by REML.

The criterion is lme4's (Bates et al. 2015, J. Stat. Softw. 67(1), section 3.4): with the intercepts' variances as multiples of the
residual one, fixed effects and residual variance follow from Henderson's mixed-model equations, and what is left is minimized over
one ratio per group. The matrices are sparse. statsmodels has the same model (MixedLM), but takes half a minute for 1,600 rows where
this takes less than one second; a test holds effects and spreads to it, and standard errors to its information on the effects.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from tasks_admin.comparison.crossed import Array, Fitted, Intercepts, Levels, Unfit, factors, log_det

START, WIDEST = 1.0, 1e4  # variances as multiples of the residual one: at 0 their derivative tells whether to leave it
CLOSE = {"ftol": 1e-12, "gtol": 1e-6, "maxiter": 500}


class Model:
    """`y` (n), `x` (n × p), and per group of intercepts the level (0-based) of each row."""

    def __init__(self, y: Array, x: Array, groups: list[Levels]) -> None:
        self.intercepts = Intercepts(groups)
        z = self.intercepts.z
        self.nearest = np.linalg.lstsq(x, y)[0]
        left = y - x @ self.nearest  # solving for what least squares leave loses no digits to a large mean
        if np.abs(left).max() <= 1e-9 * max(1.0, np.abs(y).max()):
            raise Unfit("all are alike")
        sides = np.column_stack([x, left])
        self.zz, self.zs, self.ss = z.T @ z, z.T @ sides, sides.T @ sides
        self.freedom = len(y) - x.shape[1]

    def solved(self, ratios: Array) -> tuple[Any, Array, Array, float]:
        """Factors of ΛZ'ZΛ + I; X'V⁻¹X; β less the nearest; residual variance. V and the ratios are multiples of that variance."""
        scales = self.intercepts.scales(ratios)
        factored = factors(scales @ self.zz @ scales)
        scaled = scales @ self.zs
        inner = self.ss - scaled.T @ factored.solve(scaled)
        information, side = inner[:-1, :-1], inner[:-1, -1]
        beta = np.linalg.solve(information, side)
        return factored, information, beta, float(inner[-1, -1] - side @ beta) / self.freedom

    def deviance(self, ratios: Array) -> float:
        """Minus twice the restricted log likelihood at its best β and residual variance, less a constant."""
        factored, information, _, variance = self.solved(ratios)
        return log_det(factored) + float(np.linalg.slogdet(information)[1]) + float(self.freedom * np.log(variance))


def fit(y: Array, x: Array, groups: list[Levels]) -> Fitted:
    """Fit by L-BFGS from spreads all alike. Raises numpy's LinAlgError or Unfit where there is nothing to be told apart."""
    model = Model(y, x, groups)
    start, bounds = np.full(len(groups), START), [(0.0, WIDEST)] * len(groups)
    found = optimize.minimize(model.deviance, start, method="L-BFGS-B", jac="3-point", bounds=bounds, options=CLOSE)
    _, information, beta, variance = model.solved(found.x)
    spreads: Array = np.sqrt(variance * np.append(found.x, 1.0))
    covariance = np.asarray(variance * np.linalg.inv(information), np.float64)
    edge = bool((found.x > 0.99 * WIDEST).any())
    return Fitted(model.nearest + beta, covariance, spreads, edge, bool(found.success))
