"""The three tables, and the refusal of what no figure may be made of, by row and field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from recorder.errors import FootpathError
from tasks_admin.comparison.names import agent_names
from tasks_admin.runs.values import LARGEST_COUNT, LONGEST_MS, unseen_in

TEXT, NUMBER, WHOLE, FLAG = pl.String(), pl.Float64(), pl.Int64(), pl.Boolean()
Schema = dict[str, pl.DataType]
ATTEMPTS: Schema = {
    "attempt_id": TEXT, "environment": TEXT, "task": TEXT, "difficulty": TEXT, "primitive": TEXT, "condition": TEXT, "attempt": TEXT,
    "role": TEXT, "annotator": TEXT, "round": WHOLE, "status": TEXT, "score": NUMBER, "passed": FLAG, "wall_ms": NUMBER,
    "raw_events": WHOLE, "cleaned_events": WHOLE, "steps": WHOLE, "proof_complete": FLAG, "reference": FLAG,
}  # fmt: skip
TASKS: Schema = {
    "environment": TEXT,
    "task": TEXT,
    "difficulty": TEXT,
    "primitive": TEXT,
    "family": TEXT,
    "in_panel": FLAG,
}
RUNS: Schema = {
    "run_id": TEXT, "model": TEXT, "harness": TEXT, "task": TEXT, "condition": TEXT, "score": NUMBER, "passed": FLAG, "steps": WHOLE,
    "step_unit": TEXT, "elapsed_ms": NUMBER,
}  # fmt: skip
# Of a run, where it is known: who judged it, what its time is, whether the agent declared itself done, what failures are classed by.
TOLD: Schema = {
    "verdict_source": TEXT, "time_unit": TEXT, "completed": FLAG, "actions": WHOLE, "done_verb": FLAG,
    "success_words": FLAG, "longest_repeat": WHOLE,
    "action_errors": WHOLE, "failed_positive": FLAG, "failed_negative": FLAG,
}  # fmt: skip
RUNS |= TOLD
WHERE: Schema = {"environment": TEXT}  # of a run: needed where several environments have a task of its name
NOT_TOLD = "not told"
STEP_UNITS = {  # what tables call them, too
    "action": "executed_actions", "actions": "executed_actions", "turn": "model_turns", "turns": "model_turns", "": NOT_TOLD,
}  # fmt: skip
WORDS = {
    "condition": ["clean", "intervention"],
    "attempt": ["cold", "warm"],
    "role": ["primary", "duplicate", "practice"],
    "time_unit": ["wall", "sum_of_steps"],
    "step_unit": ["executed_actions", "model_turns", NOT_TOLD],
    "status": ["complete", "rolled_back", "abandoned", "void", "superseded", "withdrawn", "excluded", "task_faulty"],
}
MAY_BE_NULL = {
    "primitive",
    "family",
    "score",
    "passed",
    "wall_ms",
    "raw_events",
    "cleaned_events",
    "steps",
    "proof_complete",
    "reference",  # whether the attempt stands for its task-condition; where no row says, the warm primary does
    "elapsed_ms",
    "harness",
    *TOLD,
}
NAMED = (
    "model",
    "run_id",
    "task",
    "attempt_id",
    "annotator",
    "environment",
    "difficulty",
)  # no figure may stand beside a blank
AGENT = ("model", "harness")  # by which people tell runs apart
TIMES = ("wall_ms", "elapsed_ms")
SHOWN = 5


@dataclass(frozen=True)
class Tables:
    """`attempts`, `tasks` and `runs` (empty where there are none), checked."""

    attempts: pl.DataFrame
    tasks: pl.DataFrame
    runs: pl.DataFrame


class BadTable(FootpathError):
    """A table holds what no figure may be made of."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_table", 400, message)


def checked(
    attempts: pl.DataFrame,
    tasks: pl.DataFrame,
    runs: pl.DataFrame,
    names: tuple[Any, Any, Any] = ("attempts", "tasks", "runs"),
) -> Tables:
    """The tables, where every row can be counted. Raises BadTable with the first rows that cannot."""
    attempts, tasks, runs = apart(attempts, tasks, runs, names[2])
    runs = runs.with_columns(pl.col("harness").replace("", None), pl.col("step_unit").replace(STEP_UNITS))
    for frame, name, keys in (
        (attempts, names[0], ["attempt_id"]),
        (tasks, names[1], ["task"]),
        (runs, names[2], ["run_id"]),
    ):
        for problem in problems(frame, keys):
            raise BadTable(f"{name}, {problem}")
    stray(attempts, tasks, names[0])
    stray(runs, tasks, names[2])
    elsewhere(attempts, tasks, names[0])
    misplaced(attempts, names[0])
    complete = attempts.filter((pl.col("status") == "complete") & (pl.col("role") != "practice"))
    twice(complete, ["task", "condition", "attempt", "role", "annotator"], names[0], "complete attempts")
    twice(
        complete.filter(pl.col("role") == "primary"),
        ["task", "condition", "attempt"],
        names[0],
        "complete primary attempts",
    )
    chosen = complete.filter(pl.col("reference").fill_null(value=False))
    twice(chosen, ["task", "condition"], names[0], "references")
    twice(
        runs,
        ["model", "harness", "task", "condition"],
        names[2],
        "runs; give each set of runs a model name of its own, or leave",
    )
    return Tables(attempts, tasks, by_harness(runs, names[2]))


def apart(
    attempts: pl.DataFrame, tasks: pl.DataFrame, runs: pl.DataFrame, name: Any
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The tables, where a task whose name several environments have is called `environment/task`. Raises BadTable."""
    if "environment" not in runs.columns:
        runs = runs.with_columns(environment=pl.lit(None, dtype=TEXT))
    environments = tasks.group_by("task").agg(pl.col("environment").n_unique().alias("number"))
    several = pl.col("task").is_in(environments.filter(pl.col("number") > 1)["task"].to_list())
    if bad := rows(runs.select(several & pl.col("environment").is_null()).to_series()):
        raise BadTable(f"{name}, row {bad}: several environments have a task of this name; name the environment.")
    own = pl.when(several).then(pl.format("{}/{}", "environment", "task")).otherwise("task").alias("task")
    return attempts.with_columns(own), tasks.with_columns(own), runs.with_columns(own).drop("environment")


def by_harness(runs: pl.DataFrame, name: Any) -> pl.DataFrame:
    """The runs, with the names of their agents for those of their models: one run a task. Raises BadTable where two have one."""
    names = agent_names(runs.select("model", "harness").unique().rows())
    if len(set(names.values())) < len(names):
        agent = next(one for one, number in Counter(names.values()).items() if number > 1)
        raise BadTable(f"{name} has two agents that would be called {agent}; give a model or harness another name.")
    agents = [{"model": model, "harness": harness, "agent": agent} for (model, harness), agent in names.items()]
    called = pl.DataFrame(agents, schema={"model": TEXT, "harness": TEXT, "agent": TEXT})
    told = runs.join(called, on=["model", "harness"], how="left", nulls_equal=True, maintain_order="left")
    return told.with_columns(model="agent").drop("agent")


def problems(frame: pl.DataFrame, keys: list[str]) -> Iterator[str]:
    """What is wrong with single rows, the first of each kind."""
    for name, kind in frame.schema.items():
        if name not in MAY_BE_NULL and (bad := rows(frame[name].is_null())):
            yield f"row {bad}: {name} is missing."
        if name in NAMED and (bad := rows(frame[name].str.strip_chars() == "")):
            yield f"row {bad}: {name} is blank."
        if name in AGENT and (odd := unseen(frame[name])):
            yield f"row {rows(frame[name] == odd)}: {name} holds {unseen_in(odd)}, which nobody sees."
        if name in WORDS and (bad := rows(~frame[name].is_in(WORDS[name]))):
            yield f"row {bad}: {name} must be one of {', '.join(WORDS[name])}."
        if kind == NUMBER and (bad := rows(~frame[name].is_finite().fill_null(value=True))):
            yield f"row {bad}: {name} is not a finite number."
        if kind in (NUMBER, WHOLE) and (bad := rows((frame[name] < 0).fill_null(value=False))):
            yield f"row {bad}: {name} is negative."
        most = LONGEST_MS if name in TIMES else LARGEST_COUNT if kind == WHOLE else None
        if most is not None and (bad := rows((frame[name] > most).fill_null(value=False))):
            yield f"row {bad}: {name} is over {most:g}."
    if "score" in frame.columns and (bad := rows((frame["score"] > 1).fill_null(value=False))):
        yield f"row {bad}: score is over 1; scores go from 0 to 1."
    if bad := rows(frame.select(pl.struct(keys).is_duplicated()).to_series()):
        yield f"row {bad}: {', '.join(keys)} is there twice."
    if "status" in frame.columns:
        counts = frame["status"] == "complete"
        for name in ("score", "passed"):
            if bad := rows(counts & frame[name].is_null()):
                yield f"row {bad}: a complete attempt has no {name}."
    elif "run_id" in frame.columns:
        if bad := rows(frame["steps"].is_not_null() & (frame["step_unit"] == NOT_TOLD)):
            yield f"row {bad}: steps is told without a step_unit."
        for name in ("score", "passed"):
            if bad := rows(frame[name].is_null()):
                yield f"row {bad}: a run has no {name}."


def unseen(names: pl.Series) -> str | None:
    """The first name with a character that nobody sees, by which two would look the same."""
    return next((name for name in names.drop_nulls().unique(maintain_order=True) if unseen_in(name)), None)


def rows(mask: pl.Series) -> str:
    """Numbers of the first rows for which it holds, 1-based; '' for none."""
    found = mask.fill_null(value=False).arg_true()
    shown = ", ".join(str(index + 1) for index in found[:SHOWN])
    return shown + (f" and {len(found) - SHOWN} more" if len(found) > SHOWN else "")


def stray(frame: pl.DataFrame, tasks: pl.DataFrame, name: Any) -> None:
    """Refuse rows of tasks that the task table does not have."""
    unknown = frame.join(tasks, on="task", how="anti")["task"].unique(maintain_order=True).to_list()
    if unknown:
        more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        raise BadTable(f"{name} has tasks that the task table does not: {', '.join(unknown[:SHOWN])}{more}.")


def elsewhere(attempts: pl.DataFrame, tasks: pl.DataFrame, name: Any) -> None:
    """Refuse attempts that name another environment or difficulty than their task's."""
    fields = ("environment", "difficulty")
    of_task = tasks.select("task", *fields)
    own = attempts.join(of_task, on="task", how="left", suffix="_of_task", maintain_order="left")
    for field in fields:
        if bad := rows(own[field] != own[f"{field}_of_task"]):
            raise BadTable(f"{name}, row {bad}: {field} is not that of its task.")


def misplaced(attempts: pl.DataFrame, name: Any) -> None:
    """Refuse references that may not be any, and duplicates by whoever did the primary."""
    counts, chosen = attempts["status"] == "complete", attempts["reference"].fill_null(value=False)
    for may, why in (
        (counts & (attempts["role"] != "practice"), "does not count"),
        (attempts["passed"].fill_null(value=False), "did not pass"),
        (attempts["proof_complete"].fill_null(value=True), "has no complete proof"),
    ):
        if bad := rows(chosen & ~may):
            raise BadTable(f"{name}, row {bad}: reference is true of an attempt that {why}.")
    place = ["task", "condition", "attempt", "annotator"]
    first = attempts.filter(counts & (attempts["role"] == "primary")).select(*place, again=pl.lit(value=True))
    both = attempts.join(first.unique(), on=place, how="left", maintain_order="left")
    if bad := rows(counts & (attempts["role"] == "duplicate") & both["again"]):
        raise BadTable(f"{name}, row {bad}: annotator of this duplicate is the one of the primary.")


def twice(frame: pl.DataFrame, keys: list[str], name: Any, what: str) -> None:
    """Refuse two rows where a figure has place for one."""
    found = frame.filter(pl.struct(keys).is_duplicated())
    if found.height:
        first = ", ".join(f"{key} {found[key][0]}" for key in keys)
        raise BadTable(
            f"{name} has several {what} for {first}. Leave one of them."
            if "leave" not in what
            else f"{name} has several {what} one, for {first}."
        )
