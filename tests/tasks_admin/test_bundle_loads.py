"""A bundle loads in one line in pandas, polars, DuckDB and Hugging Face `datasets`, and mlcroissant reads its metadata; no network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import mlcroissant as mlc
import pandas as pd
import polars as pl
import pytest
from datasets import load_dataset
from django.conf import settings
from django.db import connection

from annotate.actions import rounds
from annotate.models import Round
from tasks_admin.exports.bundle import export
from tasks_admin.exports.files import pretty, sha256
from tasks_admin.exports.tables import SPLIT, TABLES, Column
from tests.annotate.test_rounds import complete
from tests.cast import Cast

BROUGHT = """
import sys, django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from pathlib import Path
from annotate.models import Study
from tasks_admin.exports.bundle import export
export(Study.objects.get(slug="tea"), Path(sys.argv[2]))
print(*sorted({"pandas", "mlcroissant"} & set(sys.modules)))
"""
MLC_KINDS = {
    "text": mlc.DataType.TEXT,
    **dict.fromkeys(("integer", "count"), mlc.DataType.INTEGER),
    **dict.fromkeys(("number", "share"), mlc.DataType.FLOAT),
    "flag": mlc.DataType.BOOL,
}


@pytest.fixture
def bundle(cast: Cast, tmp_path: Path) -> Path:
    round_: Round = complete(cast, cast.bob)
    rounds.rate(round_, {"clarity": 5}, "")
    return export(cast.study, tmp_path / "bundle").folder


def test_it_loads_everywhere(bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert len(pd.read_parquet(bundle / "attempts.parquet")) == 2
    assert pl.read_parquet(bundle / "steps" / "*.parquet").height == 4
    counted = duckdb.sql(f"SELECT count(*) FROM '{bundle}/events/*.parquet'").fetchall()
    assert counted == [(4,)]
    for table in ("attempts", "ratings", "events"):
        found = load_dataset(str(bundle), table, split="train", cache_dir=str(tmp_path / "cache"))
        assert found.column_names == [column.name for column in TABLES[table]]


def test_the_card_of_an_empty_study_names_no_parts_that_are_not_there(cast: Cast, tmp_path: Path) -> None:
    text = (export(cast.study, tmp_path / "empty").folder / "README.md").read_text()
    assert '"attempts.parquet"' in text
    assert "steps/*.parquet" not in text
    assert "load_dataset" not in text


def test_croissant_metadata_is_valid_and_gives_the_rows(bundle: Path) -> None:
    dataset = mlc.Dataset(jsonld=str(bundle / "croissant.json"))
    assert dataset.metadata.issues.errors == set()
    rows = list(dataset.records(record_set="attempts"))
    assert [row["attempts/attempt"] for row in rows] == [b"cold", b"warm"]
    assert {record.id for record in dataset.metadata.record_sets} == set(TABLES)


def test_croissant_metadata_is_to_the_byte_what_mlcroissant_writes(bundle: Path, cast: Cast) -> None:
    metadata = mlc.Metadata(
        name=cast.study.slug,
        description=f"{cast.study.name}: how people did web tasks, recorded with Footpath. The card (README.md) tells the columns.",
        version="1.0.0",
        distribution=[distribution(bundle, table) for table in TABLES],
        record_sets=[
            mlc.RecordSet(id=table, name=table, fields=[field(table, column) for column in TABLES[table]])
            for table in TABLES
        ],
    )
    assert (bundle / "croissant.json").read_text() == pretty(json.loads(json.dumps(metadata.to_json(), default=str)))


def distribution(bundle: Path, table: str) -> Any:
    kind = ["application/x-parquet"]
    if table in SPLIT:
        name = f"{table}-files"
        return mlc.FileSet(id=name, name=name, encoding_formats=kind, includes=[f"{table}/*.parquet"])
    name = f"{table}.parquet"
    return mlc.FileObject(id=name, name=name, content_url=name, encoding_formats=kind, sha256=sha256(bundle / name))


def field(table: str, column: Column) -> Any:
    of_file = {"file_set": f"{table}-files"} if table in SPLIT else {"file_object": f"{table}.parquet"}
    return mlc.Field(
        id=f"{table}/{column.name}",
        name=f"{table}/{column.name}",
        description=column.meaning,
        data_types=[MLC_KINDS.get(column.kind, mlc.DataType.TEXT)],
        source=mlc.Source(**of_file, extract=mlc.Extract(column=column.name)),
    )


@pytest.mark.django_db(transaction=True)
def test_an_export_brings_no_library_that_only_readers_need(cast: Cast, tmp_path: Path) -> None:
    """They would be a fifth of its memory."""
    complete(cast, cast.bob)
    ours = {"DJANGO_SETTINGS_MODULE": "annotate.config.settings"}
    command = [sys.executable, "-c", BROUGHT, str(connection.settings_dict["NAME"]), str(tmp_path / "b")]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=os.environ | ours, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr
