"""Where pictures are kept is one setting."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import StorageHandler

from annotate.config.files import storage


def test_a_folder_unless_told_otherwise(tmp_path: Path) -> None:
    made = StorageHandler({"default": storage("", tmp_path)})["default"]
    assert made.path("a/b.png") == str(tmp_path / "a" / "b.png")


def test_a_bucket(tmp_path: Path) -> None:
    entry = storage("s3://pictures/lab/2026?endpoint=https://s3.example.org&region=eu-1", tmp_path)
    made = StorageHandler({"default": entry})["default"]
    assert (made.bucket_name, made.location, made.endpoint_url, made.region_name) == (
        "pictures", "lab/2026", "https://s3.example.org", "eu-1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("url", "said"),
    [("/srv/files", "must be s3://BUCKET"), ("s3://", "must be s3://"), ("s3://b?zone=1", "not 'zone'")],
)
def test_what_is_no_place_is_said(url: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        storage(url, tmp_path)
