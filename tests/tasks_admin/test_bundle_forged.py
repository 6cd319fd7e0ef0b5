"""What somebody changed in a bundle, and gave its hash, does not fit the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from tasks_admin.exports.files import pretty, sealed
from tasks_admin.exports.verify import NoBundle, verify
from tasks_admin.exports.verify.choice import choice_is_kept
from tasks_admin.exports.verify.files import rows_fit_their_schemas, seal_holds
from tasks_admin.exports.verify.manifest import read_manifest
from tasks_admin.exports.verify.numbers import counts_hold, figures_hold
from tasks_admin.exports.verify.traces import traces_clean_to_what_they_say
from tests.tasks_admin.test_bundle import bundle, done, reseal

__all__ = ["bundle", "done"]
Edit = Callable[[dict[str, Any]], Any]


def forged(bundle: Path, table: str, change: Callable[[pa.Table], pa.Table]) -> list[str]:
    """What is found after a part of a split table was changed."""
    name = f"{table}/part-00000.parquet"
    pq.write_table(change(pq.read_table(bundle / name)), bundle / name)
    reseal(bundle, name)
    return verify(bundle)


def with_other(table: pa.Table, column: str) -> pa.Table:
    """The table with another value in a column of its first row."""
    value = table.column(column)[0].as_py()
    if column == "difficulty":
        value = "hard" if value == "easy" else "easy"
    elif column == "event":
        value = value.replace('"user"', '"?"').replace('"page"', '"user"').replace('"?"', '"page"')
    else:
        value = value + "x" if isinstance(value, str) else (value or 0) + 1
    field = table.schema.field(column)
    values = pa.array([value, *table.column(column)[1:].to_pylist()], field.type)
    return table.set_column(table.schema.get_field_index(column), field, values)


@pytest.mark.parametrize(
    ("table", "column"),
    [("events", column) for column in ("doc", "n", "t", "tab", "frame", "type", "origin", "index", "event")]
    + [("steps", column) for column in ("type", "t", "t_end", "index", "raw_first", "raw_last")],
)
def test_a_forged_row_is_found(bundle: Path, table: str, column: str) -> None:
    found = forged(bundle, table, lambda rows: with_other(rows, column))
    assert any(problem.startswith(f"{table}: the rows of") for problem in found)


@pytest.mark.parametrize("column", ["difficulty", "primitive", "wall_ms", "active_ms", "cleaner"])
def test_a_forged_attempt_is_found(bundle: Path, column: str) -> None:
    path = bundle / "attempts.parquet"
    table = with_other(pq.read_table(path), column)
    pq.write_table(table, path)
    lines = (bundle / "attempts.jsonl").read_text().splitlines(keepends=True)
    row = json.loads(lines[0]) | {column: table.column(column)[0].as_py()}
    (bundle / "attempts.jsonl").write_text(json.dumps(row) + "\n" + "".join(lines[1:]))
    reseal(bundle, "attempts.parquet")
    reseal(bundle, "attempts.jsonl")
    found = verify(bundle)
    assert any(problem.startswith(f"attempts: {row['attempt_id']} says") for problem in found), found


def test_a_row_too_many_and_a_column_too_many_are_found(bundle: Path) -> None:
    twice = forged(bundle, "events", lambda table: pa.concat_tables([table, table.slice(len(table) - 1)]))
    assert any("the rows of" in problem or "stand where none should" in problem for problem in twice)
    more = forged(
        bundle, "events", lambda table: table.append_column("email", pa.array(["a@example.org"] * len(table)))
    )
    assert "events/part-00000.parquet: its columns are not those of the schema" in more


def test_a_trace_that_is_gone_is_found_although_the_manifest_does_not_name_it(bundle: Path) -> None:
    path = sorted((bundle / "traces").glob("P2*cold.json"))[0]
    path.unlink()
    manifest = json.loads((bundle / "manifest.json").read_text())
    del manifest["files"][f"traces/{path.name}"]
    (bundle / "manifest.json").write_text(pretty(sealed(manifest)))
    assert any(f"traces/{path.name}: missing, though attempts says" in problem for problem in verify(bundle))


NO_MANIFESTS: list[tuple[str, Any]] = [
    ("faulty_tasks", "x"),
    ("faulty_tasks", [1]),
    ("captures", 5),
    ("screenshots", 5),
    ("policy", []),
    ("policy", {"name": "default", "kinds": ["warm"], "order": ["beauty"]}),
    ("cleaner", {"name": ["human140"], "version": 1}),
    ("choice", {}),
    ("counts", {"attempts": "3"}),
]


def test_a_manifest_that_is_none_is_refused_in_words(bundle: Path) -> None:
    for name, value in NO_MANIFESTS:
        with (
            with_manifest(bundle, lambda manifest, name=name, value=value: manifest.update({name: value})),
            pytest.raises(NoBundle, match=f"is no manifest: {name}"),
        ):
            verify(bundle)


def test_a_manifest_that_would_break_its_reader_is_refused_by_the_command(bundle: Path) -> None:
    path = bundle / "manifest.json"
    whole = path.read_text()
    for value in ("[" * 1_200 + "]" * 1_200, "[" * 300 + "]" * 300, "9" * 5_000):
        path.write_text(whole.replace('"figures": {', f'"figures": {{"more": {value},', 1))
        with pytest.raises(CommandError, match=r"manifest.json is not readable JSON"):
            call_command("verify_bundle", str(bundle))


OF_THE_MANIFEST = (counts_hold, figures_hold, choice_is_kept)
MANIFESTS: list[tuple[Edit, str]] = [
    (lambda told: told["figures"].clear(), "manifest.json: figures.human_panel is missing, its tables give {"),
    (lambda told: told["figures"]["tasks"].clear(), "manifest.json: figures.tasks."),
    (lambda told: told["figures"].update(more=1), "manifest.json: figures.more is 1, its tables give no such figure"),
    (lambda told: told["figures"].update(tasks=10**400), "manifest.json: figures.tasks is 1000000"),
    (lambda told: told["attempts_by_status"].pop("void"), "manifest.json: attempts_by_status.void is missing"),
    (lambda told: told["attempts_by_status"].update(lost=0), "attempts_by_status.lost is of nothing that a bundle has"),
    (lambda told: told["counts"].update(people=0), "manifest.json: counts.people is of nothing that a bundle has"),
    (lambda told: told["choice"].update(people=["P2"]), "attempts.jsonl line 1: the person P1 is not in the manifest"),
    (lambda told: told["choice"].update(people=["P1", "P2", "P9"]), "manifest.json: its choice has the person P9"),
    (
        lambda told: told["choice"].update(conditions=["intervention"]),
        "attempts.jsonl line 1: the condition clean is not in the manifest's choice",
    ),
    (
        lambda told: told["choice"].update(only_complete=True),
        "attempts: P1-toyshop-buy-tea-clean-r1-cold does not count, but the manifest's choice is of what counts only",
    ),
]


def test_a_manifest_that_does_not_fit_its_tables_is_found(bundle: Path) -> None:
    for edit, told in MANIFESTS:
        with with_manifest(bundle, edit) as manifest:
            found = [problem for check in OF_THE_MANIFEST for problem in check(bundle, manifest)]
        assert [problem for problem in found if told in problem], (told, found)
    with with_manifest(bundle, MANIFESTS[-1][0]), pytest.raises(CommandError, match="does not count"):
        call_command("verify_bundle", str(bundle))


@contextmanager
def with_manifest(bundle: Path, edit: Edit) -> Iterator[dict[str, Any]]:
    """Meanwhile the manifest is changed and sealed anew."""
    path = bundle / "manifest.json"
    whole = path.read_text()
    manifest = json.loads(whole)
    edit(manifest)
    path.write_text(pretty(sealed(manifest)))
    yield manifest
    path.write_text(whole)


def test_links_and_empty_folders_are_named(bundle: Path, tmp_path: Path) -> None:
    trace = sorted((bundle / "traces").iterdir())[0]
    trace.rename(tmp_path / "elsewhere.json")
    trace.symlink_to(tmp_path / "elsewhere.json")
    (bundle / "more" / "none").mkdir(parents=True)
    (bundle / "other").symlink_to(bundle / "traces")
    os.mkfifo(bundle / "pipe")
    assert set(verify(bundle)) == {
        f"traces/{trace.name}: a link, where a bundle has plain files only",
        "other: a link, where a bundle has plain files only",
        "pipe: it is no plain file",
        "more/none/: an empty folder, which no export makes",
    }


TRACES: list[tuple[Edit, str]] = [
    *((lambda trace, name=name: trace.pop(name), f'$: "{name}" is a required') for name in ("counts", "cleaner", "verdict")),
    (lambda trace: trace.update(verdict={}), "$.verdict: {} is not valid"),
    (lambda trace: trace["verdict"].update(checks=[1]), "$.verdict: "),
    (lambda trace: trace.pop("task"), '$: "task" is a required property'),
]  # fmt: skip


def test_a_trace_without_what_one_in_a_bundle_has_is_named(bundle: Path) -> None:
    path = sorted((bundle / "traces").glob("P2*cold.json"))[0]
    whole = path.read_text()
    for edit, told in TRACES:
        trace = json.loads(whole)
        edit(trace)
        path.write_text(json.dumps(trace))
        (problem,) = traces_clean_to_what_they_say(bundle, read_manifest(bundle))
        assert problem.startswith(f"traces/{path.name}: {told}")


def test_what_is_nested_without_end_is_named(bundle: Path) -> None:
    names = ("attempts.jsonl", "schema/trace.json", "traces/P2-toyshop-buy-tea-intervention-r1-cold.json")
    checks = (rows_fit_their_schemas, rows_fit_their_schemas, traces_clean_to_what_they_say)
    for name, check in zip(names, checks, strict=True):
        whole = (bundle / name).read_text()
        (bundle / name).write_text("[" * 2_000 + "]" * 2_000 + "\n")
        found = list(check(bundle, read_manifest(bundle)))
        assert any(problem.startswith(f"{name}: ") and "nested too deep" in problem for problem in found)
        (bundle / name).write_text(whole)


@pytest.mark.parametrize(("name", "by"), [("ratings", "footpath.bundle/1"), ("trace", "footpath.trace/1")])
def test_a_schema_that_says_nothing_is_named(bundle: Path, name: str, by: str) -> None:
    (bundle / "schema" / f"{name}.json").write_text("{}")
    reseal(bundle, f"schema/{name}.json")
    assert f"schema/{name}.json: it does not say what {by} says of {name}" in verify(bundle)


def test_ratings_are_of_rounds_that_are_there(bundle: Path) -> None:
    lines = [json.loads(line) for line in (bundle / "ratings.jsonl").read_text().splitlines()]
    lines[0]["round"] = 99
    (bundle / "ratings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    reseal(bundle, "ratings.jsonl")
    assert "ratings.jsonl line 1: no attempt is of that person's round" in verify(bundle)


def test_a_changed_byte_of_the_manifest_is_named(bundle: Path) -> None:
    path = bundle / "manifest.json"
    whole = path.read_bytes()
    for place in range(0, len(whole), 53):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert any("manifest.json" in problem for problem in seal_or_refusal(bundle)), whole[place - 20 : place + 20]


def seal_or_refusal(bundle: Path) -> list[str]:
    try:
        return list(seal_holds(bundle, read_manifest(bundle)))
    except NoBundle as refusal:
        return [refusal.message]
