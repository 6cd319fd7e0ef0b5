"""What somebody changed in a bundle, and gave its hash, does not fit the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks_admin.exports.files import pretty, sealed
from tasks_admin.exports.verify import NoBundle, verify
from tasks_admin.exports.verify.files import seal_holds
from tasks_admin.exports.verify.reading import read_manifest
from tests.tasks_admin.test_bundle import bundle, done, reseal

__all__ = ["bundle", "done"]


def forged(bundle: Path, table: str, change: Callable[[pa.Table], pa.Table]) -> list[str]:
    """What is found after a part of a split table was changed."""
    name = f"{table}/part-00000.parquet"
    pq.write_table(change(pq.read_table(bundle / name)), bundle / name)
    reseal(bundle, name)
    return verify(bundle)


def with_other(table: pa.Table, column: str) -> pa.Table:
    """The table with another value in a column of its first row."""
    value = table.column(column)[0].as_py()
    if column == "event":
        value = value.replace('"user"', '"?"').replace('"page"', '"user"').replace('"?"', '"page"')
    else:
        value = value + "x" if isinstance(value, str) else value + 1
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


@pytest.mark.parametrize(
    ("name", "value"),
    [("faulty_tasks", "x"), ("faulty_tasks", [1]), ("captures", 5), ("screenshots", 5), ("policy", [])],
)
def test_a_manifest_that_is_none_is_refused_in_words(bundle: Path, name: str, value: Any) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text()) | {name: value}
    (bundle / "manifest.json").write_text(pretty(sealed(manifest)))
    with pytest.raises(NoBundle, match=f"is no manifest: {name}"):
        verify(bundle)


def test_a_schema_that_says_nothing_is_named(bundle: Path) -> None:
    (bundle / "schema" / "ratings.json").write_text("{}")
    reseal(bundle, "schema/ratings.json")
    assert "schema/ratings.json: it does not say what footpath.bundle/1 says of ratings" in verify(bundle)


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
