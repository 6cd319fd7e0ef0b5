"""How agents fail, what they say of themselves, paired tests and Holm's correction, weighted efficiency, intervals over people."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from tasks_admin.comparison.bootstrap import groups_interval
from tasks_admin.comparison.efficiency import weighted_efficiency
from tasks_admin.comparison.failures import failures, mode_of, self_report
from tasks_admin.comparison.paired import between_models, conditions, holm, mcnemar, signed_rank
from tasks_admin.comparison.tables import RUNS

CALM: dict[str, Any] = {
    "passed": False, "done_verb": True, "success_words": False, "longest_repeat": 1, "action_errors": 0, "actions": 12,
    "failed_positive": False, "failed_negative": False,
}  # fmt: skip


def runs(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=RUNS)


@pytest.mark.parametrize(
    ("changed", "mode"),
    [
        ({"failed_positive": True, "success_words": True, "failed_negative": True}, "misleading_success_taken"),
        ({"failed_positive": True}, "premature_done"),
        ({"done_verb": False, "longest_repeat": 7, "actions": 40}, "retry_loop"),
        ({"done_verb": False, "actions": 3}, "plan_collapse"),
        ({"done_verb": False, "action_errors": 9}, "abandoned_run"),
        ({"failed_negative": True, "action_errors": 5}, "silent_overreach"),
        ({"action_errors": 3}, "selector_hallucination"),
        ({}, "abandoned_run"),
        ({"failed_positive": None}, None),
    ],
)
def test_the_first_rule_that_matches_assigns_the_mode(changed: dict[str, Any], mode: str | None) -> None:
    assert mode_of(runs(CALM | changed)).to_list() == [mode]


def test_shares_leave_out_what_has_no_class_and_refuse_where_nothing_is_known() -> None:
    told = failures(
        runs(CALM | {"failed_positive": True}, CALM | {"failed_negative": True}, CALM, CALM | {"passed": True})
    )
    assert (told["failed"], told["classed"]) == (3, 3)
    assert told["shares"] == {"belief": 0.5, "action": 0.0, "overreach": 0.5}
    assert "no trajectory" in failures(runs({"passed": False}))["refused"]
    assert failures(runs({"passed": True})) == {
        "failed": 0, "classed": 0, "modes": dict.fromkeys(told["modes"], 0), "shares": dict.fromkeys(told["shares"])
    }  # fmt: skip


def test_self_report_counts_failed_runs_among_those_declared_done() -> None:
    told = self_report(
        runs(
            *(
                {"passed": passed, "completed": done}
                for passed, done in [(True, True), (False, True), (False, False), (True, None)]
            )
        )
    )
    assert told == {"n": 2, "with_a_flag": 3, "false_positive_rate": 0.5}
    assert "no completion flag" in self_report(runs({"passed": True}))["refused"]


def test_a_verdict_that_is_the_agents_own_word_proves_no_report() -> None:
    own = {"completed": True, "passed": True, "verdict_source": "self"}
    assert self_report(runs(own, own)) == {
        "n": 0,
        "with_a_flag": 0,
        "refused": "the agent itself said whether it passed",
    }
    told = self_report(runs(own, {"completed": True, "passed": False, "verdict_source": "judge"}))
    assert (told["n"], told["false_positive_rate"]) == (1, 1.0)


def test_mcnemar_is_exact_and_holm_steps_down() -> None:
    first = pl.Series([True] * 8 + [False] * 2)
    second = pl.Series([True] * 3 + [False] * 5 + [False] * 2)
    assert mcnemar(first, second) == pytest.approx(2 * 0.5**5)
    assert mcnemar(first, first) is None
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert signed_rank(np.zeros(4)) is None


def test_models_are_paired_by_task_under_one_condition() -> None:
    rows = [
        {
            "model": model,
            "task": f"t{n}",
            "condition": condition,
            "passed": n % 5 != 0 if model == "a" else n % 2 == 0,
            "score": 0.5,
        }
        for model in ("a", "b")
        for condition in ("clean", "intervention")
        for n in range(10)
    ]
    (row,) = between_models(runs(*rows), ["a", "b"], "clean")
    assert (row["n"], row["points"], row["mcnemar_holm"]) == (10, pytest.approx(30), row["mcnemar"])
    told = conditions(runs(*rows), ["a", "b"])
    assert told["a"] == {"n": 10, "mcnemar": None, "wilcoxon": None, "mcnemar_holm": None, "wilcoxon_holm": None}


def test_weighted_efficiency() -> None:
    both = pl.DataFrame({"score": [1.0, 0.0, 1.0], "steps": [4, 10, 2], "h_steps": [2, 5, 4]})
    told = weighted_efficiency(both)["weighted_efficiency"]
    assert (told["plus"], told["minus"], told["step_limit"]) == (
        pytest.approx((0.5 + 0 + 1) / 3),
        pytest.approx(-1 / 3),
        10,
    )


def test_an_interval_over_people_needs_three() -> None:
    assert groups_interval(np.ones(4), ["a", "a", "b", "b"]) is None
    low, high = groups_interval(np.array([1.0, 1, 0, 0, 1, 0]), ["a", "a", "b", "b", "c", "c"]) or (None, None)
    assert (low, high) == (0.0, 1.0)
