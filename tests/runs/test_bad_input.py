"""What files should not hold: each named by place, refused or rejected, nothing half imported, and memory that stays flat."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError

from tasks_admin.models import Run, RunImport
from tasks_admin.runs import files
from tasks_admin.runs.registry import FORMATS
from tasks_admin.runs.shape import KEPT, Given, Rejected, RunIn
from tests.cast import Cast
from tests.runs import writing
from tests.runs.test_take_in import command, row

MB = 1024**2


def test_a_large_file_of_mostly_bad_rows_is_read_in_little_memory(cast: Cast, tmp_path: Path) -> None:
    good, bad = json.dumps(row(cast)), json.dumps(row(cast, task="no-such", run_id="x" * 300))
    path = tmp_path / "large.jsonl"
    with path.open("w") as lines:
        for _ in range(50_000):
            lines.write(bad + "\n")
        lines.write(good + "\n")
    assert path.stat().st_size > 20 * MB
    tracemalloc.start()
    told = command(path, cast)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (told["taken"], told["rejected_count"], len(told["rejected"])) == (1, 50_000, KEPT)
    assert len(RunImport.objects.get().reasons) == KEPT
    assert peak < 8 * MB


def test_what_no_database_keeps_is_rejected_by_field(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(
        tmp_path / "a.jsonl",
        row(cast),
        row(cast, model="a\x00b"),
        json.dumps(row(cast)).replace('"m"', '"\\ud83d"'),
        row(cast, model="n", steps=10**400),
        row(cast, model="n", elapsed_ms=1e300),
        row(cast, model="n", elapsed_ms="1_000"),
        "[" * 100_000,
        '{"task": "buy-tea", "score": 1',
    )
    told = command(path, cast)
    assert told["taken"] == 1
    reasons = {one["place"].rsplit(" ", 1)[1]: one["reason"] for one in told["rejected"]}
    assert list(reasons) == ["2", "3", "4", "5", "6", "7", "8"]
    for place, said in (
        ("2", "model is longer than 400 characters or holds what no database keeps"),
        ("3", "model is longer than 400 characters or holds what no database keeps"),
        ("4", "steps is"),
        ("5", "elapsed_ms is 1e+300, over 1e+11"),
        ("6", "elapsed_ms is '1_000', not a number"),
        ("7", "it is not whole JSON"),
        ("8", "it is not whole JSON"),
    ):
        assert said in reasons[place], reasons[place]


@pytest.mark.parametrize("first", ["[1]", "[]", '[{"task": "buy-tea"}]'])
def test_a_list_on_the_first_line_is_a_faulty_line_and_no_faulty_file(cast: Cast, tmp_path: Path, first: str) -> None:
    path = writing.lines(tmp_path / "a.jsonl", "", first, row(cast))
    told = command(path, cast)
    assert (told["taken"], told["rejected"]) == (
        1,
        [{"place": "a.jsonl, line 2", "reason": "it is no JSON object"}],
    )


def test_a_list_over_one_line_or_many_is_one_document(cast: Cast, tmp_path: Path) -> None:
    for number, indent in enumerate((None, 1)):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps([row(cast, model=f"m{number}"), 7], indent=indent) + "\n\n")
        told = command(path, cast, format_="table")
        assert (told["taken"], told["rejected"][0]["place"]) == (1, f"{number}.json, item 2")


def test_names_that_only_look_alike_are_rejected_with_what_nobody_sees(cast: Cast, tmp_path: Path) -> None:
    odd = {"m\u200b": "U+200B ZERO WIDTH SPACE", "\u200fm": "U+200F RIGHT-TO-LEFT MARK", "m\tn": "U+0009 a control character",
           "m\u00a0n": "U+00A0 NO-BREAK SPACE", "m\u3164": "U+3164 HANGUL FILLER"}  # fmt: skip
    seen = ["m", "m n", "模型", "مدل", "é"]
    rows = [row(cast, model=name) for name in (*seen, *odd)]
    told = command(writing.lines(tmp_path / "a.jsonl", *rows, row(cast, model="n", harness="h\u2060i")), cast)
    assert told["taken"] == len(seen)
    for one, said in zip(told["rejected"], odd.values(), strict=False):
        assert one["reason"].startswith(f"model holds {said}, which nobody sees")
    assert told["rejected"][-1]["reason"].startswith("harness holds U+2060 WORD JOINER, ")


def test_a_fault_of_another_kind_in_a_trajectory_is_kept_as_text(cast: Cast, tmp_path: Path) -> None:
    steps = [{"action": {"click": {"index": 3, "success": True}}, "thought": "a\x00\ud83d", "elapsed": 1.0}, "odd", 7]
    found = {"model": "m", "task_id": "buy-tea", "variant": "base", "score": 0, "success": False, "steps": steps}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(found))
    command(path, cast, "--elapsed", "duration")
    shown = Run.objects.get().trajectory.steps
    assert shown == [
        {"action": "click(index=3)", "thought": "a\ufffd\ufffd"},
        {"action": "odd"},
        {"action": "7"},
    ]


def test_a_json_document_that_is_too_large_for_one_is_told(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_JSON_MB", 0)
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([row(cast)]))
    with pytest.raises(CommandError, match="too large for one JSON document; give JSON lines"):
        command(path, cast, format_="table")


def test_nothing_is_half_imported_where_a_later_row_asks_something(cast: Cast, tmp_path: Path) -> None:
    unnamed = row(cast)
    del unnamed["model"]
    path = writing.lines(tmp_path / "a.jsonl", row(cast), row(cast, model="n"), unnamed)
    with pytest.raises(
        CommandError, match=r"line 3 does not tell the model\. Nothing was imported\. Say it \(--model NAME\)"
    ):
        command(path, cast)
    assert (Run.objects.count(), RunImport.objects.count()) == (0, 0)


def test_all_that_must_be_said_is_asked_at_once(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", {"task": "buy-tea", "passed": True, "steps": 3})
    with pytest.raises(
        CommandError,
        match=r"the model and the condition and the unit of steps\. Nothing was imported\. Say it \(--model NAME; ",
    ):
        command(path, cast)


def test_a_formula_in_a_name_is_kept_as_text(cast: Cast, tmp_path: Path) -> None:
    """It is refused where a number belongs (tests/runs/formats/test_table.py); files for spreadsheets put an apostrophe before it."""
    command(writing.lines(tmp_path / "a.jsonl", row(cast, model="=HYPERLINK(1)")), cast)
    assert Run.objects.get().model == "=HYPERLINK(1)"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"steps": 7}, "steps is no list"),
        ({"summary_info": [1]}, "summary_info is no JSON object"),
        ({"agent": "a\x00b"}, "agent is longer than 400 characters or holds what no database keeps"),
    ],
)
def test_a_trajectory_of_another_form_is_rejected_and_the_others_are_taken(
    cast: Cast, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    whole = {"benchmark": "shop", "agent": "m", "steps": [{"action": "x"}], "summary_info": {"cum_reward": 1}}
    writing.document(tmp_path / "buy-tea.json", whole)
    writing.document(tmp_path / "odd.json", whole | changed)
    told = command(tmp_path, cast, "--condition", "clean")
    assert told["taken"] == 1
    ((place, reason),) = [(one["place"], one["reason"]) for one in told["rejected"]]
    assert (place, said in reason) == ("odd.json", True), reason


@pytest.mark.parametrize("turn", [None, {"model_output": "x"}, {"result": 7}, {"state": [1]}, {"metadata": "x"}])
def test_a_history_with_a_turn_of_another_form_is_rejected_and_the_others_are_taken(
    cast: Cast, tmp_path: Path, turn: dict[str, Any] | None
) -> None:
    whole = json.loads(writing.browser_use(tmp_path / "buy-tea.json").read_text())
    writing.document(tmp_path / "odd.json", {"history": [*whole["history"], turn]})
    told = command(tmp_path, cast, "--condition", "clean", "--model", "m")
    assert (told["taken"], [one["place"] for one in told["rejected"]]) == (1, ["odd.json"])


def two_ages(folder: Path) -> None:
    steps = [{"action": "click('a1')", "elapsed": elapsed} for elapsed in (1e8, 0.9e8)]
    writing.document(folder / "a.json", {"task_id": "buy-tea", "variant": "base", "success": True, "steps": steps})


def endless(folder: Path) -> None:
    found = json.loads(writing.browser_use(folder / "buy-tea.json").read_text())
    found["history"][0]["metadata"] = {"step_start_time": 0, "step_end_time": 1e306}
    writing.document(folder / "buy-tea.json", found)


def eight_thousand_years_of_osworld(folder: Path) -> None:
    example = writing.osworld(folder / "m" / "os" / "buy-tea", steps=())
    stamps = ("00010101@000000", "99991231@000000")
    writing.lines(example / "traj.jsonl", *({"step_num": 1, "action_timestamp": one, "action": "x"} for one in stamps))


def eight_thousand_years_of_webarena(folder: Path) -> None:
    begun, ended = (
        "0001-01-01 00:00:00,0 - [Config file]: buy-tea.json",
        "9999-12-31 00:00:00,0 - [Result] (PASS) buy-tea.json",
    )
    writing.lines(folder / "a.log", begun, ended)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (endless, "elapsed_ms is inf, not a finite number"),
        (two_ages, r"elapsed_ms is 1\.9e\+11, over 1e\+11"),
        (eight_thousand_years_of_osworld, r"elapsed_ms is .*, over 1e\+11"),
        (eight_thousand_years_of_webarena, r"elapsed_ms is .*, over 1e\+11"),
    ],
)
def test_times_that_come_to_more_than_a_run_takes_are_rejected(
    cast: Cast, tmp_path: Path, write: Callable[[Path], None], said: str
) -> None:
    """Each of them may be taken; their sum or difference may not."""
    write(tmp_path)
    with pytest.raises(CommandError, match=said):
        command(tmp_path, cast, "--condition", "clean", "--model", "m")
    assert not Run.objects.exists()


def test_a_name_that_is_too_long_is_rejected_wherever_it_comes_from(cast: Cast, tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", row(cast), row(cast, model="x" * 201), row(cast, harness="x" * 201))
    assert [one["reason"] for one in command(path, cast)["rejected"]] == [
        f"{name} is longer than 200 characters or holds what no database keeps." for name in ("model", "harness")
    ]
    with pytest.raises(CommandError, match="model is longer than 200 characters"):
        command(path, cast, "--model", "x" * 201)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("cut.json", '[{"task": "a", "passed": true}, {"task":', "cut.json: it is not whole JSON"),
        ("pipes.csv", "task|passed\na;true\n", "pipes.csv begins with the columns 'task|passed'"),
        ("other.json", '{\n"a": 1,\n"b": 2}', "other.json begins with the columns 'a', 'b'"),
        ("blank.jsonl", "\n\n", "blank.jsonl: there is nothing in it"),
        ("a.pdf", "%PDF", "There is no file in it that ends in .csv, .jsonl"),
        ("half.zip", "PK\x03\x04", "half.zip is no whole archive"),
    ],
)
def test_a_file_that_no_format_knows_is_told_by_what_is_in_it(
    cast: Cast, tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(CommandError) as refused:
        command(tmp_path / name, cast)
    assert said in str(refused.value)
    assert str(tmp_path) not in str(refused.value)


def test_an_archive_that_holds_only_an_archive_says_so(cast: Cast, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "out.zip", "w") as packed:
        packed.writestr("in.zip", "PK")
    with pytest.raises(CommandError, match=r"in\.zip: an archive inside an archive stays closed; unpack it first"):
        command(tmp_path / "out.zip", cast)


def test_a_csv_that_names_a_column_twice_is_refused(cast: Cast, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,model,condition,passed,passed\nbuy-tea,m,clean,true,false\n")
    with pytest.raises(CommandError, match="its header names 'passed' more than once"):
        command(tmp_path / "a.csv", cast)
    assert not Run.objects.exists()


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_blank_lines_without_an_end_are_not_read_to_it(
    cast: Cast, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_BLANK", 50)
    (tmp_path / name).write_text("task,passed,condition\n" * name.endswith("csv") + "\n" * 60 + '"')
    with pytest.raises(CommandError, match="blank lines in a row; the rest of the file was not read"):
        command(tmp_path / name, cast)


HEAD = "task,model,condition,passed\n"
GOOD = "buy-tea,last,clean,true\n"


@pytest.mark.parametrize(
    ("faulty", "said"),
    [
        (b"buy-tea,caf\xe9,clean,true\n", "it holds a byte that is not UTF-8"),
        (b'buy-tea,"m\nn\xe9",clean,true\n', "it holds a byte that is not UTF-8"),
        (b'buy-tea,"m"x,clean,true\n', "it is no row of a CSV"),
        (b"buy-tea,m,clean\n", "more or fewer cells"),
        (b"buy-tea," + b"m" * 200_000 + b",clean,true\n", "model is longer than 400 characters"),
    ],
)
def test_a_faulty_row_of_a_csv_is_rejected_by_its_line_and_the_next_are_read(
    cast: Cast, tmp_path: Path, faulty: bytes, said: str
) -> None:
    (tmp_path / "a.csv").write_bytes(HEAD.encode() + b"buy-tea,first,clean,true\n" + faulty + GOOD.encode())
    told = command(tmp_path / "a.csv", cast)
    assert told["models"] == {"first": 1, "last": 1}
    ((place, reason),) = [(one["place"], one["reason"]) for one in told["rejected"]]
    assert (place, said in reason) == ("a.csv, line 3", True), reason


@pytest.mark.parametrize("faulty", ['buy-tea,"m,clean,true\n', 'buy-tea,"m,clean,true\n"x,m,clean,true\n'])
def test_nothing_is_imported_of_a_csv_whose_rows_cannot_be_told_apart(cast: Cast, tmp_path: Path, faulty: str) -> None:
    (tmp_path / "a.csv").write_text(HEAD + "buy-tea,first,clean,true\n" + faulty + GOOD)
    with pytest.raises(
        CommandError, match=r"a\.csv, line 3: where this row ends cannot be told .* Nothing was imported"
    ):
        command(tmp_path / "a.csv", cast)
    assert not Run.objects.exists()


def test_a_csv_without_line_breaks_is_not_read_into_memory(cast: Cast, tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("w") as file:
        file.write(HEAD + GOOD)
        for _ in range(64):
            file.write("x" * MB)
    tracemalloc.start()
    with pytest.raises(
        CommandError, match=r"line 3: where this row ends cannot be told \(its row is longer than 16 MB\)"
    ):
        command(tmp_path / "a.csv", cast)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 * MB


def test_a_line_that_is_too_long_is_rejected_and_the_next_are_read(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    path = writing.lines(tmp_path / "a.jsonl", row(cast), row(cast, note="x" * 5000), row(cast, model="last"))
    told = command(path, cast)
    assert told["models"] == {"m": 1, "last": 1}
    assert [one["place"] for one in told["rejected"]] == ["a.jsonl, line 2"]


def test_a_csv_in_another_encoding_is_named(cast: Cast, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes((HEAD + GOOD).encode("utf-16"))
    with pytest.raises(CommandError, match="a.csv: its header cannot be read: it holds a byte that is not UTF-8"):
        command(tmp_path / "a.csv", cast)


def test_a_signature_looks_at_the_first_rows_alone(tmp_path: Path) -> None:
    few, many = "x\n" * (files.LOOKED - 1), "x\n" * files.LOOKED
    (tmp_path / "a.jsonl").write_text(few + '{"task": 1}\n')
    (tmp_path / "b.jsonl").write_text(many + '{"task": 1}\n')
    assert files.first_row(tmp_path / "a.jsonl") == {"task": 1}
    assert files.first_row(tmp_path / "b.jsonl") == {}


@pytest.mark.parametrize("between", [";", "\t"])
def test_a_csv_between_semicolons_or_tabs_is_known_by_its_header(cast: Cast, tmp_path: Path, between: str) -> None:
    rows = [["task", "model", "condition", "passed", "a,b"], ["buy-tea", "m, the large", "clean", "true", "1,5"]]
    (tmp_path / "a.csv").write_text("\ufeff" + "".join(between.join(row) + "\n" for row in rows))
    assert command(tmp_path / "a.csv", cast)["taken"] == 1
    assert Run.objects.get().model == "m, the large"


def test_semicolons_within_a_cell_of_a_header_divide_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('task,"a;b;c;d",passed\nt,1,2\n')
    assert files.first_row(tmp_path / "a.csv") == {"task": "t", "a;b;c;d": "1", "passed": "2"}


def test_a_row_that_says_a_name_twice_is_rejected_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"task": "a", "passed": true}\n{"task": "b", "passed": true, "passed": false}\n')
    run, rejected = FORMATS["table"].read(path, Given())
    assert isinstance(run, RunIn)
    assert isinstance(rejected, Rejected)
    assert (rejected.place, "'passed' stands in it twice" in rejected.reason) == ("a.jsonl, line 2", True)
