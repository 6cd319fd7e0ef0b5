"""Clearing and withholding texts and pictures, and changing the masks; each noted in the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotate.actions import audit
from annotate.errors import BadInput, MovedOn
from annotate.models import Person, Study
from tasks_admin.models import Clearance
from tasks_admin.release import items
from tasks_admin.release.masks import parsed


def decide(
    study: Study, person: Person, kind: str, chosen: Sequence[int], *, cleared: bool, as_of: datetime | None = None
) -> int:
    """Clear or withhold texts or pictures of a kind; a later word takes an earlier one's place.

    Raises BadInput for what is not the study's, and MovedOn for clearing what was withheld since `as_of`, when the person looked.
    """
    if kind not in items.KINDS:
        raise BadInput("Say which kind of text or picture is meant.", "kind")
    if not chosen:
        raise BadInput("Choose at least one.", "chosen")
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # the race: another lead withholds it just now
        known = set(items.KINDS[kind].rows(study).filter(pk__in=chosen).values_list("pk", flat=True))
        if unknown := sorted(set(chosen) - known):
            raise BadInput(f"There is no {kind} {unknown[0]} in this study (any more); reload the page.", "chosen")
        withheld = Clearance.objects.filter(study=study, kind=kind, item__in=known, cleared=False)
        if cleared and as_of and withheld.filter(at__gt=as_of).exists():
            raise MovedOn(kind, "not withheld since")
        for pk in sorted(known):
            fields = {"cleared": cleared, "decided_by": person}
            Clearance.objects.update_or_create(study=study, kind=kind, item=pk, defaults=fields)
        act = "clear for release" if cleared else "withhold from release"
        audit.note(study, person, act, f"{len(known)} × {kind}", after={"kind": kind, "rows": sorted(known)})
    return len(known)


def set_masks(study: Study, person: Person, texts: Sequence[str], parameters: Sequence[str]) -> None:
    """Replace the masks. Raises BadInput for a pattern that is none."""
    told = {"texts": list(texts), "parameters": list(parameters)}
    parsed(texts, parameters)
    with transaction.atomic():
        fresh = Study.objects.select_for_update().get(pk=study.pk)  # the race: another form that saves options
        before = fresh.options.get("masks")
        if before == told:
            return
        Study.objects.filter(pk=study.pk).update(options=fresh.options | {"masks": told})
        audit.note(study, person, "change masks", "exports", before=before, after=told)
