"""Taking labels in: from tables, matched to runs and attempts, once each, whole or not at all."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import AuditEntry, Round
from tasks_admin import tasks
from tasks_admin.exports.rows import attempt_id, attempts_to_export
from tasks_admin.models import ImportedLabel, LabelImport, Run
from tests.annotate.test_races import at_once
from tests.annotate.test_rounds import complete
from tests.cast import Cast
from tests.runs import writing
from tests.runs.test_take_in import command as import_runs
from tests.runs.test_take_in import row as run_row


def command(path: Path, cast: Cast, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("import_labels", str(path), "--study", cast.study.slug, "--json", *options, stdout=out)
    return dict(json.loads(out.getvalue()))


@pytest.fixture
def told(cast: Cast, tmp_path: Path) -> Cast:
    """Runs of models m and n on the clean task, both called r1 by their files."""
    path = writing.lines(tmp_path / "runs.jsonl", run_row(cast), run_row(cast, model="n", harness="h"))
    import_runs(path, cast)
    return cast


def test_labels_are_taken_once_and_the_rest_is_told(told: Cast, tmp_path: Path) -> None:
    path = writing.lines(
        tmp_path / "labels.jsonl",
        {
            "judge": "J",
            "model": "m",
            "task": "buy-tea",
            "condition": "clean",
            "label": "success",
            "reason": "it is there",
        },
        {"judge": "J", "run_id": "r1", "model": "n", "label": 0},
        {"judge": "J", "run_id": "r1", "label": "success"},
        {"judge": "J", "model": "nobody", "task": "buy-tea", "label": "success"},
        {"judge": "J", "model": "m", "task": "buy-tea", "label": "perhaps"},
        {"judge": "J", "label": "success"},
        {"judge": "K", "model": "m", "task": "buy-tea", "label": "unsure", "condition": "cleanish"},
        '{"judge": "J", "mod',
    )
    first = command(path, told)
    assert (first["taken"], first["same"], first["rejected_count"]) == (2, 0, 6)
    reasons = " | ".join(f"{one['place']}: {one['reason']}" for one in first["rejected"])
    for said in (
        "line 3: 2 runs have run_id r1; tell model",
        "line 4: the study has no run with model nobody, task buy-tea",
        "line 5: label is 'perhaps'; it must be success, failure or unsure",
        "line 6: it names neither an attempt, nor a run_id",
        "line 7: 'cleanish' is no condition",
        "line 8: it is not whole JSON",
    ):
        assert said in reasons
    kept = ImportedLabel.objects.order_by("run__model")
    assert [(one.run and one.run.model, one.word, one.by, one.reason) for one in kept] == [
        ("m", "success", "judge", "it is there"),
        ("n", "failure", "judge", ""),
    ]
    assert AuditEntry.objects.filter(action="import labels").count() == 1
    again = command(path, told)
    assert (again["taken"], again["same"]) == (0, 2)
    assert (ImportedLabel.objects.count(), LabelImport.objects.count()) == (2, 1)


def test_attempts_by_their_names_in_the_bundle(told: Cast, tmp_path: Path) -> None:
    complete(told, told.ann)
    cold, warm = attempts_to_export(told.study)
    path = tmp_path / "labels.csv"
    path.write_text(f"attempt,verdict\n{attempt_id(cold)},failure\n{warm.pk},unsure\nP9-x,success\n")
    with pytest.raises(
        CommandError, match=r"line 2 does not tell whose labels these are\. Nothing was imported\. Say it \(--judge"
    ):
        command(path, told)
    assert ImportedLabel.objects.count() == 0
    first = command(path, told, "--judge", "expert", "--by", "person", "--column", "label=verdict")
    assert (first["taken"], first["judges"]) == (2, {"expert": 2})
    assert "no attempt 'P9-x'" in first["rejected"][0]["reason"]
    assert set(ImportedLabel.objects.values_list("attempt", "word", "by")) == {
        (cold.pk, "failure", "person"),
        (warm.pk, "unsure", "person"),
    }


def test_another_word_of_the_same_judge_is_not_taken_over(told: Cast, tmp_path: Path) -> None:
    label = {"judge": "J", "model": "m", "task": "buy-tea", "label": "success"}
    command(writing.lines(tmp_path / "a.jsonl", label), told)
    path = writing.lines(tmp_path / "b.jsonl", label | {"label": "failure"}, label | {"model": "n"})
    assert "J is there already with another label" in command(path, told)["rejected"][0]["reason"]
    assert ImportedLabel.objects.get(run__model="m").word == "success"
    with pytest.raises(CommandError, match="Its only label cannot be taken. c.jsonl, line 1: J is there already"):
        command(writing.lines(tmp_path / "c.jsonl", label | {"label": "failure"}), told)


def test_labels_of_what_was_taken_back_are_forgotten(told: Cast, tmp_path: Path) -> None:
    round_ = complete(told, told.ann)
    cold, _ = attempts_to_export(told.study)
    of_run = {"judge": "J", "model": "m", "task": "buy-tea", "label": "success"}
    path = writing.lines(tmp_path / "a.jsonl", of_run, {"judge": "J", "attempt_id": cold.pk, "label": "failure"})
    assert command(path, told)["taken"] == 2
    tasks.forget_removed_labels()
    assert ImportedLabel.objects.count() == 2
    Round.objects.filter(pk=round_.pk).update(set_aside=Round.SetAside.REMOVED)
    tasks.forget_removed_labels()
    assert ImportedLabel.objects.get().run is not None
    assert "no attempt" in command(path, told)["rejected"][0]["reason"]


def test_two_imports_at_once_take_each_label_once(told: Cast, tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", {"judge": "J", "model": "m", "task": "buy-tea", "label": "success"})
    first, second = at_once(lambda: command(path, told), lambda: command(path, told))
    assert sorted([first["taken"], second["taken"]]) == [0, 1]
    assert ImportedLabel.objects.count() == 1


def test_labels_that_come_with_runs(cast: Cast, tmp_path: Path) -> None:
    found = {"benchmark": "webarena", "agent": "a", "summary_info": {"cum_reward": 1.0}, "goal": "Buy tea.",
             "steps": [{"action": "click('3')", "reasoning": "the tea", "url": "http://x/"}]}  # fmt: skip
    writing.document(tmp_path / "in" / "buy-tea.json", found)
    (tmp_path / "in" / "annotations.csv").write_text("model_name,task_id,trajectory_success\na,buy-tea,Unsuccessful\n")
    options = ("--condition", "clean")
    assert import_runs(tmp_path / "in", cast, *options)["labels"] == 1
    assert import_runs(tmp_path / "in", cast, *options)["labels"] == 0
    run = Run.objects.get()
    kept = run.imported_labels.get()
    assert (kept.by, kept.word, kept.judge) == ("person", "failure", "AgentRewardBench's annotators")
    assert (run.trajectory.task_text, run.trajectory.steps) == (
        "Buy tea.",
        [{"action": "click('3')", "thought": "the tea", "url": "http://x/"}],
    )
