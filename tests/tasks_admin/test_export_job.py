"""Exports by the worker: done, stopped, failed in words, asked for twice, taken up again after a crash, given out by ranges."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.actions import rounds
from annotate.errors import BadInput, MovedOn
from annotate.models import Attempt, AuditEntry, Round, StudyRole
from tasks_admin import tasks
from tasks_admin.exports import asked, job, pulse, shelf, stretches, traces
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.ranges import Unsatisfiable, asked_range
from tasks_admin.exports.verify import verify
from tasks_admin.models import Export
from tests.annotate.test_races import at_once
from tests.annotate.test_rounds import complete
from tests.cast import Cast, person

pytestmark = pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous")


@pytest.fixture
def told(cast: Cast, tmp_path: Path, settings: LazySettings) -> Cast:
    """Bob's complete round; exports lie in a folder of the test's own."""
    settings.DATA_DIR = tmp_path
    rounds.rate(complete(cast, cast.bob), {"clarity": 5}, "the second button was odd, I think")
    cast.work.run()
    return cast


@pytest.fixture
def lead(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.lead)
    return client


def asked_for(cast: Cast, choice: Choice = ALL) -> Export:
    return asked.ask_for(cast.study, cast.lead, choice)


def made(cast: Cast, choice: Choice = ALL) -> Export:
    export = asked_for(cast, choice)
    cast.work.run()
    export.refresh_from_db()
    return export


def files_of(export: Export) -> list[Path]:
    return [path for path in shelf.folder_of(export.pk).rglob("*") if path.is_file()]


def notes(cast: Cast) -> list[str]:
    return [one.action for one in AuditEntry.objects.filter(study=cast.study, action__contains="export").order_by("pk")]


def test_done(told: Cast, tmp_path: Path) -> None:
    export = made(told, Choice(people=("P2",)))
    archive = shelf.archive_of(export)
    assert (export.state, export.done, export.total, export.error) == ("done", 2, 2, "")
    assert export.size == archive.stat().st_size
    assert export.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()
    with ZipFile(archive) as packed:
        packed.extractall(tmp_path / "out")
    assert verify(tmp_path / "out" / "tea") == []
    assert notes(told) == ["export"]


def test_the_same_data_gives_the_same_archive(told: Cast) -> None:
    first, second = made(told), made(told)
    assert first.pk != second.pk
    assert first.sha256 == second.sha256


def test_a_leak_is_told_in_words_and_nothing_is_kept(told: Cast) -> None:
    attempt = Attempt.objects.get(round__participation__code="P2", kind="warm")
    assert attempt.verdict is not None
    attempt.verdict["checks"][0]["detail"] = f"sent to {told.bob.email}"
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    export = made(told)
    assert export.state == "failed"
    assert export.error.startswith("The bundle would hold a person's e-mail address")
    assert files_of(export) == []


def test_a_fault_of_ours_fails_it_and_is_not_hidden(told: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "write_archive", lambda *a, **k: 1 / 0)
    export = asked_for(told)
    with pytest.raises(ZeroDivisionError):
        told.work.run()
    export.refresh_from_db()
    assert (export.state, export.error, files_of(export)) == ("failed", job.UNFORESEEN, [])


def test_a_full_disk_is_told(told: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any, **more: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(job, "write_archive", full)
    assert made(told).error == "The files could not be written: No space left on device."


def test_one_at_a_time_whoever_asks_and_how_often(told: Cast) -> None:
    asking: Callable[[], Export] = lambda: asked_for(told)  # noqa: E731
    first, second = at_once(asking, asking)
    assert first.pk == second.pk
    assert [name for name, *_ in told.work.queue] == ["tasks_admin.tasks.make_export"]
    assert notes(told) == ["export"]
    with pytest.raises(IntegrityError):
        Export.objects.create(study=told.study, state="running")


def test_an_empty_choice_is_refused(told: Cast) -> None:
    with pytest.raises(BadInput, match="nothing to export"):
        asked_for(told, Choice(conditions=("clean",)))
    assert not Export.objects.exists()


def test_cancelled_while_it_waits(told: Cast) -> None:
    export = asked_for(told)
    asked.cancel(export, told.lead)
    told.work.run()
    export.refresh_from_db()
    assert (export.state, files_of(export), notes(told)) == ("cancelled", [], ["export", "cancel export"])
    with pytest.raises(MovedOn):
        asked.cancel(export, told.lead)


def test_cancelled_while_it_runs(told: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker hears of it between two attempts, while it reads in its snapshot, and leaves nothing behind."""
    pulses: list[pulse.Pulse] = []
    traces_made: list[Any] = []
    start, read = pulse.Pulse.__enter__, traces.read

    def entered(self: pulse.Pulse) -> pulse.Pulse:
        pulses.append(self)
        return start(self)

    def cancelled_meanwhile(piece: stretches.Piece, *more: Any) -> Any:
        at_once(lambda: asked.cancel(export, told.lead))
        assert pulses[0].stopped.wait(20)
        traces_made.extend(piece.attempts)
        return read(piece, *more)

    monkeypatch.setattr(pulse, "BEAT_S", 0.02)
    monkeypatch.setattr(pulse.Pulse, "__enter__", entered)
    monkeypatch.setattr(stretches, "MOST_ATTEMPTS", 1)
    monkeypatch.setattr(traces, "read", cancelled_meanwhile)
    export = asked_for(told)
    told.work.run()
    export.refresh_from_db()
    assert (export.state, len(traces_made), files_of(export)) == ("cancelled", 1, [])


def test_progress_is_seen_while_it_is_made(told: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    pack = job.write_archive

    def looked_at(*args: Any, **more: Any) -> None:
        deadline = time.monotonic() + 20
        while Export.objects.get(pk=export.pk).done < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        fresh = Export.objects.get(pk=export.pk)
        seen.append((fresh.done, fresh.total))
        pack(*args, **more)

    monkeypatch.setattr(pulse, "BEAT_S", 0.02)
    monkeypatch.setattr(job, "write_archive", looked_at)
    export = asked_for(told)
    told.work.run()
    assert seen == [(2, 2)]


def test_cancelled_at_the_last_moment(told: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = job.write_archive

    def packed(*args: Any, **more: Any) -> None:
        pack(*args, **more)
        asked.cancel(export, told.lead)

    monkeypatch.setattr(job, "write_archive", packed)
    export = asked_for(told)
    told.work.run()
    export.refresh_from_db()
    assert (export.state, export.sha256, files_of(export)) == ("cancelled", "", [])


def test_two_workers_and_one_export(told: Cast) -> None:
    export = asked_for(told)
    taken = at_once(*[lambda: job.take(export.pk)] * 2)
    assert sorted(one is None for one in taken) == [False, True]


def test_sent_twice_it_is_made_once(told: Cast) -> None:
    export = made(told)
    tasks.make_export(export.pk)
    again = Export.objects.get(pk=export.pk)
    assert (again.worker, again.tries) == (export.worker, 1)


def lost(export: Export, **fields: Any) -> None:
    """As a worker that was killed leaves it: a sign of life long ago, half a folder."""
    long_ago = timezone.now() - timedelta(minutes=5)
    told = {"state": "running", "worker": "dead", "heard_at": long_ago, "tries": 1} | fields
    Export.objects.filter(pk=export.pk).update(**told)
    half = shelf.folder_of(export.pk) / "dead" / ".bundle.part"
    half.mkdir(parents=True)
    (half / "attempts.jsonl").write_text("{")
    (half.parent / ".bundle.journal").write_text('{"shared": "x"}\n{"inputs')


def test_a_dead_workers_export_is_taken_up_again(told: Cast) -> None:
    export = asked_for(told)
    assert job.left_lying() == []  # it waits its turn
    lost(export)
    assert job.left_lying() == [export.pk]
    told.work.run()
    export.refresh_from_db()
    assert (export.state, export.tries) == ("done", 2)
    assert [path.name for path in shelf.folder_of(export.pk).iterdir()] == [export.worker]


def test_an_export_that_kills_every_worker_is_given_up(told: Cast) -> None:
    export = asked_for(told)
    lost(export, tries=job.MOST_TRIES)
    assert job.left_lying() == []
    export.refresh_from_db()
    assert (export.state, export.error) == ("failed", job.WORKER_STOPS)


def test_the_newest_three_stay(told: Cast, lead: Client) -> None:
    exports = [made(told) for _ in range(4)]
    failed = Export.objects.create(study=told.study, state="failed", contents=ALL.document(), error="No.")
    assert lead.post("/studies/tea/export/delete-old/").status_code == 302
    assert set(told.study.exports.values_list("pk", flat=True)) == {one.pk for one in exports[1:]}
    assert not shelf.folder_of(exports[0].pk).exists()
    assert not Export.objects.filter(pk=failed.pk).exists()
    assert notes(told)[-1] == "delete exports"


def test_what_somebody_took_back_is_not_given_out(told: Cast, lead: Client) -> None:
    export = made(told)
    Round.objects.filter(participation__code="P2").update(set_aside="removed")
    assert lead.get(address(export)).status_code == 409
    page = lead.get("/studies/tea/export/").content.decode()
    assert "Somebody took their data back" in page
    assert address(export) not in page
    asked.delete_old(told.study, told.lead)
    assert not shelf.folder_of(export.pk).exists()


def address(export: Export) -> str:
    return f"/studies/tea/export/{export.pk}/bundle.zip"


def test_the_page_counts_starts_and_shows(told: Cast, lead: Client) -> None:
    form = {"condition": ["intervention"], "person": ["P1", "P2"], "only": "complete"}
    counted = lead.post("/studies/tea/export/start/", form | {"act": "count"})
    page = lead.get(counted.headers["Location"]).content.decode()
    assert "2 complete" in page
    assert not Export.objects.exists()
    assert lead.post("/studies/tea/export/start/", form | {"act": "export"}).status_code == 302
    export = Export.objects.get()
    assert export.contents == Choice(conditions=("intervention",), only_complete=True).document()
    assert lead.get(f"/studies/tea/export/{export.pk}/status/").json()["stage"] == "waiting for the worker"
    told.work.run()
    export.refresh_from_db()
    assert export.sha256 in lead.get("/studies/tea/export/").content.decode()


def test_the_page_asks_no_more_for_more_exports(told: Cast, lead: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert lead.get("/studies/tea/export/").status_code == 200
        return len(caught)

    Export.objects.create(study=told.study, state="cancelled", contents=ALL.document())
    few = queries()
    for _ in range(12):
        Export.objects.create(study=told.study, state="failed", contents=ALL.document(), error="No.")
    assert queries() == few


def test_viewers_see_and_download_but_start_nothing(told: Cast) -> None:
    viewer = person("vera")
    StudyRole.objects.create(study=told.study, person=viewer, role="viewer")
    export = made(told)
    client = Client()
    client.force_login(viewer)
    page = client.get("/studies/tea/export/").content.decode()
    assert address(export) in page
    assert "Export this" not in page
    assert client.get(address(export)).status_code == 200
    form = {"condition": ["intervention"], "person": ["P2"], "act": "export"}
    assert client.post("/studies/tea/export/start/", form).status_code == 404


def test_by_ranges(told: Cast, lead: Client) -> None:
    export = made(told)
    whole = shelf.archive_of(export).read_bytes()
    size, tag = len(whole), f'"{export.sha256}"'

    def get(**headers: str) -> tuple[int, bytes, Any]:
        reply = lead.get(address(export), headers=headers)
        return reply.status_code, b"".join(reply), reply.headers

    status, body, headers = get()
    assert (status, body, headers["ETag"], headers["Accept-Ranges"]) == (200, whole, tag, "bytes")
    assert headers["Content-Disposition"] == f'attachment; filename="tea-{export.pk}.zip"'
    status, body, headers = get(range="bytes=100-199")
    assert (status, body, headers["Content-Range"]) == (206, whole[100:200], f"bytes 100-199/{size}")
    assert headers["Content-Length"] == "100"
    assert get(range="bytes=100-", if_range=tag)[:2] == (206, whole[100:])
    assert get(range="bytes=100-", if_range='"another"')[:2] == (200, whole)
    status, body, headers = get(range=f"bytes={size}-")
    assert (status, body, headers["Content-Range"]) == (416, b"", f"bytes */{size}")
    assert get(if_none_match=tag)[:2] == (304, b"")
    head = lead.head(address(export))
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(size))


@pytest.mark.parametrize(
    ("header", "range_"),
    [
        ("", None),
        ("bytes=0-0", (0, 0)),
        ("bytes=0-", (0, 9)),
        ("bytes=-3", (7, 9)),
        ("bytes=-30", (0, 9)),
        ("bytes=4-99", (4, 9)),
        ("bytes=5-4", None),
        ("bytes=0-1,3-4", None),
        ("bytes=-", None),
        ("lines=0-1", None),
        ("bytes=٣-", None),
    ],
)
def test_ranges_of_ten_bytes(header: str, range_: tuple[int, int] | None) -> None:
    assert asked_range(header, 10) == range_


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=-0", "bytes=99-100", f"bytes={'9' * 5000}-"])
def test_ranges_beyond_ten_bytes(header: str) -> None:
    with pytest.raises(Unsatisfiable):
        asked_range(header, 10)
