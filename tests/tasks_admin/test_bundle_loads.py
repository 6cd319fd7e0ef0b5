"""A bundle loads in one line in pandas, polars, DuckDB and Hugging Face `datasets`, and mlcroissant reads its metadata; no network."""

from __future__ import annotations

from pathlib import Path

import duckdb
import mlcroissant as mlc
import pandas as pd
import polars as pl
import pytest
from datasets import load_dataset

from annotate.actions import rounds
from annotate.models import Round
from tasks_admin.exports.bundle import export
from tasks_admin.exports.tables import TABLES
from tests.annotate.test_rounds import complete
from tests.cast import Cast


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


def test_croissant_metadata_is_valid_and_gives_the_rows(bundle: Path) -> None:
    dataset = mlc.Dataset(jsonld=str(bundle / "croissant.json"))
    assert dataset.metadata.issues.errors == set()
    rows = list(dataset.records(record_set="attempts"))
    assert [row["attempts/attempt"] for row in rows] == [b"cold", b"warm"]
    assert {record.id for record in dataset.metadata.record_sets} == set(TABLES)
