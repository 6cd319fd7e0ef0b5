"""An export that was stopped goes on where it was, to the same bytes; what has changed in between is made anew."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.db import connection
from django.utils import timezone

from annotate.actions import rounds
from annotate.models import Attempt, Rating
from tasks_admin.exports import job, shelf, stretches, traces
from tasks_admin.exports.bundle import Written, export
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.draft import Draft
from tasks_admin.exports.place import CannotExport
from tasks_admin.exports.verify import verify
from tasks_admin.models import Export
from tasks_admin.release import actions, items
from tests.annotate.test_rounds import complete
from tests.cast import Cast
from tests.tasks_admin.test_bundle import everything

KILLED_AFTER = """
import os, signal, sys, django
django.setup()
from django.db import connection
from django.utils import timezone
connection.settings_dict["NAME"] = sys.argv[1]
from pathlib import Path
from annotate.models import Study
from tasks_admin.exports import bundle, draft, stretches
stretches.MOST_ATTEMPTS, note, times = 1, draft.Draft.note, []
def killed(*given):
    if len(times) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    times.append(1)
    return note(*given)
draft.Draft.note = killed
bundle.export(Study.objects.get(slug="tea"), Path(sys.argv[2]))
"""


class Killed(BaseException):
    """As far as an export goes, a kill: nothing is tidied up."""


@pytest.fixture
def told(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """Ann's and Bob's complete rounds, of which each attempt is a stretch of its own."""
    monkeypatch.setattr(stretches, "MOST_ATTEMPTS", 1)
    for who in (cast.ann, cast.bob):
        rounds.rate(complete(cast, who), {"clarity": 5}, "")
    cast.work.run()
    return cast


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The stretches that are read to be written, not kept, as they come."""
    numbers: list[int] = []
    read = traces.read

    def noted(piece: stretches.Piece, *more: Any) -> Any:
        numbers.append(piece.place.stretch)
        return read(piece, *more)

    monkeypatch.setattr(traces, "read", noted)
    return numbers


def stopped_after(done: int) -> Callable[[int, int], None]:
    """A progress that stops the export as a kill does, once so many attempts are written."""

    def progress(at: int, total: int) -> None:
        if at > done:
            raise Killed

    return progress


def stop(cast: Cast, out: Path, after: int) -> None:
    with pytest.raises(Killed):
        export(cast.study, out, progress=stopped_after(after))
    assert not out.exists()


def again(cast: Cast, out: Path) -> Written:
    written = export(cast.study, out)
    assert verify(out) == []
    assert everything(out) == everything(export(cast.study, out.with_name("undisturbed")).folder)
    assert sorted(path.name for path in out.parent.iterdir()) == sorted([out.name, "undisturbed"])
    return written


def test_a_killed_process_leaves_what_it_finished(told: Cast, made: list[int], tmp_path: Path) -> None:
    host = connection.settings_dict
    ours = {"DJANGO_SETTINGS_MODULE": "annotate.config.settings"}
    command = [sys.executable, "-c", KILLED_AFTER, str(host["NAME"]), str(tmp_path / "b")]
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=os.environ | ours, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    written = again(told, tmp_path / "b")
    assert (written.kept, written.was_changed) == (2, False)
    assert made[:2] == [2, 3]


def test_a_stretch_that_was_not_finished_is_made_again(told: Cast, made: list[int], tmp_path: Path) -> None:
    stop(told, tmp_path / "b", after=2)
    assert made[:3] == [0, 1, 2]
    made.clear()
    assert again(told, tmp_path / "b").kept == 2
    assert made[:2] == [2, 3]


def test_a_file_that_was_damaged_is_made_again(told: Cast, made: list[int], tmp_path: Path) -> None:
    stop(told, tmp_path / "b", after=3)
    sorted((tmp_path / ".b.part" / "traces").iterdir())[1].write_text("{")
    written = again(told, tmp_path / "b")
    assert (written.kept, written.was_changed) == (1, True)


def test_what_changed_meanwhile_is_made_anew_and_said(told: Cast, made: list[int], tmp_path: Path) -> None:
    stop(told, tmp_path / "b", after=3)
    judged = {"score": 0, "passed": False, "source": "lead", "checks": []}
    Attempt.objects.filter(round__participation__code="P1", kind="warm").update(score=0, passed=False, verdict=judged)
    written = again(told, tmp_path / "b")
    assert (written.kept, written.was_changed) == (1, True)
    assert job.told_of(written).endswith("the files of 1 attempts were kept, the rest was made anew.")


def test_another_mask_or_choice_makes_all_of_it_anew(told: Cast, made: list[int], tmp_path: Path) -> None:
    stop(told, tmp_path / "b", after=3)
    told.study.options = told.study.options | {"masks": {"texts": ["Toy"], "parameters": []}}
    told.study.save(update_fields=["options"])
    written = again(told, tmp_path / "b")
    assert (written.kept, written.was_changed) == (0, True)


@pytest.mark.parametrize("step", ["rename", "rmtree"])
def test_stopped_while_an_earlier_bundle_goes(
    told: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """No half of the earlier one is ever in the place, and the next call goes on."""
    out = tmp_path / "b"
    draft = export(told.study, out).folder.with_name(".b.part")
    rename = Path.rename

    def killed(path: Path, *to: Path) -> Path:
        if step == "rmtree" or path == draft:
            raise Killed
        return rename(path, *to)

    with monkeypatch.context() as patch:
        patch.setattr(shutil if step == "rmtree" else Path, step, killed)
        with pytest.raises(Killed):
            export(told.study, out)
    assert (tmp_path / ".b.old").exists()
    again(told, out)


def test_what_was_kept_still_relies_on_what_stands_in_it(told: Cast, tmp_path: Path) -> None:
    words = "the second button was odd, I think"
    Rating.objects.filter(round__participation__code="P2").update(comment=words)
    actions.decide(
        told.study, told.lead, "comment", [row.pk for row in items.rows(told.study, "comment")], cleared=True
    )
    attempt = Attempt.objects.get(round__participation__code="P1", kind="cold")
    attempt.verdict["checks"][0]["detail"] = words
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    ann = Choice(people=("P1",))
    with pytest.raises(Killed):
        export(told.study, tmp_path / "b", choice=ann, progress=stopped_after(1))
    written = export(told.study, tmp_path / "b", choice=ann)
    assert written.kept == 1
    assert written.released.clearances == set(told.study.clearances.values_list("pk", flat=True))


def test_a_place_that_cannot_be_is_told(told: Cast, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotExport, match="cannot be written to: "):
        export(told.study, tmp_path / "file" / "b")


def test_two_at_the_same_place_do_not_meet(told: Cast, tmp_path: Path) -> None:
    with Draft(tmp_path / "b"), pytest.raises(CannotExport, match="Another export"):
        export(told.study, tmp_path / "b")
    export(told.study, tmp_path / "b")


def test_the_next_worker_goes_on(
    told: Cast, made: list[int], tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker was stopped while it packed: nothing but the archive is made again."""
    settings.DATA_DIR = tmp_path
    export_ = Export.objects.create(study=told.study, actor=told.lead, contents=ALL.document())
    pack = job.write_archive

    def killed(*args: Any, **more: Any) -> None:
        raise Killed

    monkeypatch.setattr(job, "write_archive", killed)
    with pytest.raises(Killed):
        job.make(export_.pk)
    assert made == [0, 1, 2, 3]
    long_ago = timezone.now() - 2 * job.SILENT_AFTER
    Export.objects.filter(pk=export_.pk).update(heard_at=long_ago)
    monkeypatch.setattr(job, "write_archive", pack)
    job.make(export_.pk)
    export_.refresh_from_db()
    assert (export_.state, export_.note) == ("done", "Its worker stopped; the files of 4 attempts were kept.")
    assert made == [0, 1, 2, 3]
    assert {path.name for path in shelf.place_of(export_).iterdir()} == {"bundle", "bundle.zip"}
    assert verify(shelf.place_of(export_) / "bundle") == []
