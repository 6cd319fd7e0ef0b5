"""Taking imports back: what goes is told, people's words go only where that is said, and two leads do it once."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.errors import NotFound
from annotate.models import AuditEntry
from tasks_admin.labels import runs as run_labels
from tasks_admin.models import (
    ComparisonReport,
    ImportedLabel,
    LabelImport,
    Run,
    RunImport,
    RunLabel,
    RunTrajectory,
    Upload,
)
from tasks_admin.uploads import take_back
from tests.annotate.test_races import at_once
from tests.cast import Cast
from tests.labels.test_import_labels import command as import_labels
from tests.runs import writing
from tests.runs.test_take_in import command as import_runs
from tests.runs.test_take_in import row as run_row
from tests.tasks_admin.test_review_pages import client, role

RUNS = "/studies/tea/runs/"
LABELS = "/studies/tea/labels/imported/"


@pytest.fixture
def made(cast: Cast, tmp_path: Path) -> RunImport:
    """An import of a run that can be looked at, with a judge's label from a file of its own; and another import, which stays."""
    import_runs(writing.browser_use(tmp_path / "buy-tea.json"), cast, "--model", "wrong", "--condition", "clean")
    import_runs(writing.lines(tmp_path / "other.jsonl", run_row(cast, model="other")), cast)
    label = {"judge": "J", "task": "buy-tea", "label": "success"}
    path = writing.lines(tmp_path / "j.jsonl", label | {"model": "wrong"}, label | {"model": "other"})
    import_labels(path, cast)
    return RunImport.objects.get(name="buy-tea.json")


def act(cast: Cast, made: RunImport, **told: Any) -> take_back.Goes:
    return take_back.take_back(cast.study, "runs", made.pk, cast.lead, **{"words_too": False} | told)


def test_a_lead_sees_what_goes_and_takes_it_back(cast: Cast, made: RunImport) -> None:
    lead, place = client(cast.lead), f"{RUNS}{made.pk}/take-back/"
    assert place in lead.get(RUNS).content.decode()
    shown = lead.get(place).content.decode()
    assert 'name="seen" value="1-1-0-0"' in shown
    assert "words_too" not in shown
    reply = lead.post(place, {"seen": "1-1-0-0"}, follow=True)
    assert "Taken back: 1 run and 1 label." in reply.content.decode()
    assert list(Run.objects.values_list("model", flat=True)) == ["other"]
    assert (RunTrajectory.objects.count(), ImportedLabel.objects.get().run.model) == (0, "other")  # type: ignore[union-attr]
    assert (RunImport.objects.count(), LabelImport.objects.count()) == (1, 1)
    entry = AuditEntry.objects.get(action="take back runs")
    assert (entry.actor, entry.subject, entry.before["runs"]) == (cast.lead, "buy-tea.json", 1)
    assert entry.before["models"] == [["wrong", "browser-use", 1]]
    assert "was taken back" in lead.post(place, {"seen": "1-1-0-0"}).content.decode()
    assert lead.get(place).status_code == 404


def test_words_of_people_go_only_where_that_is_said(cast: Cast, made: RunImport) -> None:
    run_labels.label(made.runs.get(), cast.lead, success=False, note="it bought coffee")
    lead, place = client(cast.lead), f"{RUNS}{made.pk}/take-back/"
    reply = lead.post(place, {"seen": "1-1-0-1"})
    assert reply.status_code == 400
    assert "1 label that people gave would go with it" in reply.content.decode()
    assert (RunLabel.objects.count(), Run.objects.count()) == (1, 2)
    lead.post(place, {"seen": "1-1-0-1", "words_too": "yes"})
    assert (RunLabel.objects.count(), Run.objects.count()) == (0, 1)
    kept = AuditEntry.objects.get(action="take back runs").before["leads_labels"][0]
    assert (kept["model"], kept["task"], kept["success"], kept["note"]) == (
        "wrong",
        "buy-tea",
        False,
        "it bought coffee",
    )


def test_what_was_added_since_the_page_was_opened_is_not_removed_unseen(cast: Cast, made: RunImport) -> None:
    run_labels.label(made.runs.get(), cast.lead, success=False)
    reply = client(cast.lead).post(f"{RUNS}{made.pk}/take-back/", {"seen": "1-1-0-0", "words_too": "yes"})
    assert reply.status_code == 409
    assert "has changed since this page was opened" in reply.content.decode()
    assert Run.objects.count() == 2


def test_later_imports_that_found_its_runs_are_named(cast: Cast, made: RunImport, tmp_path: Path) -> None:
    first = RunImport.objects.get(name="other.jsonl")
    again = writing.lines(tmp_path / "again.jsonl", run_row(cast, model="other"), run_row(cast, model="new"))
    import_runs(again, cast)
    nothing_new = {"size": 1, "sent_at": timezone.now(), "state": "done", "told": {"taken": 0, "same": 1}}
    Upload.objects.create(study=cast.study, kind="runs", name="same.jsonl", **nothing_new)
    assert take_back.goes(first).later == ["again.jsonl", "same.jsonl"]
    act(cast, first)
    assert import_runs(again, cast)["taken"] == 1
    assert Run.objects.filter(model="other").exists()


def test_labels_that_came_with_runs_go_with_them(cast: Cast, tmp_path: Path) -> None:
    writing.document(
        tmp_path / "in" / "buy-tea.json",
        {"benchmark": "webarena", "agent": "a", "summary_info": {"cum_reward": 1.0}, "goal": "Buy.", "steps": []},
    )
    (tmp_path / "in" / "annotations.csv").write_text("model_name,task_id,trajectory_success\na,buy-tea,Unsuccessful\n")
    import_runs(tmp_path / "in", cast, "--condition", "clean")
    act(cast, RunImport.objects.get(), words_too=True)
    assert (Run.objects.count(), ImportedLabel.objects.count(), LabelImport.objects.count()) == (0, 0, 0)


def test_an_import_of_labels_goes_and_the_runs_stay(cast: Cast, made: RunImport) -> None:
    run_labels.label(made.runs.get(), cast.lead, success=False)
    place = f"{LABELS}{LabelImport.objects.get().pk}/take-back/"
    lead = client(cast.lead)
    assert "The runs and attempts that were labelled stay" in lead.get(place).content.decode()
    lead.post(place, {"seen": "0-2-0-0"})
    assert (ImportedLabel.objects.count(), RunLabel.objects.count(), Run.objects.count()) == (0, 1, 2)
    assert AuditEntry.objects.get(action="take back labels").before["judges"] == 2


def test_two_leads_at_once(cast: Cast, made: RunImport) -> None:
    told = at_once(*[lambda: act(cast, made)] * 2)
    assert sorted(type(one).__name__ for one in told) == ["Goes", "Gone"]
    assert AuditEntry.objects.filter(action="take back runs").count() == 1


def test_a_label_given_at_that_moment_is_kept_or_refused(cast: Cast, made: RunImport) -> None:
    run = made.runs.get()
    told = at_once(lambda: act(cast, made), lambda: run_labels.label(run, cast.lead, success=True))
    assert sorted(type(one).__name__ for one in told) in (["Goes", "NotFound"], ["BadInput", "RunLabel"])
    assert RunLabel.objects.count() == Run.objects.filter(pk=run.pk).count()


def test_a_label_given_after_that_is_refused_for_the_run_is_gone(cast: Cast, made: RunImport) -> None:
    run = made.runs.get()
    act(cast, made)
    with pytest.raises(NotFound):
        run_labels.label(run, cast.lead, success=True)


def test_a_comparison_says_that_runs_of_it_were_taken_back(cast: Cast, made: RunImport) -> None:
    ComparisonReport.objects.create(study=cast.study, state="done", figures={}, made_at=made.at)
    page = client(cast.lead)
    assert "taken back" not in page.get("/studies/tea/comparison/").content.decode()
    act(cast, made)
    assert (
        '<strong dir="auto">buy-tea.json</strong> was taken back'
        in page.get("/studies/tea/comparison/").content.decode()
    )


def test_the_command_lists_and_takes_back(cast: Cast, made: RunImport) -> None:
    run_labels.label(made.runs.get(), cast.lead, success=False)
    out = StringIO()
    call_command("take_back", "runs", "--study", "tea", stdout=out)
    assert f"{made.pk}: buy-tea.json, " in out.getvalue()
    assert ": 1 runs, 1 labels by judges, 1 by people" in out.getvalue()
    options = ("take_back", "runs", "--study", "tea", "--import", str(made.pk))
    with pytest.raises(CommandError, match="--with-peoples-labels"):
        call_command(*options)
    call_command(*options, "--with-peoples-labels", stdout=out)
    assert "taken back: 1 runs, 2 labels" in out.getvalue()
    with pytest.raises(CommandError, match="not in the study any more"):
        call_command(*options)


def test_viewers_and_others_take_nothing_back(cast: Cast, made: RunImport) -> None:
    place = f"{RUNS}{made.pk}/take-back/"
    for person in (role(cast, "vera.viewer", "viewer"), cast.other_lead):
        assert client(person).post(place, {"seen": "1-1-0-0"}).status_code == 404
    elsewhere = f"/studies/coffee/runs/{made.pk}/take-back/"
    assert client(cast.other_lead).get(elsewhere).status_code == 404
    assert client(cast.other_lead).post(elsewhere, {"seen": "1-1-0-0"}).status_code == 409
    assert Run.objects.count() == 2


def test_many_runs_go_in_as_few_queries_as_one(cast: Cast, made: RunImport) -> None:
    def queries(one: RunImport) -> int:
        with CaptureQueriesContext(connection) as caught:
            act(cast, one)
        return len(caught)

    condition = cast.study.task_conditions.all()[0]
    many = RunImport.objects.create(study=cast.study, format="table", name="many.csv")
    told = {"study": cast.study, "source": many, "task_condition": condition, "score": 1, "passed": True}
    runs = Run.objects.bulk_create(Run(model=f"m{n}", verdict_source="self", **told) for n in range(1000))
    RunTrajectory.objects.bulk_create(RunTrajectory(run=run) for run in runs)
    label = {"study": cast.study, "source": LabelImport.objects.get(), "judge": "J", "by": "judge", "word": "success"}
    ImportedLabel.objects.bulk_create(ImportedLabel(run=run, **label) for run in runs)
    assert queries(many) == queries(made)
    assert (Run.objects.get().model, RunTrajectory.objects.count()) == ("other", 0)
