"""Taking runs into a study: all that can be taken, in one transaction; doing it twice changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from annotate.actions import audit
from annotate.models import Person, Study, TaskCondition
from tasks_admin.models import Run, RunImport
from tasks_admin.runs.registry import Format
from tasks_admin.runs.shape import CONDITIONS, BadRuns, Given, Rejected, Row, RunIn

BATCH = 2000
REASONS = 1000
Key = tuple[str, str, int]  # model, harness, task-condition
COMPARED = (
    "run_id", "score", "passed", "verdict_source", "completed", "steps", "step_unit", "elapsed_ms", "time_unit", "detail",
)  # fmt: skip


@dataclass
class Taken:
    """What an import did: runs taken, runs that were there already, and what was rejected, with reasons."""

    format: str
    taken: int = 0
    same: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    models: Counter[str] = field(default_factory=Counter)


def import_runs(
    study: Study, found: Format, path: Path, given: Given, *, actor: Person | None = None, name: str = ""
) -> Taken:
    """Import every run at `path`. Raises BadRuns where something must be said first, or nothing can be taken; then nothing is."""
    if given.condition not in (None, *CONDITIONS):
        raise BadRuns(f"{given.condition!r} is no condition; say {' or '.join(CONDITIONS)}.")
    told = Taken(found.name)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # the race: two imports of the same runs
        made = RunImport.objects.create(study=study, actor=actor, format=found.name, name=(name or path.name)[:200])
        write(made, Matcher(study), found.read(path, given), given, told)
        if not told.taken and not told.same:
            raise BadRuns(none_taken(told))
        made.taken, made.same, made.rejected = told.taken, told.same, len(told.rejected)
        made.reasons = [[one.place, one.reason] for one in told.rejected[:REASONS]]
        made.save(update_fields=["taken", "same", "rejected", "reasons"])
        if told.taken:
            audit.note(study, actor, "import runs", made.name, after={"format": found.name, "taken": told.taken})
        else:
            made.delete()
    return told


def none_taken(told: Taken) -> str:
    if not told.rejected:
        return "There is no run in it."
    first = "; ".join(f"{one.place}: {one.reason}" for one in told.rejected[:3])
    return f"None of its {len(told.rejected)} runs can be taken. {first}"


class Matcher:
    """Finds the task-condition of a run in a study."""

    def __init__(self, study: Study) -> None:
        self.conditions: dict[tuple[str, str], list[TaskCondition]] = {}
        for one in study.task_conditions.select_related("task__environment"):
            self.conditions.setdefault((one.task.slug, one.condition), []).append(one)

    def find(self, run: RunIn) -> TaskCondition | Rejected:
        """The task-condition, or why there is not exactly one."""
        found = self.conditions.get((run.task, run.condition or ""), [])
        if run.environment is not None:
            found = [one for one in found if one.task.environment.slug == run.environment]
        if len(found) == 1:
            return found[0]
        where = f" of environment {run.environment!r}" if run.environment else ""
        if found:
            names = ", ".join(sorted(one.task.environment.slug for one in found))
            return Rejected(
                run.place, f"task {run.task!r} is in several environments ({names}); the row must name its own."
            )
        return Rejected(run.place, f"the study has no task {run.task!r}{where} under the condition {run.condition!r}.")


def completed_by(run: RunIn, given: Given) -> RunIn:
    """The run with what the importer said of all. Raises BadRuns for what nobody said."""
    run.model = given.model or run.model
    run.harness = given.harness or run.harness
    run.condition = run.condition or given.condition
    run.step_unit = run.step_unit or given.step_unit
    for name, value, option in (
        ("model", run.model, "--model NAME"),
        ("condition", run.condition, "--condition clean or --condition intervention"),
        ("unit of steps", run.steps is None or run.step_unit, "--step-unit model_turns or executed_actions"),
    ):
        if not value:
            raise BadRuns(f"{run.place} does not tell the {name}: say it with {option}. Nothing was imported.")
    return run


def unusable(run: RunIn) -> Rejected | None:
    """Why the run has no verdict that figures could use."""
    if run.condition not in CONDITIONS:
        return Rejected(run.place, f"{run.condition!r} is no condition; conditions are {' and '.join(CONDITIONS)}.")
    if run.passed is None and run.score is None:
        return Rejected(run.place, "it has neither a score nor a verdict.")
    if run.passed is None:
        return Rejected(run.place, "it has a score and no verdict; whether that is a pass is not for us to guess.")
    return None


def write(made: RunImport, matcher: Matcher, rows: Iterable[Row], given: Given, told: Taken) -> None:
    """Write the runs in batches and count."""
    there: dict[Key, Run] = {
        (run.model, run.harness, run.task_condition_id): run for run in made.study.runs.iterator(chunk_size=BATCH)
    }
    batch: list[Run] = []
    for run in new_runs(made, matcher, rows, given, told, there):
        batch.append(run)
        if len(batch) == BATCH:
            Run.objects.bulk_create(batch)
            batch = []
    Run.objects.bulk_create(batch)


def new_runs(
    made: RunImport, matcher: Matcher, rows: Iterable[Row], given: Given, told: Taken, there: dict[Key, Run]
) -> Iterator[Run]:
    for row in rows:
        refused = row if isinstance(row, Rejected) else unusable(completed_by(row, given))
        if refused is not None or isinstance(row, Rejected):
            told.rejected.append(refused or row)  # type: ignore[arg-type]
            continue
        condition = matcher.find(row)
        if isinstance(condition, Rejected):
            told.rejected.append(condition)
            continue
        run = run_of(made, row, condition)
        key = (run.model, run.harness, condition.pk)
        if (before := there.get(key)) is None:
            there[key] = run
            told.taken += 1
            told.models[run.model] += 1
            yield run
        elif all(getattr(before, name) == getattr(run, name) for name in COMPARED):
            told.same += 1
        else:
            told.rejected.append(Rejected(row.place, other_run(run, row, before)))


def other_run(run: Run, row: RunIn, before: Run) -> str:
    return (
        f"a run of {run.model} ({run.harness or 'no harness'}) on task {row.task!r}, {row.condition}, is there already with "
        f"other values ({before.run_id or 'without an id'}). Give this set of runs a model name of its own with --model."
    )


def run_of(made: RunImport, row: RunIn, condition: TaskCondition) -> Run:
    passed = bool(row.passed)
    return Run(
        study=made.study,
        source=made,
        task_condition=condition,
        model=row.model or "",
        harness=row.harness or "",
        run_id=row.run_id or "",
        score=float(passed) if row.score is None else row.score,
        passed=passed,
        verdict_source=row.verdict_source,
        completed=row.completed,
        steps=row.steps,
        step_unit=row.step_unit or "",
        elapsed_ms=row.elapsed_ms,
        time_unit=row.time_unit or "",
        detail=row.detail,
    )
