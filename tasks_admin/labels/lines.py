"""The runs and attempts behind a line of judges against people, with what each said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotate.errors import BadInput
from annotate.models import Attempt, Label, Person
from tasks_admin.agreement.judges import CELLS, EVERY, Judged
from tasks_admin.models import ImportedLabel, Run, RunLabel


def behind(found: Iterable[Judged], judge: str, model: str, cell: str) -> list[Judged]:
    """Those that a line, or one of its cells, was made of. Raises BadInput for a cell that no table has."""
    if cell not in ("", *CELLS):
        raise BadInput(f"There is no cell {cell[:40]!r} to filter by.", "cell")
    return [one for one in found if one.cell(judge) is not None and is_of(one, model) and cell in ("", one.cell(judge))]


def is_of(one: Judged, model: str) -> bool:
    """True where a line's model is the thing's own, or stands for it."""
    return one.of == "run" if model == EVERY else model in ("", one.model)


def told(found: list[Judged], judge: str) -> list[dict[str, Any]]:
    """A page of them as it is shown: what it is, of which task, what the judge said and why, what people said."""
    runs, attempts = ([one.pk for one in found if one.of == of] for of in ("run", "attempt"))
    tasks: dict[tuple[str, int], Any] = {}
    for run in Run.objects.filter(pk__in=runs).select_related("task_condition__task__environment"):
        tasks["run", run.pk] = run.task_condition
    where = "round__assignment__task_condition__task__environment"
    for attempt in Attempt.objects.filter(pk__in=attempts).select_related(where):
        tasks["attempt", attempt.pk] = attempt.round.assignment.task_condition
    reasons: dict[tuple[str, int], str] = {}
    for label in ImportedLabel.objects.filter(judge=judge, run__in=runs) | ImportedLabel.objects.filter(
        judge=judge, attempt__in=attempts
    ):
        reasons[("run", label.run_id) if label.run_id else ("attempt", label.attempt_id or 0)] = label.reason
    return [
        {
            "one": one,
            "condition": tasks[one.of, one.pk],
            "said": one.says[judge],
            "reason": reasons.get((one.of, one.pk), ""),
            "yes": sum(one.words.values()),
            "no": len(one.words) - sum(one.words.values()),
        }
        for one in found
    ]


def not_labelled_by(person: Person, found: list[Judged]) -> int:
    """How many of them the person has not labelled yet: whoever reads on is no longer blind to these."""
    runs, attempts = ([one.pk for one in found if one.of == of] for of in ("run", "attempt"))
    own_runs = RunLabel.objects.filter(lead=person, run__in=runs).values("run").distinct().count()
    own_attempts = Label.objects.filter(lead=person, attempt__in=attempts).values("attempt").distinct().count()
    return len(found) - own_runs - own_attempts
