"""The binding statistics vectors: every value in them, to 1e-9."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

VECTORS = Path(__file__).parents[1] / "vectors" / "statistics"


def misses(right: Any, told: Any, at: str = "") -> list[str]:
    """Where `told` lacks or contradicts a value of `right`."""
    if isinstance(right, dict):
        if not isinstance(told, dict):
            return [f"{at}: no object"]
        return [miss for key, value in right.items() for miss in misses(value, told.get(key), f"{at}/{key}")]
    if isinstance(right, list):
        if not isinstance(told, list) or len(told) != len(right):
            return [f"{at}: {told} is not {right}"]
        return [miss for place, value in enumerate(right) for miss in misses(value, told[place], f"{at}/{place}")]
    if isinstance(right, float) and isinstance(told, int | float) and not isinstance(told, bool):
        return [] if abs(right - told) <= 1e-9 * max(1.0, abs(right)) else [f"{at}: {told} is not {right}"]
    return [] if right == told else [f"{at}: {told} is not {right}"]


@pytest.mark.parametrize("name", sorted(path.name for path in VECTORS.iterdir() if path.is_dir()))
def test_vector(name: str) -> None:
    folder, out = VECTORS / name, StringIO()
    files = {table: folder / f"{table}.jsonl" for table in ("attempts", "tasks", "runs")}
    call_command("compute_metrics", **files, json=True, stdout=out)
    assert misses(json.loads((folder / "expected.json").read_text()), json.loads(out.getvalue())) == []
