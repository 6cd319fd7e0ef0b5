"""A worker's sign of life while it makes an export, and its way to hear that it shall stop."""

from __future__ import annotations

import logging
from threading import Event, Thread
from types import TracebackType

from django.db import DatabaseError, connection
from django.utils import timezone

from recorder.errors import FootpathError
from tasks_admin.models import Export

BEAT_S = 1.0
logger = logging.getLogger(__name__)


class Stopped(FootpathError):
    """The export was cancelled, or another worker makes it now."""

    def __init__(self) -> None:
        super().__init__("export_stopped", 409, "This export was stopped.")


class Pulse:
    """Writes progress once a second, from a thread of its own: the export itself reads in one long read-only snapshot,
    in which it could neither write that nor see that it was cancelled."""

    def __init__(self, export_id: int, worker: str) -> None:
        self.export_id, self.worker = export_id, worker
        self.at = (0, 0)
        self.stopped = Event()
        self._over = Event()
        self._thread = Thread(target=self._run, name=f"export-{export_id}", daemon=True)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def progress(self, done: int, total: int) -> None:
        """Note how far the export is. Raises Stopped."""
        self.at = (done, total)
        self.go_on()

    def go_on(self) -> None:
        """Raises Stopped where the export is no longer this worker's."""
        if self.stopped.is_set():
            raise Stopped

    def _run(self) -> None:
        try:
            while not self._over.wait(BEAT_S) and self._beat():
                pass
        except DatabaseError:
            logger.exception("export %s can't tell how far it is; it stops and is taken up again", self.export_id)
            self.stopped.set()
        finally:
            connection.close()

    def _beat(self) -> bool:
        done, total = self.at
        ours = Export.objects.filter(pk=self.export_id, state="running", worker=self.worker)
        if ours.update(done=done, total=total, heard_at=timezone.now()):
            return True
        self.stopped.set()
        return False
