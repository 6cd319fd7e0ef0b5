"""A bundle is proven piece by piece: as much memory however large it is, and nothing slips through between the pieces."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks_admin.exports.files import pretty, sealed
from tasks_admin.exports.tables import arrow_schema
from tasks_admin.exports.verify import NoBundle, parts, reading, verify
from tasks_admin.exports.verify.parts import is_text_of, runs_of
from tasks_admin.exports.verify.reading import frames_of
from tests.tasks_admin.test_bundle import bundle, done, reseal

__all__ = ["bundle", "done"]
EVENT = {"doc": "a", "n": 0, "t": 1.5, "tab": 1, "frame": "", "type": "click", "origin": "user"}


def frame(names: str) -> pl.DataFrame:
    """A row per letter, numbered."""
    return pl.DataFrame({"attempt_id": list(names), "index": range(len(names))})


def test_a_part_is_read_by_little_of_a_group_of_rows(tmp_path: Path) -> None:
    count, text = 40_000, "x" * 1_000
    rows = {field.name: [0] * count for field in arrow_schema("events") if field.type == pa.int64()}
    rows |= {name: ["P1"] * count for name in ("attempt_id", "doc", "frame", "type", "origin")}
    whole = [f'{{"n":{n},"text":"{text}"}}' for n in range(count)]
    table = pa.table(rows | {"t": [0.0] * count, "event": whole}, schema=arrow_schema("events"))
    path = tmp_path / "part.parquet"
    pq.write_table(table, path, row_group_size=count, use_dictionary=False, compression="none")
    assert path.stat().st_size > 40_000_000
    del table
    before, most, read = pa.total_allocated_bytes(), 0, 0
    for piece in frames_of(path):
        read += piece.height
        most = max(most, pa.total_allocated_bytes() - before)
    assert read == count
    assert most < 20_000_000


def test_an_attempts_rows_are_joined_whatever_piece_they_were_in() -> None:
    pieces: Iterator[pl.DataFrame] = iter([frame("aab"), frame("bb"), frame("bc"), frame(""), frame("ca")])
    found = [(name, rows["index"].to_list()) for name, rows in runs_of(pieces)]
    assert found == [("a", [0, 1]), ("b", [2, 0, 1, 0]), ("c", [1, 0]), ("a", [1])]


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_it_holds_in_pieces_of_any_size(bundle: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(reading, "ROWS_AT_ONCE", rows)
    assert verify(bundle) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (json.dumps(EVENT, separators=(",", ":")), True),
        (json.dumps(EVENT), True),  # spaces
        (json.dumps(EVENT | {"t": 1.50001}), False),
        (json.dumps({name: EVENT[name] for name in reversed(EVENT)}), True),
        (json.dumps(EVENT | {"key": "a"}), False),
        (json.dumps(EVENT) + ",{}", False),
        (json.dumps(EVENT)[:-1], False),
        ("", False),
    ],
)
def test_a_text_is_of_an_item_if_it_says_the_same(text: str, told: bool) -> None:
    assert is_text_of(text, EVENT) is told


Change = Callable[[list[str]], list[str]]
CHANGES: list[tuple[str, Change]] = [
    ("cut elsewhere", lambda texts: [texts[0][:-1], "}" + texts[1], *texts[2:]]),
    ("no JSON", lambda texts: ["{", *texts[1:]]),
    ("swapped", lambda texts: [*texts[:-2], texts[-1], texts[-2]]),  # of one attempt: two attempts may say the same
]


@pytest.mark.parametrize(("what", "change"), CHANGES)
def test_a_text_that_is_not_its_own_rows_is_found(bundle: Path, what: str, change: Change) -> None:
    name = "events/part-00000.parquet"
    table = pq.read_table(bundle / name)
    place = table.schema.get_field_index("event")
    texts = pa.array(change(table.column("event").to_pylist()), pa.string())
    pq.write_table(table.set_column(place, table.schema.field(place), texts), bundle / name)
    reseal(bundle, name)
    assert any(problem.startswith("events: the rows of") for problem in verify(bundle))


def test_a_trace_that_does_not_fit_is_named_alone(bundle: Path) -> None:
    """The rows of those after it are still compared with the right ones."""
    first, *_ = sorted((bundle / "traces").glob("*.json"))
    trace = json.loads(first.read_text())
    del trace["proof"]
    first.write_text(json.dumps(trace))
    reseal(bundle, f"traces/{first.name}")
    assert verify(bundle) == [f'traces/{first.name}: $: "proof" is a required property']


@pytest.mark.parametrize("name", ["attempts.jsonl", "traces/P2-toyshop-buy-tea-intervention-r1-cold.json"])
def test_what_is_no_json_is_named_although_its_hash_is_right(bundle: Path, name: str) -> None:
    (bundle / name).write_text("{\n")
    reseal(bundle, name)
    assert any(problem.startswith(f"{name}: ") and "no JSON" in problem for problem in verify(bundle))


def test_what_is_no_part_is_named_although_the_manifest_names_it(bundle: Path) -> None:
    (bundle / "events" / "more").write_bytes((bundle / "events" / "part-00000.parquet").read_bytes())
    (bundle / "steps" / "part-00001.parquet").write_text("no Parquet at all")
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["files"] |= {"events/more": "", "steps/part-00001.parquet": ""}
    (bundle / "manifest.json").write_text(pretty(sealed(manifest)))
    for name in ("events/more", "steps/part-00001.parquet"):
        reseal(bundle, name)
    first, second = verify(bundle)
    assert first == "events/more: a part of events ends in .parquet"
    assert second.startswith("steps/part-00001.parquet: it is no Parquet file")


@pytest.mark.parametrize("change", [lambda whole: whole + b"\n", lambda whole: whole[:-1], lambda whole: whole * 2])
def test_the_manifests_text_is_compared_to_its_end(bundle: Path, change: Callable[[bytes], bytes]) -> None:
    path = bundle / "manifest.json"
    path.write_bytes(change(path.read_bytes()))
    try:
        problems: list[Any] = verify(bundle)
    except NoBundle as refusal:
        problems = [refusal.message]
    assert any("manifest.json" in problem for problem in problems)


def test_proving_brings_no_pandas(bundle: Path) -> None:
    """It would be a tenth of the memory."""
    code = "\n".join(
        [
            "import sys, django; django.setup()",
            "from pathlib import Path; from tasks_admin.exports.verify import verify",
            "print(verify(Path(sys.argv[1])), 'pandas' in sys.modules)",
        ]
    )
    run = subprocess.run([sys.executable, "-c", code, str(bundle)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] False"


def test_the_columns_are_all_that_a_row_says() -> None:
    """But for the attempt's name, the place and the whole item, which are compared apart."""
    step = {"type": "click", "t": 1.0, "raw": [0, 1]}
    for table, whole, told in (
        ("events", "event", parts.of_events([EVENT])),
        ("steps", "step", parts.of_steps([step])),
    ):
        assert {"attempt_id", "index", whole, *told} == set(arrow_schema(table).names)
