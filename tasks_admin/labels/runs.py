"""Leads' own labels of agents' runs, given blind: which run comes next, and keeping the word."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.db.models import Max, Min, QuerySet

from annotate.actions import audit
from annotate.errors import NotFound, NotYet
from annotate.models import Person, Study
from recorder.wire import storable
from tasks_admin.models import Run, RunLabel


def open_to_labels(study: Study) -> QuerySet[Run]:
    """Runs whose files told something that a person can look at."""
    return Run.objects.filter(study=study, trajectory__isnull=False)


def next_for(study: Study, lead: Person) -> Run | None:
    """A run that this lead has not labelled, from a random place on; None where all are."""
    left = open_to_labels(study).exclude(labels__lead=lead).order_by("pk")
    ends = study.runs.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return None
    start = ends["first"] + secrets.randbelow(ends["last"] - ends["first"] + 1)
    return left.filter(pk__gte=start).first() or left.first()


def label(run: Run, lead: Person, *, success: bool, note: str = "") -> RunLabel:
    """Note what the lead thinks; a changed mind is a further row, the same word again is not. Raises NotYet, NotFound."""
    note = storable(note.strip())
    with transaction.atomic():
        if not Run.objects.select_for_update(no_key=True).filter(pk=run.pk).exists():
            raise NotFound  # the race: its import is taken back meanwhile
        if not hasattr(run, "trajectory"):
            raise NotYet("nothing_to_look_at", "This run was imported without a trajectory; there is nothing to judge.")
        last = RunLabel.objects.filter(run=run, lead=lead).order_by("-pk").first()
        if last is not None and (last.success, last.note) == (success, note):
            return last
        audit.note(run.study, lead, "label run", f"run {run.pk}", why=note, after={"success": success})
        return RunLabel.objects.create(run=run, lead=lead, success=success, note=note)


def pieces(steps: list[dict[str, str]], most: int = 60_000) -> list[range]:
    """Which steps stand on which page, so that no page holds many more than `most` characters."""
    found: list[range] = []
    begin = size = 0
    for place, step in enumerate(steps):
        weight = sum(map(len, step.values())) + 100
        if place > begin and size + weight > most:
            found.append(range(begin, place))
            begin, size = place, 0
        size += weight
    return [*found, range(begin, len(steps))]
