"""Taking runs into a study: matched, idempotent, whole or not at all."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import AuditEntry
from tasks_admin.models import Run, RunImport
from tests.cast import Cast
from tests.runs import writing

pytestmark = pytest.mark.django_db


def command(path: Path, cast: Cast, *options: str, format_: str = "auto") -> dict[str, Any]:
    out = StringIO()
    call_command("import_runs", format_, str(path), "--study", cast.study.slug, "--json", *options, stdout=out)
    return dict(json.loads(out.getvalue()))


def row(cast: Cast, **changed: Any) -> dict[str, Any]:
    condition = cast.study.task_conditions.filter(condition="clean").order_by("pk").first()
    assert condition is not None
    told = {"run_id": "r1", "model": "m", "task": condition.task.slug, "condition": "clean", "score": 1.0, "passed": True, "steps": 4,
            "step_unit": "model_turns", "elapsed_ms": 900}  # fmt: skip
    return told | changed


def test_runs_are_taken_once_and_the_rest_is_told(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(
        tmp_path / "runs.jsonl", row(cast), row(cast, task="no-such"), row(cast, model="n", passed=None)
    )
    told = command(path, cast)
    assert (told["format"], told["taken"], told["same"]) == ("table", 1, 0)
    assert "no task 'no-such'" in told["rejected"][0]["reason"]
    assert "not for us to guess" in told["rejected"][1]["reason"]
    run = Run.objects.get()
    assert (run.model, run.score, run.passed, run.steps, run.step_unit, run.elapsed_ms) == (
        "m",
        1.0,
        True,
        4,
        "model_turns",
        900,
    )
    assert (RunImport.objects.get().rejected, AuditEntry.objects.get().action) == (2, "import runs")
    again = command(path, cast)
    assert (again["taken"], again["same"]) == (0, 1)
    assert (Run.objects.count(), RunImport.objects.count()) == (1, 1)


def test_a_run_that_is_twice_in_a_file_is_told_however_often_it_is_imported(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", row(cast), row(cast, model="n"), row(cast))
    twice = [
        {
            "place": "a.jsonl, line 3",
            "reason": "it is twice in this file, with the same values; what came first counts.",
        }
    ]
    for counts in ((2, 0), (0, 2)):
        told = command(path, cast)
        assert ((told["taken"], told["same"]), told["rejected"]) == (counts, twice)


def test_the_same_run_with_other_values_is_not_taken_over(cast: Cast, tmp_path: Path) -> None:
    command(writing.lines(tmp_path / "a.jsonl", row(cast)), cast)
    path = writing.lines(tmp_path / "b.jsonl", row(cast, score=0.0, passed=False), row(cast, model="other"))
    told = command(path, cast)
    assert told["taken"] == 1
    assert "a model name of its own" in told["rejected"][0]["reason"]
    assert Run.objects.get(model="m").passed is True


@pytest.mark.parametrize(
    ("missing", "option"), [("model", "--model"), ("condition", "--condition"), ("step_unit", "--step-unit")]
)
def test_what_nobody_said_is_asked_for_and_nothing_is_taken(
    cast: Cast, tmp_path: Path, missing: str, option: str
) -> None:
    faulty = row(cast)
    del faulty[missing]
    path = writing.lines(tmp_path / "a.jsonl", row(cast, model="first"), faulty)
    with pytest.raises(CommandError, match=option):
        command(path, cast)
    assert Run.objects.count() == 0
    given = {"model": "m", "condition": "clean", "step_unit": "model_turns"}[missing]
    told = command(path, cast, option, given)
    assert told["taken"] + told["same"] + len(told["rejected"]) == 2


def test_nothing_to_take_is_an_error_that_says_why(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", row(cast, task="x"), row(cast, task="y"))
    with pytest.raises(
        CommandError, match="None of its 2 runs can be taken. a.jsonl, line 1: the study has no task 'x'"
    ):
        command(path, cast)
    assert RunImport.objects.count() == 0


def test_no_such_study_or_path_or_column(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", row(cast))
    for arguments, said in (
        (("auto", str(path), "--study", "nope"), "no study"),
        (("auto", str(tmp_path / "gone"), "--study", cast.study.slug), "does not exist"),
        (("table", str(path), "--study", cast.study.slug, "--column", "colour=x"), "our columns are"),
        (("table", str(path), "--study", cast.study.slug, "--column", "task"), "OURS=THEIRS"),
        (("table", str(path), "--study", cast.study.slug, "--column", "task="), "OURS=THEIRS"),
        (
            ("table", str(path), "--study", cast.study.slug, "--column", "model=a", "--column", "model=b"),
            "model is said to be 'a' already; leave one of them",
        ),
        (
            ("table", str(path), "--study", cast.study.slug, "--task", "buy-tea"),
            r"leave the task out, or name its column \(task=NAME\)\. Nothing was imported",
        ),
        (
            ("table", str(path), "--study", cast.study.slug, "--column", "model=nope"),
            "line 1 has nothing in a column 'nope', which was named for model. Nothing was imported",
        ),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("import_runs", *arguments)


def test_a_second_run_of_one_name_in_another_folder_is_told(cast: Cast, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        writing.browser_use(tmp_path / folder / "buy-tea.json")
    told = command(tmp_path, cast, "--model", "m", "--condition", "clean")
    assert (told["taken"], told["same"]) == (1, 0)
    assert "is there already with other values (a/buy-tea)" in told["rejected"][0]["reason"]


@pytest.mark.parametrize("what", ["model", "harness"])
def test_a_name_that_nobody_sees_is_refused(cast: Cast, tmp_path: Path, what: str) -> None:
    path = writing.lines(tmp_path / "a.jsonl", row(cast))
    for said, why in ((" ", "is blank"), ("a\u200eb", r"holds U\+200E LEFT-TO-RIGHT MARK")):
        with pytest.raises(CommandError, match=f"The name of the {what} {why}"):
            command(path, cast, f"--{what}", said)
    assert Run.objects.count() == 0


def test_a_run_is_taken_without_what_its_files_leave_open_and_that_is_told_each_time(
    cast: Cast, tmp_path: Path
) -> None:
    writing.osworld(tmp_path / "m" / "os" / "buy-tea", steps=())
    told = [command(tmp_path, cast, "--condition", "clean") for _ in range(2)]
    assert [(one["taken"], one["same"]) for one in told] == [(1, 0), (0, 1)]
    without = {"place": "m/os/buy-tea", "reason": "only its steps: it lists none; the run is taken."}
    assert [one["rejected"] for one in told] == [[without]] * 2
    run = Run.objects.get()
    assert (run.passed, run.steps, run.detail) == (True, None, {})


def test_an_id_of_one_run_is_no_other_runs(cast: Cast, tmp_path: Path) -> None:
    clean, other = row(cast), row(cast, condition="intervention", passed=False, score=0)
    unnamed = row(cast, run_id=None, harness="h")
    rows = (clean, other, row(cast, model="n"), unnamed, unnamed | {"condition": "intervention"})
    path = writing.lines(tmp_path / "a.jsonl", *rows)
    told = command(path, cast)
    reason = (
        "the id 'r1' is that of another run of m (no harness) already, on task 'buy-tea', clean. "
        "Give each run an id of its own, or none."
    )
    assert (told["taken"], told["rejected"]) == (4, [{"place": "a.jsonl, line 2", "reason": reason}])
    again = command(writing.lines(tmp_path / "b.jsonl", other, clean), cast)
    assert (again["taken"], again["same"]) == (0, 1)
    assert again["rejected"] == [{"place": "b.jsonl, line 1", "reason": reason}]
    assert command(writing.lines(tmp_path / "c.jsonl", other | {"run_id": "r2"}), cast)["taken"] == 1
