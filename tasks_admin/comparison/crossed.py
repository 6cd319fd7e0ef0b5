"""What both mixed models have in common: crossed random intercepts, as a sparse matrix, and solving with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

Array = NDArray[np.float64]
Levels = NDArray[np.int64]


class Unfit(ValueError):
    """No model can be fitted to what there is; the text says why."""


@dataclass(frozen=True)
class Fitted:
    """Fixed effects, their covariance, the spread (SD) of each group of intercepts, then of the rest where the model has one.

    `edge`: a spread is as large as was looked for; `converged`: the search ended well.
    """

    beta: Array
    covariance: Array
    spreads: Array
    edge: bool
    converged: bool


class Intercepts:
    """Of `groups`, each the level (0-based) of every row: `z` (rows × all levels), and `which` group a column is of."""

    def __init__(self, groups: list[Levels]) -> None:
        n, sizes = len(groups[0]), [int(group.max()) + 1 for group in groups]
        columns = [begin + group for begin, group in zip(np.cumsum([0, *sizes[:-1]]), groups, strict=True)]
        places = (np.tile(np.arange(n), len(groups)), np.concatenate(columns))
        self.z = sparse.csr_array((np.ones(n * len(groups)), places), shape=(n, sum(sizes)))
        self.which = np.repeat(np.arange(len(groups)), sizes)

    def scales(self, variances: Array) -> Any:
        """Diagonal matrix of each column's spread, from the groups' variances."""
        return sparse.diags_array(np.sqrt(variances)[self.which])


def factors(matrix: Any) -> Any:
    """Of a symmetric matrix plus 1 on its diagonal, eliminated in an order that is the same for rows and columns, to stay sparse."""
    return splu(
        (matrix + sparse.eye_array(matrix.shape[0])).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def log_det(factored: Any) -> float:
    return float(np.log(np.abs(factored.U.diagonal())).sum())
