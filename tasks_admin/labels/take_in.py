"""Taking a file of labels into a study: all that can be taken, in one transaction; doing it twice changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from annotate.actions import audit
from annotate.models import Person, Study
from tasks_admin.labels.files import SaidOfLabels, read
from tasks_admin.labels.find import Finder
from tasks_admin.labels.keep import Keeper
from tasks_admin.runs.shape import CONDITIONS, BadRuns, Refusals, Rejected


@dataclass
class TakenLabels:
    """What an import did: labels taken, labels that were there already, what was rejected, and labels by judge; the number of the
    import, None for one that brought nothing new."""

    taken: int
    same: int
    rejected: Refusals
    judges: Counter[str] = field(default_factory=Counter)
    number: int | None = None


def import_labels(
    study: Study,
    path: Path,
    said: SaidOfLabels,
    *,
    actor: Person | None = None,
    name: str = "",
    passed_over: Iterable[Rejected] = (),
    progress: Callable[[int], None] = lambda rows: None,
) -> TakenLabels:
    """Import every label at `path`; `progress` hears how many rows were read.

    Raises BadRuns where something must be said first, or nothing can be taken; then nothing is.
    """
    if said.condition not in (None, *CONDITIONS):
        raise BadRuns(f"{said.condition!r} is no condition; say {' or '.join(CONDITIONS)}.", "condition")
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # the race: two imports of the same labels
        keeper, finder = Keeper(study, actor, name or path.name), Finder(study)
        for one in passed_over:
            keeper.rejected.add(one)
        for number, row in enumerate(read(path, said), 1):
            progress(number)
            found = row if isinstance(row, Rejected) else finder.find(row)
            if isinstance(found, Rejected):
                keeper.rejected.add(found)
            elif not isinstance(row, Rejected):
                keeper.take(row.place, *found, row.label)
        if not keeper.taken and not keeper.same:
            raise BadRuns(keeper.rejected.told("label"), rejected=keeper.rejected)
        if keeper.taken:
            told = {"taken": keeper.taken, "judges": sorted(keeper.judges)[:20]}
            audit.note(study, actor, "import labels", keeper.source.name, after=told)
        keeper.close()
    return TakenLabels(keeper.taken, keeper.same, keeper.rejected, keeper.judges, keeper.source.pk)
