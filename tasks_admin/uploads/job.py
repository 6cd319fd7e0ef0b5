"""Reading a file in the worker. It can be sent twice, stopped at any moment, and taken up again after a crash.

Whoever reads a file holds its row locked: a second worker passes it over, and with a worker that dies lock and import are gone at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from recorder.errors import FootpathError
from tasks_admin.labels.take_in import import_labels
from tasks_admin.models import Upload
from tasks_admin.runs.archives import Opened, opened
from tasks_admin.runs.registry import AUTO, FORMATS, find_format
from tasks_admin.runs.shape import BadRuns, Refusals
from tasks_admin.runs.take_in import import_runs
from tasks_admin.uploads import shelf
from tasks_admin.uploads.forms import format_of, given_of, labels_of

SENT_AGAIN_AFTER = timedelta(seconds=60)
MOST_TRIES = 3
SHOWN = 200  # rejections that the upload's page lists; the import keeps more
NOTED_EVERY_S = 0.5
WORKER_STOPS = f"The worker stopped {MOST_TRIES} times while reading it; its log or the machine's may say why. Nothing was imported."
UNFORESEEN = "Something that nobody foresaw went wrong; the worker's log has it. Nothing was imported."
logger = logging.getLogger(__name__)


def read(upload_id: int) -> None:
    """Read a file that waits, unless another worker does. What is wrong with it is kept as its error, in words."""
    if not count_try(upload_id):
        return
    try:
        with transaction.atomic():
            upload = held(upload_id)
            if upload is None:
                return
            end(upload, outcome(upload))
    except Exception:
        Upload.objects.filter(pk=upload_id, state="waiting").update(
            state="failed", error=UNFORESEEN, ended_at=timezone.now()
        )
        raise
    if Upload.objects.filter(pk=upload_id, state="done").exists():
        shelf.clear(upload_id)


def held(upload_id: int) -> Upload | None:
    """The row of a file that waits, locked; None where somebody holds it or it waits no more."""
    waiting = Upload.objects.select_for_update(skip_locked=True, of=("self",)).filter(pk=upload_id, state="waiting")
    return waiting.select_related("study", "actor").first()


@transaction.atomic
def count_try(upload_id: int) -> bool:
    """Count that a worker begins; False where another has it, or a file has stopped so many workers that it is given up."""
    upload = held(upload_id)
    if upload is None:
        return False
    if upload.tries >= MOST_TRIES:
        end(upload, {"state": "failed", "error": WORKER_STOPS})
        return False
    Upload.objects.filter(pk=upload_id).update(tries=F("tries") + 1)
    return True


def end(upload: Upload, told: dict[str, Any]) -> None:
    Upload.objects.filter(pk=upload.pk).update(ended_at=timezone.now(), **told)


def outcome(upload: Upload) -> dict[str, Any]:
    """Import the file; the fields of its row that say what came of it."""
    shelf.clear_unpacked(upload.pk)
    path = shelf.file_of(upload.pk, upload.name)
    try:
        with opened(path, within=shelf.folder_of(upload.pk)) as files:
            told = runs(upload, files) if upload.kind == Upload.Kind.RUNS else labels(upload, files)
    except BadRuns as error:
        told = refused(error.rejected) if error.rejected else {}
        asks = {"asks": error.asks[0] if error.asks else "", "told": told | {"asks": error.asks}}
        return {"state": "asks" if error.asks else "failed", "error": error.words} | asks
    except FootpathError as error:
        return {"state": "failed", "error": error.message}
    except OSError as error:
        logger.exception("upload %s could not be read", upload.pk)
        return {"state": "failed", "error": f"The file could not be read: {error.strerror or error}."}
    return {"state": "done", "told": told}


def runs(upload: Upload, files: Opened) -> dict[str, Any]:
    name = format_of(upload.given)
    found = find_format(files.path, files.passed_over) if name == AUTO else FORMATS[name]
    told = import_runs(
        upload.study, found, files.path, given_of(upload.given), actor=upload.actor, name=upload.name,
        passed_over=files.passed_over, progress=noting(upload.pk),
    )  # fmt: skip
    kinds = {"format": told.format, "labels": told.labels, "by": told.models.most_common(50)}
    return kinds | {"taken": told.taken, "same": told.same, "import": told.number} | refused(told.rejected)


def labels(upload: Upload, files: Opened) -> dict[str, Any]:
    told = import_labels(
        upload.study, files.path, labels_of(upload.given), actor=upload.actor, name=upload.name,
        passed_over=files.passed_over, progress=noting(upload.pk),
    )  # fmt: skip
    kept = {"taken": told.taken, "same": told.same, "import": told.number}
    return kept | {"by": told.judges.most_common(50)} | refused(told.rejected)


def refused(rejected: Refusals) -> dict[str, Any]:
    return {"rejected": rejected.count, "reasons": rejected.rows()[:SHOWN]}


def noting(upload_id: int) -> Callable[[int], None]:
    """Notes how many rows were read, twice a second at most."""
    last = time.monotonic()

    def note(rows: int) -> None:
        nonlocal last
        if time.monotonic() - last >= NOTED_EVERY_S:
            last = time.monotonic()
            shelf.note_rows(upload_id, rows)

    return note


def clear_read() -> None:
    """Remove the files of what was read by workers that stopped before they could do so themselves."""
    for upload_id in Upload.objects.filter(pk__in=shelf.kept(), state="done").values_list("pk", flat=True):
        shelf.clear(upload_id)


@transaction.atomic
def left_lying() -> list[int]:
    """Files to send to the worker again: their message was lost, or their worker stopped. One that is being read is passed over."""
    now = timezone.now()
    waiting = Upload.objects.filter(state="waiting", sent_at__lt=now - SENT_AGAIN_AFTER)
    found = list(waiting.select_for_update(skip_locked=True).order_by("pk").values_list("pk", flat=True))
    Upload.objects.filter(pk__in=found).update(sent_at=now)
    return found
