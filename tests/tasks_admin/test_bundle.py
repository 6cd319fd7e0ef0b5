"""The bundle: the same data gives the same bytes, it proves itself, a changed byte is named, nothing private is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from annotate.actions import amendments, rounds
from annotate.actions.references import settle
from annotate.counting import LEFT_OUT
from annotate.models import Attempt, Replay, Round
from tasks_admin.comparison.tables import WORDS
from tasks_admin.exports import rows as rows_
from tasks_admin.exports.bundle import export
from tasks_admin.exports.files import pretty, pretty_pieces, sealed, sha256
from tasks_admin.exports.place import CannotExport
from tasks_admin.exports.privacy import Leak
from tasks_admin.exports.rows import STATUSES
from tasks_admin.exports.tables import TABLES
from tasks_admin.exports.verify import CHECKS, NoBundle, verify
from tasks_admin.exports.verify.links import amendments_are_whole
from tasks_admin.release.look import look
from tests.annotate.test_rounds import attempt_of, complete, ready, record
from tests.cast import Cast


@pytest.fixture
def done(cast: Cast) -> Round:
    """Bob's complete round under intervention, rated, and an abandoned one of Ann's."""
    round_ = complete(cast, cast.bob)
    rounds.rate(round_, {"clarity": 5, "naturalness": 4}, "the second button was odd, I think")
    abandoned = ready(cast, cast.ann)
    rounds.start_attempt(abandoned, cast.ann)
    recording = attempt_of(abandoned, "cold").recording
    assert recording is not None
    record(recording, "click")
    rounds.abandon(cast.fresh(abandoned), cast.ann, "my telephone rang all the time")
    cast.work.run()
    return round_


@pytest.fixture
def bundle(done: Round, cast: Cast, tmp_path: Path) -> Path:
    return export(cast.study, tmp_path / "bundle").folder


def everything(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): sha256(path) for path in folder.rglob("*") if path.is_file()}


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def test_it_holds(bundle: Path) -> None:
    assert verify(bundle) == []


def test_exporting_twice_gives_the_same_bytes(bundle: Path, cast: Cast, tmp_path: Path) -> None:
    assert everything(export(cast.study, tmp_path / "again").folder) == everything(bundle)
    assert everything(export(cast.study, bundle).folder) == everything(tmp_path / "again")


def test_what_is_in_it(bundle: Path) -> None:
    attempts = rows(bundle, "attempts")
    assert [(row["annotator"], row["attempt"], row["status"], row["passed"]) for row in attempts] == [
        ("P1", "cold", "abandoned", None),
        ("P2", "cold", "complete", True),
        ("P2", "warm", "complete", True),
    ]
    assert attempts[1]["attempt_id"] == "P2-toyshop-buy-tea-intervention-r1-cold"
    assert (attempts[1]["primitive"], attempts[1]["raw_events"], attempts[1]["steps"]) == ("grounding", 2, 2)
    manifest = json.loads((bundle / "manifest.json").read_text())
    by_status = manifest["attempts_by_status"]
    assert {name: count for name, count in by_status.items() if count} == {"complete": 2, "abandoned": 1}
    assert set(by_status) == {"complete", "rolled_back", "abandoned", "void", "superseded", "withdrawn", *LEFT_OUT}
    assert {row["item"]: row["value"] for row in rows(bundle, "ratings")} == {"clarity": 5, "naturalness": 4}
    trace = json.loads((bundle / "traces" / "P2-toyshop-buy-tea-intervention-r1-cold.json").read_text())
    assert (trace["schema"], trace["condition"], trace["attempt"], trace["seed"]) == (
        "footpath.trace/1",
        "intervention",
        "cold",
        42,
    )
    assert trace["verdict"]["source"] == "server"


def test_a_large_manifest_is_written_in_pieces_that_make_the_whole() -> None:
    manifest = {"files": {f"traces/é{n}.json": "0" * 64 for n in range(9_000)}, "empty": {}, "score": 0.5, "none": None}
    pieces = list(pretty_pieces(manifest))
    assert len(pieces) > 2
    assert "".join(pieces) == pretty(manifest)


def test_it_loads_in_polars(bundle: Path) -> None:
    assert pl.read_parquet(bundle / "attempts.parquet").height == 3
    assert pl.read_parquet(bundle / "events" / "*.parquet").height == 5
    assert pl.read_parquet(bundle / "references.parquet").height == 0


def test_every_column_is_documented(bundle: Path) -> None:
    card = (bundle / "README.md").read_text()
    for table, columns in TABLES.items():
        assert (f"config_name: {table}" in card) == (
            table not in ("references", "replays", "screenshots", "captures", "reviews", "amendments", "comments")
        )  # these have no rows
        schema = json.loads((bundle / "schema" / f"{table}.json").read_text())
        assert [*schema["properties"]] == [column.name for column in columns]


def test_amendments_are_in_it_whole_and_without_who_made_them(done: Round, cast: Cast, tmp_path: Path) -> None:
    amendments.record(cast.study, cast.lead, "option", "grace_seconds", "slow trains", before=90, after=300)
    amendments.record(cast.study, cast.lead, "left", "P2", "moved away")
    folder = export(cast.study, tmp_path / "bundle").folder
    rows = [json.loads(line) for line in (folder / "amendments.jsonl").read_text().splitlines()]
    assert [(row["number"], row["subject"], row["before"], row["after"]) for row in rows] == [
        (1, "grace_seconds", "90", "300"),
        (2, "P2", None, None),
    ]
    assert cast.lead.name not in (folder / "amendments.jsonl").read_text()
    assert verify(folder) == []
    (folder / "amendments.jsonl").write_text(json.dumps(rows[1]) + "\n")
    assert list(amendments_are_whole(folder, {})) == ["amendments.jsonl line 1: number 2 stands where 1 should"]


def test_nothing_private_is_in_it(bundle: Path, cast: Cast) -> None:
    words = [cast.ann.email, cast.bob.name, cast.lead.email, "the second button", "my telephone rang", "127.0.0.1"]
    for path in bundle.rglob("*"):
        if path.is_file():
            text = (
                path.read_bytes() if path.suffix != ".parquet" else json.dumps(pq.read_table(path).to_pylist()).encode()
            )
            assert [word for word in words if word.encode() in text] == [], path


def test_the_canary_refuses_a_bundle_that_would_tell_a_name(done: Round, cast: Cast, tmp_path: Path) -> None:
    attempt = Attempt.objects.get(round=done, kind="warm")
    assert attempt.verdict is not None
    attempt.verdict["checks"][0]["detail"] = f"sent to {cast.bob.email}"
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    with pytest.raises(Leak, match="e-mail address"):
        export(cast.study, tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "Bob Example: thesis", "a person's name (in the study's name)"),
        ("slug", "bob-example", "a person's name (in the study's short name)"),
        (
            "design",
            {"note": ["ask bob.annotator@example.org"]},
            "a person's e-mail address (in the study's design, note)",
        ),
    ],
)
def test_the_canary_looks_at_what_the_study_says_of_itself(
    done: Round, cast: Cast, tmp_path: Path, field: str, value: Any, said: str
) -> None:
    setattr(cast.study, field, value)
    cast.study.save()
    with pytest.raises(Leak) as leak:
        export(cast.study, tmp_path / "bundle")
    assert leak.value.message == f"The bundle would hold {said}. Change it in the study first; nothing was exported."
    assert list(tmp_path.iterdir()) == []
    kind = "an e-mail address" if field == "design" else "a name of somebody in the study"
    assert said.partition("(in ")[2].rstrip(")") in {where for where, _ in look(cast.study).places[kind]}


def change(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def reseal(bundle: Path, name: str) -> None:
    """Give a changed file its hash, as somebody would who wants to get away with it."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["files"][name] = sha256(bundle / name)
    (bundle / "manifest.json").write_text(pretty(sealed(manifest)))


def test_two_attempts_of_one_name_are_no_bundle(
    done: Round, cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a task `b-c` of the website `a` and of a task `c` of `a-b` would be; capitals make no other name."""
    named = iter(["P1-a-B-c-clean-r1-cold", "P1-a-b-c-clean-r1-cold"])
    monkeypatch.setattr(rows_, "attempt_id", lambda attempt: next(named))
    with pytest.raises(CannotExport, match="Two attempts would be called P1-a-b-c-clean-r1-cold"):
        export(cast.study, tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_a_changed_byte_is_named(bundle: Path) -> None:
    for path in sorted(bundle.rglob("*")):
        if path.is_file() and path.name != "manifest.json":
            whole = path.read_bytes()
            if whole:
                change(path)
                assert [problem for problem in verify(bundle) if str(path.relative_to(bundle)) in problem], path
                path.write_bytes(whole)
    assert verify(bundle) == []


def test_missing_and_added_files_are_named(bundle: Path) -> None:
    (bundle / "extra.txt").write_text("hello")
    next((bundle / "traces").glob("*cold.json")).unlink()
    problems = verify(bundle)
    assert any("extra.txt: not in the manifest" in problem for problem in problems)
    assert any("missing" in problem for problem in problems)


Edit = Callable[[dict[str, Any]], Any]
FORGERIES: list[tuple[str, Edit, str]] = [
    ("traces", lambda trace: trace["steps"].pop(), "other steps"),
    ("traces", lambda trace: trace["cleaned"].pop(), "other cleaned events"),
    ("traces", lambda trace: trace["events"].reverse(), "not in order"),
    ("traces", lambda trace: trace.pop("proof"), '$: "proof" is a required property'),
    ("traces", lambda trace: trace.update(task="another"), "its task is 'another'"),
    ("traces", lambda trace: trace["counts"].update(steps=99), "its counts are not those of its lists"),
    ("traces", lambda trace: trace["cleaner"].update(version=99), "its cleaner is not the manifest's"),
]


@pytest.mark.parametrize(("place", "edit", "told"), FORGERIES)
def test_a_forged_trace_is_found_although_its_hash_is_right(bundle: Path, place: str, edit: Edit, told: str) -> None:
    path = sorted((bundle / place).glob("P2*cold.json"))[0]
    trace = json.loads(path.read_text())
    edit(trace)
    path.write_text(json.dumps(trace))
    reseal(bundle, f"{place}/{path.name}")
    assert any(told in problem for problem in verify(bundle))


def test_a_schema_that_is_none_is_named_although_its_hash_is_right(bundle: Path) -> None:
    (bundle / "schema" / "ratings.json").write_text('{"type": "nonsense"}')
    reseal(bundle, "schema/ratings.json")
    assert [problem for problem in verify(bundle) if problem.startswith("schema/ratings.json: it is no JSON Schema")]


def test_a_forged_row_is_found_although_its_hash_is_right(bundle: Path) -> None:
    lines = rows(bundle, "attempts")
    lines[0]["status"] = "complete"
    (bundle / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines))
    reseal(bundle, "attempts.jsonl")
    problems = verify(bundle)
    assert any("rows are not those of attempts.jsonl" in problem for problem in problems)
    assert any("the manifest says" in problem for problem in problems)


def test_a_forged_figure_is_found(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert manifest["figures"]["human_panel"]["intervention"]["warm"]["pass_rate"] == 1.0
    manifest["figures"]["human_panel"]["intervention"]["warm"]["pass_rate"] = 0.9
    (bundle / "manifest.json").write_text(pretty(sealed(manifest)))
    assert verify(bundle) == [
        "manifest.json: figures.human_panel.intervention.warm.pass_rate is 0.9, its tables give 1.0"
    ]


def test_a_bundle_is_what_compute_metrics_reads(bundle: Path, tmp_path: Path) -> None:
    assert set(WORDS["status"]) == set(STATUSES)
    tasks = tmp_path / "tasks.jsonl"
    rows_ = {row["task"]: row | {"in_panel": True} for row in rows(bundle, "task_conditions")}
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows_.values()))
    out = StringIO()
    call_command("compute_metrics", attempts=bundle / "attempts.jsonl", tasks=tasks, json=True, stdout=out)
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert json.loads(out.getvalue())["human_panel"] == manifest["figures"]["human_panel"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "else/1"}', '{"schema": "footpath.bundle/1"}'])
def test_what_is_no_bundle_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(NoBundle):
        verify(tmp_path)
    with pytest.raises(NoBundle, match="no manifest"):
        verify(tmp_path / "nowhere")


def no_bundle(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def browser_extension(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"manifest_version": 3, "files": {"thesis.tex": ""}}')


def forged_list(folder: Path) -> None:
    told = {"schema": "footpath.bundle/1", "files": {"thesis.tex": sha256(folder / "thesis.tex")}, "seal": "none"}
    (folder / "manifest.json").write_text(json.dumps(told))


def beside_the_place(folder: Path) -> None:
    folder.rename(folder.with_name(".b.part"))


def in_the_way_of_the_earlier(folder: Path) -> None:
    folder.rename(folder.with_name(".b.old"))


def instead_of_the_journal(folder: Path) -> None:
    (folder / "thesis.tex").rename(folder.with_name(".b.journal"))


@pytest.mark.parametrize(
    "there",
    [
        lambda folder: None,
        no_bundle,
        browser_extension,
        forged_list,
        beside_the_place,
        in_the_way_of_the_earlier,
        instead_of_the_journal,
    ],
)
def test_an_export_never_overwrites_other_files(cast: Cast, tmp_path: Path, there: Callable[[Path], None]) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.tex").write_text("years of work")
    there(tmp_path / "b")
    before = everything(tmp_path)
    with pytest.raises(CannotExport, match="(thesis.tex|manifest.json), which is not|is no export's"):
        export(cast.study, tmp_path / "b")
    with pytest.raises(CannotExport, match="is no folder"):
        export(cast.study, next(path for path in tmp_path.rglob("*") if path.is_file()))
    assert everything(tmp_path) == before


@pytest.mark.parametrize(("name", "text"), [("notes.txt", "mine"), ("README.md", "# mine"), ("traces/mine.json", "{}")])
def test_what_a_person_added_to_a_bundle_stays(bundle: Path, cast: Cast, name: str, text: str) -> None:
    (bundle / name).write_text(text)
    with pytest.raises(CannotExport, match=f"bundle holds {name}, which is not as an export wrote it"):
        export(cast.study, bundle)
    assert (bundle / name).read_text() == text
    (bundle / name).unlink()
    export(cast.study, bundle)  # what is missing is no loss


def test_the_commands(bundle: Path, tmp_path: Path) -> None:
    out = StringIO()
    call_command("export_study", "tea", str(tmp_path / "two"), json=True, stdout=out)
    assert json.loads(out.getvalue())["attempts"] == 3
    out = StringIO()
    call_command("verify_bundle", str(tmp_path / "two"), json=True, stdout=out)
    assert json.loads(out.getvalue()) == {"ok": True, "checks": len(CHECKS), "problems": []}
    change(tmp_path / "two" / "attempts.jsonl")
    with pytest.raises(CommandError, match="attempts.jsonl"):
        call_command("verify_bundle", str(tmp_path / "two"), stdout=StringIO())
    with pytest.raises(CommandError, match="there are: coffee, tea"):
        call_command("export_study", "milk", str(tmp_path / "three"))


@pytest.fixture
def referred(done: Round, cast: Cast, tmp_path: Path) -> Path:
    """A bundle in which Bob's warm attempt is the reference: both of his were replayed to their verdict."""
    counts = {"done": 2, "healed": 0, "failed": 0, "skipped": 0}
    fields = {"counts": counts, "verdict": {"score": 1.0, "passed": True}, "pace": "fast"}
    Replay.objects.filter(attempt__round=done).update(state="done", outcome="verified", **fields)
    done.flags.all().delete()  # what was said of it is looked at
    settle(done.assignment.task_condition_id)
    return export(cast.study, tmp_path / "bundle").folder


def test_a_reference_is_in_the_bundle_with_its_replay_and_its_reason(referred: Path) -> None:
    assert verify(referred) == []
    (reference,) = rows(referred, "references")
    assert reference["attempt_id"] == "P2-toyshop-buy-tea-intervention-r1-warm"
    assert (reference["policy"], reference["overruled"], reference["runners_up"]) == ("default", False, [])
    assert reference["reason"].startswith("The only one that may be chosen: warm by P2, 2 steps")
    assert [(row["outcome"], row["done"], row["passed"]) for row in rows(referred, "replays")] == [
        ("verified", 2, True)
    ] * 2
    manifest = json.loads((referred / "manifest.json").read_text())
    assert (manifest["policy"]["name"], manifest["policy"]["kinds"]) == ("default", ["warm"])


FORGED: list[tuple[str, Edit, str]] = [
    ("replays", lambda row: row.update(outcome="breaks", broke_at=1), "its newest replay is not verified"),
    ("replays", lambda row: row.update(passed=False), "is called verified, but it did not pass"),
    ("references", lambda row: row.update(attempt_id=row["attempt_id"].replace("warm", "cold")), "not of the kind"),
    ("references", lambda row: row.update(policy="fastest"), "was chosen by fastest"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "edit", "told"), FORGED)
def test_a_reference_that_may_not_be_one_is_found(referred: Path, table: str, edit: Edit, told: str) -> None:
    lines = rows(referred, table)
    edit(lines[-1])
    (referred / f"{table}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines))
    reseal(referred, f"{table}.jsonl")
    assert any(told in problem for problem in verify(referred)), verify(referred)
