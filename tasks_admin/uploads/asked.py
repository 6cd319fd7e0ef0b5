"""What leads do with files: bring one in, say more about it, drop it. Each is noted in the audit log."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from annotate import jobs
from annotate.actions import audit
from annotate.errors import MovedOn, NotYet
from annotate.models import Person, Study
from recorder.errors import FootpathError
from tasks_admin.models import Upload
from tasks_admin.uploads import shelf

ANSWERABLE = (Upload.State.ASKS, Upload.State.FAILED)
READ = "tasks_admin.tasks.read_upload"


class NoRoom(FootpathError):
    """The file could not be kept."""

    def __init__(self, error: OSError) -> None:
        super().__init__(
            "no_room", 507, f"The server could not keep the file ({error.strerror or error}). Nothing was imported."
        )


def bring_in(study: Study, person: Person, kind: str, file: UploadedFile[Any], said: dict[str, Any]) -> Upload:
    """Keep a file and have it read."""
    name = shelf.safe_name(file.name or "")
    with transaction.atomic():
        upload = Upload.objects.create(
            study=study, actor=person, kind=kind, name=name, size=file.size or 0, given=said, sent_at=timezone.now()
        )
        try:
            shelf.put(upload.pk, name, file)
        except OSError as error:
            shelf.clear(upload.pk)
            raise NoRoom(error) from error
        audit.note(study, person, f"bring in {kind}", name, after=said)
        transaction.on_commit(lambda: jobs.send(READ, upload.pk))
    return upload


def say_more(upload: Upload, person: Person, said: dict[str, Any]) -> None:
    """Have a file that was not enough by itself read again, with what was said now. Raises MovedOn."""
    with transaction.atomic():
        nothing = {"error": "", "asks": "", "told": {}, "tries": 0}
        waiting = {"state": "waiting", "given": said, "sent_at": timezone.now()} | nothing
        if not Upload.objects.filter(pk=upload.pk, state__in=ANSWERABLE).update(**waiting):
            raise MovedOn("upload", "asking or failed")
        audit.note(upload.study, person, f"say more of {upload.kind}", upload.name, before=upload.given, after=said)
        transaction.on_commit(lambda: jobs.send(READ, upload.pk))


def drop(upload: Upload, person: Person) -> None:
    """Remove a file and what was said of it; what was imported stays. Raises NotYet while a worker reads it."""
    with transaction.atomic():
        if not Upload.objects.select_for_update(skip_locked=True).filter(pk=upload.pk).exists():
            raise NotYet("being_read", "This file is being read just now; wait until it is done.")
        Upload.objects.filter(pk=upload.pk).delete()
        audit.note(upload.study, person, f"drop {upload.kind}", upload.name, before=upload.given)
        transaction.on_commit(lambda: shelf.clear(upload.pk))
