"""How agents fail: the BreakingWeb paper's failure modes in its rules' order (Appendix I), and what they report of themselves.

The first rule that matches assigns the mode. A run counts as declared done where it ended with a done verb. The paper's text does not
print its threshold for a retry loop; ours is RETRY consecutive actions of one verb on one target.
"""

from __future__ import annotations

from typing import Any

import polars as pl

RETRY = 5
COLLAPSE = 5  # actions; Appendix I.3
ERRORS = 3  # failed action results; Appendix I.3
CLASSES = {
    "misleading_success_taken": "belief",
    "premature_done": "belief",
    "retry_loop": "action",
    "plan_collapse": "action",
    "silent_overreach": "overreach",
    "selector_hallucination": "action",
    "abandoned_run": "unclassed",
}
NEEDED = (
    "done_verb",
    "success_words",
    "longest_repeat",
    "action_errors",
    "actions",
    "failed_positive",
    "failed_negative",
)


def mode_of(runs: pl.DataFrame) -> pl.Series:
    """The failure mode of each row; null where the trajectory does not carry what the rules need."""
    col = pl.col
    known = pl.all_horizontal(col(name).is_not_null() for name in NEEDED)
    mode = (
        pl.when(col("done_verb") & col("failed_positive") & col("success_words"))
        .then(pl.lit("misleading_success_taken"))
        .when(col("done_verb") & col("failed_positive"))
        .then(pl.lit("premature_done"))
        .when(~col("done_verb") & (col("longest_repeat") >= RETRY))
        .then(pl.lit("retry_loop"))
        .when(~col("done_verb") & (col("actions") <= COLLAPSE))
        .then(pl.lit("plan_collapse"))
        .when(~col("done_verb"))
        .then(pl.lit("abandoned_run"))
        .when(col("failed_negative"))
        .then(pl.lit("silent_overreach"))
        .when(col("action_errors") >= ERRORS)
        .then(pl.lit("selector_hallucination"))
        .otherwise(pl.lit("abandoned_run"))
    )
    return runs.select(pl.when(known).then(mode).otherwise(None).alias("mode")).to_series()


def failures(runs: pl.DataFrame) -> dict[str, Any]:
    """Of one model's failed runs: `failed`, `classed`, each mode's count, and each class's share of those that have a class.

    Where no trajectory carries what the rules need, `refused` says so.
    """
    failed = runs.filter(~pl.col("passed"))
    modes = mode_of(failed).drop_nulls()
    told: dict[str, Any] = {"failed": failed.height, "classed": len(modes)}
    if failed.height and not len(modes):
        return told | {"refused": "no trajectory came with the runs, or none carries its checks, which the rules need"}
    counts = {mode: int((modes == mode).sum()) for mode in CLASSES}
    whole = sum(number for mode, number in counts.items() if CLASSES[mode] != "unclassed")
    shares = {
        name: sum(number for mode, number in counts.items() if CLASSES[mode] == name) / whole if whole else None
        for name in ("belief", "action", "overreach")
    }
    return told | {"modes": counts, "shares": shares}


def self_report(runs: pl.DataFrame) -> dict[str, Any]:
    """Runs that ended with the agent declaring itself done: `n`, and the share of them that had failed (the false-positive rate).
    Runs whose verdict is the agent's own word are left out: by that no report is ever false."""
    judged = runs.filter(pl.col("verdict_source").fill_null("") != "self")
    done = judged.filter(pl.col("completed").fill_null(value=False))
    told = {"n": done.height, "with_a_flag": int(judged["completed"].is_not_null().sum())}
    if not told["with_a_flag"]:
        flagged = bool(runs["completed"].is_not_null().any())
        return told | {
            "refused": "the agent itself said whether it passed" if flagged else "the runs carry no completion flag"
        }
    return told | {"false_positive_rate": float((~done["passed"]).mean()) if done.height else None}  # type: ignore[arg-type]
