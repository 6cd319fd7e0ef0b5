"""By whose word a bundle may leave: the clearances it relies on, the people whose rounds are in it, the masks that were applied.

It is kept with every export, as its snapshot had it, and compared with what stands now: however long the making took, a word that was
taken back meanwhile or later is seen. What was withheld and is cleared again may leave again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from annotate.models import Participation, Round, Study
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.rows import ENDED
from tasks_admin.models import Clearance, Export
from tasks_admin.release.items import taken_out

BATCH = 5000
WORDS = {
    Clearance.Kind.COMMENT: ("comment", "comments"),
    Clearance.Kind.REASON: ("reason for abandoning a round", "reasons for abandoning a round"),
    Clearance.Kind.REVIEW: ("lead's reason for a decision", "leads' reasons for decisions"),
    Clearance.Kind.AMENDMENT: ("lead's reason for an amendment", "leads' reasons for amendments"),
    Clearance.Kind.OVERRULED: ("lead's reason for a reference", "leads' reasons for references"),
    Clearance.Kind.PICTURE: ("screenshot", "screenshots"),
    Clearance.Kind.CAPTURE: ("attempt's captured pages", "attempts' captured pages"),
}
TAKEN_BACK = "Somebody took their data back since it was made, and it holds some of it."
REWORDED = "Somebody has since changed or taken out a comment that is in it."
MASKED = "Masks were added since it was made; what they hide now may be in it."


@dataclass(frozen=True)
class Released:
    """Primary keys of clearances and of participations, and the study's `masks` option."""

    clearances: set[int]
    people: set[int]
    masks: dict[str, list[str]]


def people_in(study: Study, choice: Choice) -> set[int]:
    """The participations that have a round in a bundle of the choice."""
    rounds = Round.objects.filter(choice.within(), participation__study=study, state__in=ENDED)
    rounds = rounds.exclude(set_aside=Round.SetAside.REMOVED).order_by()
    return set(rounds.values_list("participation", flat=True).distinct())


def keep(export: Export, released: Released) -> None:
    """Keep with the export by whose word it may leave; its masks are written by the caller, in the same transaction."""
    export.people.add(*released.people)
    clearances = sorted(released.clearances)
    for start in range(0, len(clearances), BATCH):
        export.clearances.add(*clearances[start : start + BATCH])


def recalled(study: Study, exports: Iterable[Export]) -> dict[int, list[str]]:
    """{pk: why it may not be given out any more} of the study's exports that are done and may not; in a fixed number of queries."""
    done = {export.pk: export for export in exports if export.state == Export.State.DONE}
    withheld: dict[int, dict[str, int]] = {}
    found = Clearance.objects.filter(study=study, cleared=False, exports__in=done).order_by()
    for row in found.values("exports", "kind").annotate(n=Count("pk")):
        withheld.setdefault(row["exports"], {})[row["kind"]] = row["n"]
    of_removed = set(Export.objects.filter(pk__in=done, people__in=removed(study)).values_list("pk", flat=True))
    reworded = set(Export.objects.filter(pk__in=done, clearances__in=reworded_of(study)).values_list("pk", flat=True))
    told = {
        pk: why(
            withheld.get(pk, {}),
            taken_back=pk in of_removed,
            reworded=pk in reworded,
            masked=masks_added(study, export.masks),
        )
        for pk, export in done.items()
    }
    return {pk: reasons for pk, reasons in told.items() if reasons}


def recalled_meanwhile(study: Study, released: Released) -> list[str]:
    """Why a bundle that has just been written may not be given out any more."""
    fresh = Study.objects.get(pk=study.pk)
    counts: dict[str, int] = {}
    for pk, kind in Clearance.objects.filter(study=study, cleared=False).values_list("pk", "kind").iterator():
        if pk in released.clearances:
            counts[kind] = counts.get(kind, 0) + 1
    taken_back = not released.people.isdisjoint(removed(study).values_list("pk", flat=True))
    reworded = not released.clearances.isdisjoint(reworded_of(study).values_list("pk", flat=True))
    return why(counts, taken_back=taken_back, reworded=reworded, masked=masks_added(fresh, released.masks))


def removed(study: Study) -> Any:
    """The participations whose data was taken back."""
    return Participation.objects.filter(study=study, rounds__set_aside=Round.SetAside.REMOVED).values("pk")


def reworded_of(study: Study) -> Any:
    """The clearances of comments that their annotators have changed or taken out since."""
    return Clearance.objects.filter(study=study, kind=Clearance.Kind.COMMENT, item__in=taken_out(study).values("pk"))


def masks_added(study: Study, applied: Mapping[str, list[str]]) -> bool:
    """True where the study has a mask now that was not among those applied."""
    now: dict[str, list[str]] = study.options.get("masks") or {}
    return any(set(masks) - set(applied.get(name, [])) for name, masks in now.items())


def why(withheld: Mapping[str, int], *, taken_back: bool, reworded: bool, masked: bool) -> list[str]:
    """The reasons, in sentences; `withheld` counts by kind."""
    counted = [f"{n} {words[n != 1]}" for kind, words in WORDS.items() if (n := withheld.get(kind, 0))]
    reasons = [f"A lead has since withheld what is in it: {', '.join(counted)}."] if counted else []
    return reasons + [TAKEN_BACK] * taken_back + [REWORDED] * reworded + [MASKED] * masked
