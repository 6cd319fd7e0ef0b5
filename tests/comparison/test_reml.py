"""The sparse REML fit is the dense one of statsmodels; what cannot be fitted is refused."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

from tasks_admin.comparison import reml
from tasks_admin.comparison.crossed import Array, Levels

TASKS, PEOPLE = 30, 5


def drawn(seed: int, spreads: tuple[float, float, float]) -> tuple[Array, Array, list[Levels]]:
    """Two people a task, one per condition, each cold and warm; one row in ten is missing."""
    rng = np.random.default_rng(seed)
    task, under, warm = (axis.ravel() for axis in np.indices((TASKS, 2, 2)))
    person, pair = (task + under * (1 + task // PEOPLE % (PEOPLE - 1))) % PEOPLE, 2 * task + under
    there = np.flatnonzero(rng.random(len(task)) < 0.9)
    groups = [np.unique(group[there], return_inverse=True)[1] for group in (task, person, pair)]
    x = np.column_stack([np.ones(len(there)), under[there], warm[there]])
    drifts = [rng.normal(0, sd, group.max() + 1)[group] for sd, group in zip(spreads, groups, strict=True)]
    return x @ [11.0, 0.25, -0.45] + sum(drifts) + rng.normal(0, 0.3, len(there)), x, groups


def dense(y: Array, x: Array, groups: list[Levels]) -> tuple[Array, Array, Array]:
    """Effects, their standard errors, and spreads with the rest's last, by statsmodels.

    The errors are those of its information on the effects alone, as lme4 has them; its own, `bse_fe`, let in how the data at hand
    happen to tie effects to spreads.
    """
    mats = [[np.eye(group.max() + 1)[group]] for group in groups]
    parts = VCSpec(["task", "person", "pair"], [[[str(at) for at in range(one[0].shape[1])]] for one in mats], mats)
    model = MixedLM(y, x, groups=np.ones(len(y)), exog_vc=parts)
    fitted = model.fit(reml=True, method=["lbfgs"])
    information = -model.hessian(fitted.params_object)[0][: x.shape[1], : x.shape[1]]
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    return fitted.fe_params, errors, np.sqrt([*fitted.vcomp, fitted.scale])


@pytest.mark.parametrize(("seed", "spreads"), [(1, (0.5, 0.2, 0.2)), (3, (0.1, 0.6, 0.4))])
def test_estimates_are_those_of_statsmodels(seed: int, spreads: tuple[float, float, float]) -> None:
    data = drawn(seed, spreads)
    effects, errors, sds = dense(*data)
    found = reml.fit(*data)
    assert (found.converged, found.edge) == (True, False)
    assert found.beta == pytest.approx(effects, rel=1e-4)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(errors, rel=1e-4)
    assert found.spreads == pytest.approx(sds, rel=1e-4)


def test_a_spread_that_the_data_do_not_show_is_nothing_and_changes_nothing() -> None:
    y, x, (task, *others) = drawn(2, (0.1, 0.6, 0.4))
    found, without = reml.fit(y, x, [task, *others]), reml.fit(y, x, others)
    assert found.spreads == pytest.approx([0, *without.spreads], rel=1e-4)
    assert found.beta == pytest.approx(without.beta, rel=1e-6)
    assert found.covariance == pytest.approx(without.covariance, rel=1e-3)


def test_where_pairs_are_all_alike_the_search_ends_at_its_edge() -> None:
    _, x, groups = drawn(1, (0.5, 0.2, 0.2))
    found = reml.fit(np.random.default_rng(1).normal(size=2 * TASKS)[groups[2]], x, groups)
    assert (found.converged, found.edge) == (True, True)


def test_where_all_are_alike_there_is_nothing_to_fit() -> None:
    _, x, groups = drawn(1, (0.5, 0.2, 0.2))
    with pytest.raises(ValueError, match="all are alike"):
        reml.fit(np.full(len(x), 3.7), x, groups)
