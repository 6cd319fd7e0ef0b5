"""Taking an import back: what it brought goes, whole or not at all, and the audit log says what that was.

Runs go with what hangs on them: trajectories, and labels whoever gave them. Words of people go only where that is said. Which of
its runs a later import found there already is not kept; such imports are named, to be brought in again where those runs should stay.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Q, QuerySet

from annotate.actions import audit
from annotate.errors import BadInput
from annotate.models import Person, Study
from recorder.errors import FootpathError
from tasks_admin.models import ImportedLabel, LabelImport, RunImport, RunLabel, RunTrajectory, Upload

NAMED = 20  # later imports
Import = RunImport | LabelImport


class Gone(FootpathError):
    """The import is not there any more."""

    def __init__(self) -> None:
        super().__init__(
            "taken_back",
            409,
            "This import is not in the study any more: it was taken back. The audit log says by whom.",
        )


class Changed(FootpathError):
    """What would go is not what was shown."""

    def __init__(self) -> None:
        super().__init__(
            "changed", 409, "What would go has changed since this page was opened. Look again; nothing was taken back."
        )


@dataclass(frozen=True)
class Goes:
    """What goes with an import, counted; `later` names imports since that found runs or labels there already."""

    runs: int
    judges: int  # labels by automatic judges
    elsewhere: int  # labels by people elsewhere
    leads: int  # labels by leads of the study; a changed mind is one more
    later: list[str] = field(default_factory=list)

    @property
    def words(self) -> int:
        """Labels that people gave."""
        return self.elsewhere + self.leads

    @property
    def seen(self) -> str:
        """What a page that shows it sends back, to be compared."""
        return f"{self.runs}-{self.judges}-{self.elsewhere}-{self.leads}"


def imports_of(study: Study, kind: str) -> QuerySet[Any]:
    """The study's imports of a kind, newest first."""
    return study.run_imports.all() if kind == Upload.Kind.RUNS else study.label_imports.all()


def labels_of(made: Import) -> QuerySet[ImportedLabel]:
    """Every imported label that goes: those of an import of labels, or all on the runs of an import of runs."""
    of = {"run__source": made} if isinstance(made, RunImport) else {"source": made}
    return ImportedLabel.objects.filter(**of)


def leads_labels_of(made: Import) -> QuerySet[RunLabel]:
    return RunLabel.objects.filter(run__source=made) if isinstance(made, RunImport) else RunLabel.objects.none()


def goes(made: Import) -> Goes:
    """What would go with an import."""
    by = labels_of(made).aggregate(judges=Count("pk", filter=Q(by="judge")), people=Count("pk", filter=Q(by="person")))
    runs = made.runs.count() if isinstance(made, RunImport) else 0
    return Goes(runs, by["judges"], by["people"], leads_labels_of(made).count(), later(made))


def later(made: Import) -> list[str]:
    """Names of imports since that found something there already, a file that brought nothing new included; the first NAMED."""
    kind = Upload.Kind.RUNS if isinstance(made, RunImport) else Upload.Kind.LABELS
    imports = imports_of(made.study, kind).filter(pk__gt=made.pk, same__gt=0).values_list("name", flat=True)
    files = made.study.uploads.filter(kind=kind, state="done", asked_at__gt=made.at, told__taken=0, told__same__gt=0)
    names = chain(imports[:NAMED], files.values_list("name", flat=True)[:NAMED])
    return list(dict.fromkeys(names))[:NAMED]


def take_back(
    study: Study, kind: str, import_id: int, person: Person | None, *, words_too: bool, seen: str | None = None
) -> Goes:
    """Remove an import and what it brought; `seen` is what the person was shown, None where nothing was.

    Raises Gone, Changed, and BadInput where words of people would go and `words_too` does not say so. Then nothing is removed.
    """
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # the race: two leads, or an import meanwhile
        made = imports_of(study, kind).filter(pk=import_id).first()
        if made is None:
            raise Gone
        hold_runs(made)
        found = goes(made)
        if seen not in (None, found.seen):
            raise Changed
        if found.words and not words_too:
            raise BadInput(
                f"{found.words} label{'s' * (found.words != 1)} that people gave would go with it. Say that they may; "
                "nothing was taken back.",
                "words_too",
            )
        told = asdict(found) | {"import": made.pk, "imported": made.at.isoformat()}
        audit.note(study, person, f"take back {kind}", made.name, before=told | kept_of(made))
        remove(made)
    return found


def hold_runs(made: Import) -> None:
    """Lock the runs of an import: who labels one of them meanwhile waits, and is told that it is gone."""
    if isinstance(made, RunImport):
        list(made.runs.select_for_update().order_by("pk").values_list("pk", flat=True))


def kept_of(made: Import) -> dict[str, Any]:
    """What the audit log keeps of what goes: how many runs of each model, and leads' own labels, for they are in no file."""
    if isinstance(made, LabelImport):
        return {}
    of = "run__task_condition__"
    what = (
        "run", "run__model", "run__harness", of + "task__slug", of + "task__environment__slug", of + "condition"
    )  # fmt: skip
    columns = ["run", "model", "harness", "task", "environment", "condition", "success", "note"]
    leads = leads_labels_of(made).order_by("pk").values_list(*what, "success", "note")
    counted = made.runs.order_by("model", "harness").values_list("model", "harness").annotate(number=Count("pk"))
    return {
        "models": [list(row) for row in counted],
        "leads_labels": [dict(zip(columns, row, strict=True)) for row in leads],
    }


def remove(made: Import) -> None:
    """Remove the rows, those that hang on runs first; an import of labels that came with the runs goes where it is left empty."""
    brought = list(labels_of(made).order_by().values_list("source", flat=True).distinct())
    labels_of(made).delete()
    if isinstance(made, RunImport):
        leads_labels_of(made).delete()
        RunTrajectory.objects.filter(run__source=made).delete()
        with connection.cursor() as cursor:  # in one go: Django reads the rows, then deletes a hundred at a time
            cursor.execute("DELETE FROM tasks_admin_run WHERE source_id = %s", [made.pk])
        LabelImport.objects.filter(pk__in=brought, labels__isnull=True).delete()
    made.delete()


def is_taken_back(upload: Upload) -> bool:
    """True where the import that came of a file is there no more."""
    number = upload.told.get("import")
    return number is not None and not imports_of(upload.study, upload.kind).filter(pk=number).exists()


def taken_back_since(study: Study, at: datetime) -> list[str]:
    """Names of the imports of runs that were taken back since, newest first, at most NAMED: what was counted then has gone."""
    entries = study.audit.filter(action=f"take back {Upload.Kind.RUNS}", at__gte=at)
    return list(entries.values_list("subject", flat=True)[:NAMED])
