"""Files brought in: read by the worker, asked about, given up in words, each imported once, whole or not at all."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.test import Client
from django.utils import timezone

from annotate.errors import MovedOn
from annotate.models import AuditEntry
from tasks_admin import tasks
from tasks_admin.models import ImportedLabel, Run, Upload
from tasks_admin.runs import take_in
from tasks_admin.uploads import asked, job, shelf, take_back
from tests.annotate.test_races import at_once
from tests.cast import Cast
from tests.runs.test_take_in import row as run_row
from tests.tasks_admin.test_review_pages import client, role

RUNS = "/studies/tea/runs/"


@pytest.fixture(autouse=True)
def kept_here(cast: Cast, tmp_path: Path, settings: LazySettings) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def lead(cast: Cast) -> Client:
    return client(cast.lead)


def table(*rows: dict[str, Any]) -> SimpleUploadedFile:
    return SimpleUploadedFile("runs.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())


def brought(lead: Client, file: Any, **said: str) -> Upload:
    reply = lead.post(RUNS, {"file": file} | said)
    upload = Upload.objects.latest("pk")
    assert reply.headers["Location"] == f"/studies/tea/uploads/{upload.pk}/"
    return upload


def page(lead: Client, upload: Upload) -> str:
    return lead.get(f"/studies/tea/uploads/{upload.pk}/").content.decode()


def files_of(upload: Upload) -> list[Path]:
    return [path for path in shelf.folder_of(upload.pk).rglob("*") if path.is_file()]


def test_done(cast: Cast, lead: Client) -> None:
    upload = brought(lead, table(run_row(cast), run_row(cast, task="<b>no-such</b>")))
    assert "It is being read" in page(lead, upload)
    told = lead.get(f"/studies/tea/uploads/{upload.pk}/status/").json()
    assert told == {"state": "waiting", "stage": "waiting for the worker", "open": True}
    cast.work.run()
    upload.refresh_from_db()
    assert (upload.state, upload.told["taken"], upload.told["rejected"]) == ("done", 1, 1)
    assert "the study has no task &#x27;&lt;b&gt;no-such&lt;/b&gt;&#x27;" in page(lead, upload)
    assert Run.objects.get().source.actor == cast.lead
    assert files_of(upload) == []
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == ["bring in runs", "import runs"]


def test_what_was_taken_back_is_called_imported_no_more(cast: Cast, lead: Client) -> None:
    upload, again = brought(lead, table(run_row(cast))), brought(lead, table(run_row(cast)))
    cast.work.run()
    take_back.take_back(cast.study, "runs", Run.objects.get().source_id, cast.lead, words_too=False)
    assert "<h2>Taken back</h2>" in page(lead, upload)
    assert "<h2>Imported</h2>" in page(lead, again)  # it brought nothing that could be taken back


def test_the_unit_of_a_time_is_asked_for_by_its_column(cast: Cast, lead: Client) -> None:
    row = {name: value for name, value in run_row(cast).items() if name != "elapsed_ms"} | {"elapsed": 5}
    upload = brought(lead, table(row))
    cast.work.run()
    upload.refresh_from_db()
    assert (upload.state, upload.told["asks"], Run.objects.count()) == ("asks", ["columns"], 0)
    text = page(lead, upload)
    assert "the column elapsed does not tell its unit: elapsed_s or elapsed_ms?" in text
    assert 'name="columns"' in text.split("<details")[0]
    asked.say_more(upload, cast.lead, {"columns": {"elapsed_s": "elapsed"}})
    cast.work.run()
    assert Run.objects.get().elapsed_ms == 5000


def test_what_is_missing_is_asked_for_and_the_file_need_not_come_again(cast: Cast, lead: Client) -> None:
    bare = run_row(cast)
    del bare["model"], bare["step_unit"]
    upload = brought(lead, table(bare))
    cast.work.run()
    upload.refresh_from_db()
    assert (upload.state, upload.told["asks"], Run.objects.count()) == ("asks", ["model", "step_unit"], 0)
    front, more = page(lead, upload).split("<details>")
    assert "does not tell the model and the unit of steps. Nothing was imported." in front
    assert "--" not in upload.error
    assert [name for name in ("model", "step_unit", "harness") if f'id="{name}"' in front] == ["model", "step_unit"]
    assert [name for name in ("model", "step_unit", "harness") if f'id="{name}"' in more] == ["harness"]
    lead.post(f"/studies/tea/uploads/{upload.pk}/", {"model": "m7"})
    cast.work.run()
    upload.refresh_from_db()
    assert (upload.state, upload.told["asks"]) == ("asks", ["step_unit"])
    lead.post(f"/studies/tea/uploads/{upload.pk}/", upload.given | {"step_unit": "model_turns"})
    cast.work.run()
    run = Run.objects.get()
    assert (run.model, run.step_unit) == ("m7", "model_turns")
    with pytest.raises(MovedOn):
        asked.say_more(upload, cast.lead, {})


def test_a_file_of_nothing_known_is_told_and_can_be_dropped(cast: Cast, lead: Client) -> None:
    upload = brought(lead, SimpleUploadedFile("notes.txt", b"hello"))
    cast.work.run()
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert "notes.txt looks like none of agentlab" in page(lead, upload)
    assert len(files_of(upload)) == 1
    lead.post(f"/studies/tea/uploads/{upload.pk}/drop/")
    assert (Upload.objects.count(), files_of(upload)) == (0, [])


@pytest.mark.parametrize(
    ("file", "said", "words"),
    [
        (None, {}, "Choose a file."),
        (SimpleUploadedFile("a.csv", b""), {}, "The submitted file is empty."),
        (SimpleUploadedFile("a.csv", b"x"), {"columns": "colour=x"}, "ours are task, environment"),
        (SimpleUploadedFile("a.csv", b"x"), {"columns": "model=a\nmodel=b"}, "model is said to be"),
        (SimpleUploadedFile("a.csv", b"x"), {"step_unit": "clicks"}, "Select a valid choice"),
    ],
)
def test_what_a_form_cannot_mean_is_told_beside_it(lead: Client, file: Any, said: Any, words: str) -> None:
    reply = lead.post(RUNS, ({"file": file} if file else {}) | said)
    assert (reply.status_code, Upload.objects.count()) == (400, 0)
    assert words in reply.content.decode()


def test_a_zip_of_a_folder_and_a_name_that_would_lead_out(cast: Cast, lead: Client, tmp_path: Path) -> None:
    path = tmp_path / "runs.zip"
    with ZipFile(path, "w") as packed:
        packed.writestr("deep/a.jsonl", json.dumps(run_row(cast)))
    upload = brought(lead, SimpleUploadedFile("..\\..\\x/../evil\x00.zip", path.read_bytes()))
    assert upload.name == "evil_.zip" or upload.name == "evil.zip"
    assert files_of(upload)[0].is_relative_to(shelf.folder_of(upload.pk))
    cast.work.run()
    assert Run.objects.count() == 1
    slip = tmp_path / "slip.zip"
    with ZipFile(slip, "w") as packed:
        packed.writestr("a.jsonl", json.dumps(run_row(cast, model="slipped")))
        packed.writestr("../../b.jsonl", "x")
    upload = brought(lead, SimpleUploadedFile("slip.zip", slip.read_bytes()))
    cast.work.run()
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert "'../../b.jsonl', which leads out" in upload.error
    assert not Run.objects.filter(model="slipped").exists()


def test_a_large_file_is_moved_not_copied_through_memory(cast: Cast, lead: Client, settings: LazySettings) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    upload = brought(lead, table(run_row(cast)))
    assert len(files_of(upload)) == 1
    temporary = TemporaryUploadedFile("a.jsonl", "text/plain", 3, None)
    temporary.write(b"abc")
    temporary.flush()
    shelf.put(99, "a.jsonl", temporary)
    assert not Path(temporary.temporary_file_path()).exists()
    assert shelf.file_of(99, "a.jsonl").read_bytes() == b"abc"
    temporary.close()


def test_two_workers_read_a_file_once(cast: Cast, lead: Client) -> None:
    upload = brought(lead, table(run_row(cast)))
    at_once(lambda: job.read(upload.pk), lambda: job.read(upload.pk))
    upload.refresh_from_db()
    assert (upload.state, upload.told["taken"], Run.objects.count()) == ("done", 1, 1)


def test_a_fault_of_ours_fails_it_and_is_not_hidden(cast: Cast, lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = brought(lead, table(run_row(cast)))
    monkeypatch.setattr(take_in, "finish", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cast.work.run()
    upload.refresh_from_db()
    assert (upload.state, upload.error, Run.objects.count()) == ("failed", job.UNFORESEEN, 0)


def test_what_a_stopped_worker_left_is_read_again_and_given_up_in_the_end(cast: Cast, lead: Client) -> None:
    upload = brought(lead, table(run_row(cast)))
    cast.work.queue.clear()  # the message was lost
    assert job.left_lying() == []
    Upload.objects.update(sent_at=timezone.now() - timedelta(minutes=2))
    assert job.left_lying() == [upload.pk]
    assert job.left_lying() == []
    Upload.objects.update(tries=job.MOST_TRIES)
    tasks.read_upload(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.error) == ("failed", job.WORKER_STOPS)


def test_a_file_that_was_read_does_not_stay_where_its_worker_stopped(cast: Cast, lead: Client) -> None:
    upload = brought(lead, table(run_row(cast)))
    Upload.objects.update(state="done")
    assert len(files_of(upload)) == 1
    tasks.resume_uploads()
    assert files_of(upload) == []


def test_why_nothing_of_a_file_could_be_taken_is_listed(cast: Cast, lead: Client) -> None:
    upload = brought(lead, table(*(run_row(cast, task=f"no-{n}") for n in range(5))))
    cast.work.run()
    shown = page(lead, upload)
    assert "None of its 5 runs can be taken" in shown
    assert "runs.jsonl, line 5" in shown


def test_labels_come_in_likewise(cast: Cast, lead: Client, tmp_path: Path) -> None:
    brought(lead, table(run_row(cast)))
    cast.work.run()
    text = json.dumps({"model": "m", "task": "buy-tea", "label": "failure"}).encode()
    lead.post("/studies/tea/labels/imported/", {"file": SimpleUploadedFile("j.jsonl", text)})
    cast.work.run()
    upload = Upload.objects.latest("pk")
    assert (upload.state, upload.asks) == ("asks", "judge")
    lead.post(f"/studies/tea/uploads/{upload.pk}/", {"judge": "J"})
    cast.work.run()
    assert (ImportedLabel.objects.get().judge, ImportedLabel.objects.get().word) == ("J", "failure")


def test_viewers_bring_nothing_in(cast: Cast, lead: Client) -> None:
    upload = brought(lead, table(run_row(cast)))
    viewer = client(role(cast, "vera.viewer", "viewer"))
    assert 'type="file"' not in viewer.get(RUNS).content.decode()
    assert viewer.post(RUNS, {"file": table(run_row(cast))}).status_code == 404
    assert viewer.post(f"/studies/tea/uploads/{upload.pk}/", {}).status_code == 404
    assert viewer.post(f"/studies/tea/uploads/{upload.pk}/drop/").status_code == 404
    assert client(cast.other_lead).get(f"/studies/coffee/uploads/{upload.pk}/").status_code == 404
    assert Upload.objects.count() == 1
