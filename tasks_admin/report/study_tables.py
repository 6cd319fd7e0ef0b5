"""The three tables that figures are made of, out of the database."""

from __future__ import annotations

from typing import Any

import polars as pl

from annotate.models import Reference, Study, Task
from tasks_admin.comparison.tables import ATTEMPTS, NOT_TOLD, RUNS, TASKS, TOLD, WHERE, Tables, checked
from tasks_admin.exports.rows import attempt_row, counted, primitive_of
from tasks_admin.models import Run

CHUNK = 2000


def tables_of(study: Study) -> Tables:
    """The study's counted attempts, which of them are references, the tasks of its environments, and its runs. Raises BadTable."""
    chosen = Reference.objects.filter(task_condition__study=study, is_current=True, attempt__isnull=False)
    references = set(chosen.values_list("attempt_id", flat=True))
    tasks = task_rows(study)
    difficulty = {(task["environment"], task["task"]): task["difficulty"] for task in tasks}  # of one version of each
    attempts = [
        {name: row[name] for name in ATTEMPTS if name != "reference"}
        | {"reference": attempt.pk in references, "difficulty": difficulty[row["environment"], row["task"]]}
        for attempt in counted(study).iterator(chunk_size=CHUNK)
        for row in [attempt_row(attempt)]
    ]
    return checked(
        pl.DataFrame(attempts, schema=ATTEMPTS),
        pl.DataFrame(tasks, schema=TASKS),
        pl.DataFrame([run_row(run) for run in runs_of(study)], schema=RUNS | WHERE),
    )


def runs_of(study: Study) -> Any:
    return (
        Run.objects.filter(study=study)
        .select_related("task_condition__task__environment")
        .order_by("model", "harness", "task_condition_id")
        .iterator(chunk_size=CHUNK)
    )


def primitives_of(study: Study) -> dict[int, str | None]:
    """{primary key of a task of the panel: the primitive that figures count it under in both conditions}: its intervention's, in the
    newest version of the task that the panel has."""
    conditions = list(study.task_conditions.select_related("task", "variant").order_by("task__version", "condition"))
    newest = {(one.task.environment_id, one.task.slug): primitive_of(one) for one in conditions}
    return {one.task_id: newest[one.task.environment_id, one.task.slug] for one in conditions}


def task_rows(study: Study) -> list[dict[str, Any]]:
    """Every task of the study's environments, each once: as its panel has it, in the newest version of those, else as it is now.

    A task's primitive is its intervention's.
    """
    panel = primitives_of(study)
    environments = study.task_conditions.values("task__environment")
    whole = Task.objects.filter(environment__in=environments, is_current=True) | Task.objects.filter(pk__in=panel)
    found = whole.select_related("environment").distinct()
    once = {
        (task.environment_id, task.slug): task
        for task in sorted(found, key=lambda task: (task.pk in panel, task.version))
    }
    return [
        {
            "environment": task.environment.slug,
            "task": task.slug,
            "difficulty": task.difficulty,
            "primitive": panel.get(task.pk) or (task.primitives[0] if task.primitives else None),
            "family": family_of(task),
            "in_panel": task.pk in panel,
        }
        for task in sorted(once.values(), key=lambda task: (task.environment.slug, task.slug))
    ]


def family_of(task: Task) -> str | None:
    """Of which family of tasks it is, where its catalogue says so: `params.family`."""
    family = task.params.get("family")
    return family if isinstance(family, str) and family.strip() else None


def run_row(run: Run) -> dict[str, Any]:
    """A row of `runs`."""
    return {
        "run_id": str(run.pk),
        "model": run.model,
        "harness": run.harness or None,
        "environment": run.task_condition.task.environment.slug,
        "task": run.task_condition.task.slug,
        "condition": run.task_condition.condition,
        "score": run.score,
        "passed": run.passed,
        "steps": run.steps,
        "step_unit": run.step_unit or NOT_TOLD,
        "elapsed_ms": run.elapsed_ms,
        "verdict_source": run.verdict_source,
        "time_unit": run.time_unit or None,
        "completed": run.completed,
    } | {name: run.detail.get(name) for name in TOLD if name not in ("verdict_source", "time_unit", "completed")}
