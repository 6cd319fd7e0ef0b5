"""What leads do with exports: ask for one, cancel it, clear old ones away. Each is noted in the audit log."""

from __future__ import annotations

from pathlib import Path

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotate import jobs
from annotate.actions import audit
from annotate.errors import BadInput, MovedOn
from annotate.models import Person, Study
from tasks_admin.exports import shelf
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.contents import contents_of
from tasks_admin.exports.files import sha256
from tasks_admin.exports.released import recalled
from tasks_admin.models import Export

KEPT = 3  # finished exports per study


def ask_for(study: Study, person: Person, choice: Choice) -> Export:
    """Have an export made; the one that is being made already, if there is one. Raises BadInput where it would be empty."""
    if not contents_of(study, choice).inside:
        raise BadInput("No attempt is in this choice, so there is nothing to export. Choose more.", "contents")
    try:
        with transaction.atomic():  # the race: two leads ask at once, or one clicks twice
            export = Export.objects.create(study=study, actor=person, contents=choice.document())
            audit.note(study, person, "export", f"export {export.pk}", after=export.contents)
            transaction.on_commit(lambda: jobs.send("tasks_admin.tasks.make_export", export.pk))
    except IntegrityError:
        under_way = study.exports.filter(state__in=Export.OPEN).first()
        if under_way is None:
            raise MovedOn("export", "waiting") from None  # it came to its end at this very moment
        return under_way
    return export


def note_written(study: Study, choice: Choice, folder: Path) -> None:
    """Note a bundle that the command wrote: what was chosen, and the hash by which a bundle somewhere is known again."""
    told = choice.document() | {"manifest_sha256": sha256(folder / "manifest.json")}
    audit.note(study, None, "export", f"folder {folder.name}", after=told)


def cancel(export: Export, person: Person) -> None:
    """Stop an export that waits or runs; its worker removes what it wrote. Raises MovedOn."""
    with transaction.atomic():
        if not Export.objects.filter(pk=export.pk, state__in=Export.OPEN).update(state="cancelled"):
            raise MovedOn("export", "waiting or running")
        audit.note(export.study, person, "cancel export", f"export {export.pk}")


def old(study: Study) -> QuerySet[Export]:
    """The ended exports that need not be kept: all but the newest KEPT that are done and may still be given out."""
    done = list(study.exports.filter(state="done"))
    gone = recalled(study, done)
    keep = [export.pk for export in done if export.pk not in gone][:KEPT]
    return study.exports.exclude(state__in=Export.OPEN).exclude(pk__in=keep)


def delete_old(study: Study, person: Person) -> int:
    """Remove the old exports and their files; returns how many there were."""
    with transaction.atomic():
        gone = list(old(study).select_for_update().values_list("pk", flat=True))
        if gone:
            Export.objects.filter(pk__in=gone).delete()
            audit.note(study, person, "delete exports", f"{len(gone)} exports", before=gone)
    for pk in gone:
        shelf.clear(shelf.folder_of(pk))
    return len(gone)
