"""Taking runs into a study: all that can be taken, in one transaction; doing it twice changes nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from annotate.actions import audit
from annotate.models import Person, Study, TaskCondition
from recorder.wire import storable, storable_json
from tasks_admin.models import Run, RunImport
from tasks_admin.runs import values
from tasks_admin.runs.registry import Format
from tasks_admin.runs.said import NAMES, UNSEEN, check
from tasks_admin.runs.shape import CONDITIONS, BadRuns, Given, Refusals, Rejected, RunIn
from tasks_admin.runs.write import Before, Writer, state_of

LONGEST = {"model": 200, "harness": 200, "run_id": 400}  # characters that the database keeps
Key = tuple[str, str, int]  # model, harness, task-condition


@dataclass
class Taken:
    """What an import did: runs taken, runs that were there already, labels that came with them, and what was rejected; the number of
    the import, None for one that brought nothing new."""

    format: str
    taken: int = 0
    same: int = 0
    labels: int = 0
    rejected: Refusals = field(default_factory=Refusals)
    models: Counter[str] = field(default_factory=Counter)
    number: int | None = None


def import_runs(
    study: Study,
    found: Format,
    path: Path,
    given: Given,
    *,
    actor: Person | None = None,
    name: str = "",
    passed_over: Iterable[Rejected] = (),
    progress: Callable[[int], None] = lambda rows: None,
) -> Taken:
    """Import every run at `path`; `progress` hears how many rows were read, `passed_over` is told with what was rejected.

    Raises BadRuns where something must be said first, or nothing can be taken; then nothing is.
    """
    check(given, found)
    told = Taken(found.name)
    for one in passed_over:
        told.rejected.add(one)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # the race: two imports of the same runs
        made = RunImport.objects.create(study=study, actor=actor, format=found.name, name=(name or path.name)[:200])
        importer = Importer(made, given, told)
        for number, row in enumerate(found.read(path, given), 1):
            progress(number)
            refused = row if isinstance(row, Rejected) else importer.take(row)
            if refused is not None:
                told.rejected.add(refused)
        told.labels = importer.writer.close()
        if not told.taken and not told.same:
            raise BadRuns(told.rejected.told("run"), rejected=told.rejected)
        finish(made, told)
    return told


def finish(made: RunImport, told: Taken) -> None:
    """Note what the import came to; one that brought no run leaves no row."""
    if not told.taken:
        made.delete()
        return
    told.number = made.pk
    made.taken, made.same, made.rejected = told.taken, told.same, told.rejected.count
    made.reasons = told.rejected.rows()
    made.save(update_fields=["taken", "same", "rejected", "reasons"])
    audit.note(made.study, made.actor, "import runs", made.name, after={"format": told.format, "taken": told.taken})


class Matcher:
    """Finds the task-condition of a run in a study."""

    def __init__(self, study: Study) -> None:
        self.conditions: dict[tuple[str, str], list[TaskCondition]] = {}
        self.named: dict[int, str] = {}  # by number: as people read of it
        for one in study.task_conditions.select_related("task__environment"):
            self.conditions.setdefault((one.task.slug, one.condition), []).append(one)
            self.named[one.pk] = f"task {one.task.slug!r}, {one.condition}"

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
    needed = (
        ("model", "model", run.model, "--model NAME"),
        ("condition", "condition", run.condition, "--condition clean or --condition intervention"),
        (
            "unit of steps",
            "step_unit",
            run.steps is None or run.step_unit,
            "--step-unit model_turns or executed_actions",
        ),
    )
    missing = [(name, asks, option) for name, asks, value, option in needed if not value]
    for _, asks, _ in missing:
        if column := given.columns.get(asks):
            raise BadRuns(
                f"{run.place} has nothing in a column {column!r}, which was named for {asks}. Nothing was imported.",
                "columns",
            )
    if missing:
        names, options = " and the ".join(name for name, _, _ in missing), "; ".join(option for _, _, option in missing)
        raise BadRuns(
            f"{run.place} does not tell the {names}. Nothing was imported.",
            *(asks for _, asks, _ in missing),
            options=options,
        )
    return run


def unusable(run: RunIn) -> Rejected | None:
    """Why the run cannot be kept: a name that is too long, a sum or difference of times that no run takes, or no verdict that
    figures could use."""
    for name, most in LONGEST.items():
        said = str(getattr(run, name) or "")
        if len(said) > most or said != storable(said):
            return Rejected(run.place, f"{name} is longer than {most} characters or holds what no database keeps.")
    for name in NAMES:
        if unseen := values.unseen_in(getattr(run, name) or ""):
            return Rejected(run.place, f"{name} holds {unseen}, {UNSEEN}.")
    try:
        values.whole(run.steps, "steps")
        values.milliseconds(run.elapsed_ms, "elapsed_ms")
    except values.Unusable as error:
        return Rejected(run.place, f"{error}.")
    if run.condition not in CONDITIONS:
        return Rejected(run.place, f"{run.condition!r} is no condition; conditions are {' and '.join(CONDITIONS)}.")
    if run.passed is None and run.score is None:
        return Rejected(run.place, "it has neither a score nor a verdict.")
    if run.passed is None:
        return Rejected(run.place, "it has a score and no verdict; whether that is a pass is not for us to guess.")
    return None


class Importer:
    """Takes runs in one by one; what is there already is known by a digest of its values, so that memory stays flat."""

    def __init__(self, made: RunImport, given: Given, told: Taken) -> None:
        self.made, self.given, self.told = made, given, told
        self.matcher, self.writer = Matcher(made.study), Writer(made, told.rejected)
        self.there: dict[Key, Before] = {
            (run.model, run.harness, run.task_condition_id): Before(state_of(run), run.run_id, run.pk)
            for run in made.study.runs.iterator(chunk_size=2000)
        }
        self.ids: dict[tuple[str, str], dict[str, int]] = defaultdict(
            dict
        )  # by model and harness: whose task-condition an id is
        for (model, harness, condition), before in self.there.items():
            self.ids[model, harness][before.run_id] = condition

    def take(self, row: RunIn) -> Rejected | None:
        """Take a run in, or say why not; what is left out of one that is taken is told among the rejections."""
        if refused := unusable(completed_by(row, self.given)):
            return refused
        condition = self.matcher.find(row)
        if isinstance(condition, Rejected):
            return condition
        run = run_of(self.made, row, condition)
        key, state = (run.model, run.harness, condition.pk), state_of(run)
        before, ids = self.there.get(key), self.ids[run.model, run.harness]
        if before is None and run.run_id and run.run_id in ids:
            return Rejected(row.place, other_task(run, self.matcher.named[ids[run.run_id]]))
        if before is None:
            ids[run.run_id] = condition.pk
            self.there[key] = Before(state, run.run_id)
            self.told.taken += 1
            self.told.models[run.model] += 1
            self.writer.add(run, row)
        elif before.state != state:
            return Rejected(row.place, other_run(run, row, before))
        elif before.pk is None:
            return Rejected(row.place, "it is twice in this file, with the same values; what came first counts.")
        else:
            self.there[key] = before._replace(pk=None)
            self.told.same += 1
            self.writer.add_to(before.pk, row)
        for why in row.without:
            self.told.rejected.add(Rejected(row.place, f"only {why}; the run is taken."))
        return None


def other_run(run: Run, row: RunIn, before: Before) -> str:
    return (
        f"a run of {run.model} ({run.harness or 'no harness'}) on task {row.task!r}, {row.condition}, is there already with "
        f"other values ({before.run_id or 'without an id'}). Give this set of runs a model name of its own."
    )


def other_task(run: Run, task: str) -> str:
    return (
        f"the id {run.run_id!r} is that of another run of {run.model} ({run.harness or 'no harness'}) already, on {task}. "
        "Give each run an id of its own, or none."
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
        detail=storable_json(row.detail),
    )
