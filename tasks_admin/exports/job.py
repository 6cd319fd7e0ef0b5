"""Making an export in the worker. It can be sent twice, stopped at any moment, and goes on where it was after a crash."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from recorder.errors import FootpathError
from tasks_admin.exports import shelf
from tasks_admin.exports.archive import write_archive
from tasks_admin.exports.bundle import Written, export
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.files import sha256
from tasks_admin.exports.pulse import Pulse, Stopped
from tasks_admin.exports.released import Released, keep
from tasks_admin.models import Export

SILENT_AFTER = timedelta(seconds=60)  # a worker that lives is heard every second
MOST_TRIES = 3
WORKER_STOPS = (
    f"The worker stopped {MOST_TRIES} times while making it; its log or the machine's may say why. Then export again."
)
UNFORESEEN = "Something that nobody foresaw went wrong; the worker's log has it. The data is as it was."
logger = logging.getLogger(__name__)


def nobodys() -> Q:
    """Exports that a worker may take: waiting ones, and those whose worker has fallen silent."""
    return Q(state="waiting") | Q(state="running", heard_at__lt=timezone.now() - SILENT_AFTER)


def take(export_id: int) -> Export | None:
    """Make the export this worker's; None where it is another's, or has ended."""
    worker = uuid4().hex
    fields = {"state": "running", "worker": worker, "heard_at": timezone.now(), "done": 0, "tries": F("tries") + 1}
    if not Export.objects.filter(nobodys(), pk=export_id).update(**fields):  # the race: two workers
        return None
    return Export.objects.select_related("study").filter(pk=export_id, worker=worker).first()


def make(export_id: int) -> None:
    """Make an export that is nobody's. What goes wrong with the data or the disk is kept as its error, in words."""
    taken = take(export_id)
    if taken is None:
        return
    shelf.take_over(taken)
    released = None
    try:
        told, released = _written(taken)
    except Stopped:
        shelf.clear(shelf.place_of(taken))
        return
    except FootpathError as error:
        told = {"state": "failed", "error": error.message}
    except OSError as error:
        logger.exception("export %s could not be written", export_id)
        told = {"state": "failed", "error": f"The files could not be written: {error.strerror or error}."}
    except Exception:
        _end(taken, {"state": "failed", "error": UNFORESEEN})
        raise
    _end(taken, told, released)


def _written(taken: Export) -> tuple[dict[str, Any], Released]:
    study, archive = taken.study, shelf.archive_of(taken)
    with Pulse(taken.pk, taken.worker) as pulse:
        pulse.go_on()
        written = export(
            study,
            shelf.bundle_of(taken),
            choice=Choice.of(taken.contents),
            progress=pulse.progress,
            then=lambda folder: write_archive(folder, archive, study.slug, between=pulse.go_on),
        )
        done, total = pulse.at
        told = {
            "state": "done",
            "done": done,
            "total": total,
            "size": archive.stat().st_size,
            "sha256": sha256(archive),
            "masks": written.released.masks,
            "note": told_of(written),
        }
        return told, written.released


def told_of(written: Written) -> str:
    """What is to be said of an export that went on from where another worker stopped; "" where none did."""
    if written.was_changed:
        kept = f"the files of {written.kept} attempts were kept" if written.kept else "nothing was kept"
        return f"Its worker stopped, and the data changed before it was taken up again: {kept}, the rest was made anew."
    return f"Its worker stopped; the files of {written.kept} attempts were kept." if written.kept else ""


def _end(taken: Export, told: dict[str, Any], released: Released | None = None) -> None:
    """Note how it ended, if it is still this worker's, and by whose word it may leave; files stay only of what is done."""
    ours = Export.objects.filter(pk=taken.pk, state="running", worker=taken.worker)
    with transaction.atomic():
        kept = ours.update(made_at=timezone.now(), **told)
        if kept and released:
            keep(taken, released)
    if not kept or told["state"] != "done":
        shelf.clear(shelf.place_of(taken))


def left_lying() -> list[int]:
    """Exports to take up again, as a worker stopped or a message was lost; those that stop every worker are failed."""
    before = timezone.now() - SILENT_AFTER
    silent = Export.objects.filter(state="running", heard_at__lt=before)
    silent.filter(tries__gte=MOST_TRIES).update(state="failed", error=WORKER_STOPS, made_at=timezone.now())
    waiting = Export.objects.filter(state="waiting", asked_at__lt=before)
    return list((silent | waiting).order_by("pk").values_list("pk", flat=True))
