"""Which run or attempt of a study a label is about."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from annotate.models import Study
from tasks_admin.exports.rows import attempt_id, attempts_to_export
from tasks_admin.labels.files import LabelRow
from tasks_admin.labels.keep import Of
from tasks_admin.runs.shape import CONDITIONS, Rejected

CHUNK = 2000
Place = tuple[str, str, str, str]  # model, task, condition, environment
Found = tuple[Of, int]


class Finder:
    """Finds what a row names: an attempt by its name in the bundle or its number, a run by its id or by what it was of."""

    def __init__(self, study: Study) -> None:
        self.study = study

    @cached_property
    def runs(self) -> dict[int, tuple[str, str, Place]]:
        """By number: the file's own id, the harness, and of what it was."""
        task = "task_condition__task__"
        rows = self.study.runs.values_list(
            "pk", "run_id", "harness", "model", task + "slug", "task_condition__condition", task + "environment__slug"
        )
        return {pk: (run_id, harness, tuple(place)) for pk, run_id, harness, *place in rows.iterator(chunk_size=CHUNK)}

    @cached_property
    def by_id(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for pk, (run_id, _, _) in self.runs.items():
            if run_id:
                found[run_id].append(pk)
        return found

    @cached_property
    def by_task(self) -> dict[tuple[str, str], list[int]]:
        """Runs by model and task."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for pk, (_, _, (model, task, _, _)) in self.runs.items():
            found[(model, task)].append(pk)
        return found

    @cached_property
    def attempts(self) -> dict[str, int]:
        """Attempts by their names in the bundle, and by their numbers as the pages show them."""
        found: dict[str, int] = {}
        for attempt in attempts_to_export(self.study).iterator(chunk_size=CHUNK):
            found[attempt_id(attempt)] = found[str(attempt.pk)] = attempt.pk
        return found

    def find(self, row: LabelRow) -> Found | Rejected:
        """The one thing that the row is about, or why there is not exactly one."""
        if row.attempt is not None:
            pk = self.attempts.get(row.attempt)
            return ("attempt", pk) if pk else Rejected(row.place, f"the study has no attempt {row.attempt!r}.")
        if row.condition is not None and row.condition not in CONDITIONS:
            return Rejected(row.place, f"{row.condition!r} is no condition; conditions are {' and '.join(CONDITIONS)}.")
        if row.run_id is not None:
            near = self.by_id.get(row.run_id, [])
        elif row.model is not None and row.task is not None:
            near = self.by_task.get((row.model, row.task), [])
        else:
            return Rejected(row.place, "it names neither an attempt, nor a run_id, nor a model and a task.")
        return self.only(row, [pk for pk in near if self.fits(row, pk)])

    def fits(self, row: LabelRow, pk: int) -> bool:
        """True where nothing that the row tells speaks against the run."""
        _, harness, place = self.runs[pk]
        told = (row.model, row.task, row.condition, row.environment)
        wanted = row.harness is None or row.harness == harness
        return wanted and all(one is None or one == own for one, own in zip(told, place, strict=True))

    def only(self, row: LabelRow, found: list[int]) -> Found | Rejected:
        if len(found) == 1:
            return "run", found[0]
        names = {"run_id": row.run_id, "model": row.model, "harness": row.harness, "task": row.task,
                 "condition": row.condition, "environment": row.environment}  # fmt: skip
        said = ", ".join(f"{name} {value}" for name, value in names.items() if value is not None)
        if not found:
            return Rejected(row.place, f"the study has no run with {said}.")
        return Rejected(
            row.place, f"{len(found)} runs have {said}; tell model, harness, task, condition and environment too."
        )
