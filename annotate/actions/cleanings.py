"""Cleaning attempts: by the study's own cleaner when they end, and a whole study again by another, which keeps what was there."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet, Sum

from annotate import jobs
from annotate.actions import audit
from annotate.errors import BadInput
from annotate.models import Attempt, Cleaning, Person, Study
from recorder import fast, recordings
from recorder.cleaning.registry import CLEANERS, DEFAULT, Cleaned, clean_events, get_cleaner

BEFORE, AMID, AFTER = '{"cleaned":[\n', '\n],"steps":[\n', "\n]}"  # of a stored result, around its two lists
BETWEEN = ",\n"


def cleaner_of(study: Study) -> str:
    """Name of the cleaner whose counts the study's figures use."""
    return str(study.options.get("cleaner", DEFAULT))


def full_name(name: str) -> str:
    """`name/version`, as results are stored under."""
    cleaner = get_cleaner(name)
    return f"{cleaner.name}/{cleaner.version}"


def keep(attempt: Attempt, result: Cleaned) -> None:
    """Store a result, unless this version's is there already: a pure function gives the same."""
    cleaner = f"{result.cleaner}/{result.version}"
    row = Cleaning(attempt=attempt, cleaner=cleaner, result=packed(result.cleaned, result.steps), **result.counts())
    Cleaning.objects.bulk_create([row], ignore_conflicts=True)


def packed(cleaned: list[dict[str, Any]], steps: list[dict[str, Any]]) -> bytes:
    """A result as it is stored: JSON with an item a line, packed with gzip."""
    text = BEFORE + lines_of(cleaned) + AMID + lines_of(steps) + AFTER
    return gzip.compress(text.encode(), mtime=0)


def lines_of(items: Iterable[dict[str, Any]]) -> str:
    """Cleaned events or steps as JSON, an item a line, with BETWEEN between them."""
    return BETWEEN.join(json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in items)


def unpacked(cleaning: Cleaning) -> dict[str, Any]:
    """The `cleaned` events and `steps` of a stored result."""
    found: dict[str, Any] = fast.parsed(gzip.decompress(cleaning.result))
    return found


def texts_of(cleaning: Cleaning) -> tuple[str, str]:
    """The cleaned events and the steps of a stored result, as `lines_of` gives them."""
    text = gzip.decompress(cleaning.result).decode()
    if not text.startswith(BEFORE):  # stored before there was an item a line
        found = fast.parsed(text)
        return lines_of(found["cleaned"]), lines_of(found["steps"])
    cleaned, _, steps = text.removeprefix(BEFORE).removesuffix(AFTER).partition(AMID)
    return cleaned, steps


def to_clean(study: Study, name: str) -> QuerySet[Attempt]:
    """Attempts that were cleaned when they ended, but have no result of this cleaner's present version."""
    done = Cleaning.objects.filter(cleaner=full_name(name)).values("attempt")
    ended = Attempt.objects.filter(round__participation__study=study, recording__isnull=False).exclude(cleaner="")
    return ended.exclude(pk__in=done)


def clean_study(study: Study, name: str, progress: Callable[[int, int], None] | None = None) -> int:
    """Clean what has no result of this cleaner yet, and return how many. Can be stopped and started again at any point."""
    waiting = list(to_clean(study, name).order_by("pk").values_list("pk", flat=True))
    for done, pk in enumerate(waiting, 1):
        attempt = Attempt.objects.select_related("recording").get(pk=pk)
        assert attempt.recording is not None
        keep(attempt, clean_events(recordings.raw_events(attempt.recording), name))
        if progress:
            progress(done, len(waiting))
    return len(waiting)


def ask_for(study: Study, name: str, person: Person) -> None:
    """Have the worker clean the study. Raises BadInput for a cleaner that is not there."""
    if name not in CLEANERS:
        raise BadInput(f"There is no cleaner {name!r}; choose one of: {', '.join(sorted(CLEANERS))}.")
    with transaction.atomic():
        audit.note(study, person, "clean study again", "study", after={"cleaner": full_name(name)})
        jobs.clean_study(study.pk, name)


def adopt(study: Study, name: str, person: Person | None = None) -> int:
    """Make this cleaner the study's: its counts become the attempts'. The results of the other one stay. Returns the attempts.
    `person` is who wants it, None for a command.

    Raises BadInput while attempts wait to be cleaned by it.
    """
    if name not in CLEANERS:
        raise BadInput(f"There is no cleaner {name!r}; choose one of: {', '.join(sorted(CLEANERS))}.")
    with transaction.atomic():
        standing = Study.objects.select_for_update().get(pk=study.pk)
        if waiting := to_clean(study, name).count():
            raise BadInput(f"{waiting} attempts have no result of {full_name(name)} yet. Clean the study by it first.")
        rows = Cleaning.objects.filter(attempt__round__participation__study=study, cleaner=full_name(name))
        for row in rows.iterator(500):
            counts = {"raw_events": row.raw_events, "cleaned_events": row.cleaned_events, "steps": row.steps}
            Attempt.objects.filter(pk=row.attempt_id).update(cleaner=row.cleaner, **counts)
        before = {"cleaner": cleaner_of(study)}
        audit.note(study, person, "use cleaner", "study", before=before, after={"cleaner": name})
        study.options = standing.options | {"cleaner": name}
        Study.objects.filter(pk=study.pk).update(options=study.options)
        return rows.count()


def results(study: Study) -> list[dict[str, Any]]:
    """Per cleaner version what is stored: {cleaner, name, attempts, waiting, cleaned_events, steps, is_used}; known cleaners first."""
    stored = {
        row["cleaner"]: row
        for row in Cleaning.objects.filter(attempt__round__participation__study=study)
        .values("cleaner")
        .annotate(attempts=Count("pk"), events=Sum("cleaned_events"), operations=Sum("steps"))
        .order_by("cleaner")
    }
    used = full_name(cleaner_of(study))
    listed = []
    for cleaner in [*map(full_name, sorted(CLEANERS)), *sorted(stored.keys() - set(map(full_name, CLEANERS)))]:
        row = stored.get(cleaner, {"attempts": 0, "events": 0, "operations": 0})
        name = cleaner.partition("/")[0]
        present = cleaner in map(full_name, CLEANERS)
        waiting = to_clean(study, name).count() if present else 0
        listed.append(
            {
                "cleaner": cleaner,
                "name": name if present else "",
                "attempts": row["attempts"],
                "waiting": waiting,
                "cleaned_events": row["events"] or 0,
                "steps": row["operations"] or 0,
                "is_used": cleaner == used,
            }
        )
    return listed


def of_attempt(attempt: Attempt) -> QuerySet[Cleaning]:
    """Every stored result of an attempt, without its body."""
    return Cleaning.objects.filter(attempt=attempt).defer("result").order_by("cleaner")
