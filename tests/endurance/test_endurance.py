"""A handful of endurance rounds, each kind by itself; the long run is `python -m tests.endurance --rounds 200 --seed 1`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

OURS = ("DATABASE_URL", "FOOTPATH_LAPTOP", "FOOTPATH_DATA")


@pytest.mark.slow
@pytest.mark.e2e
def test_nothing_is_lost_and_nothing_is_stored_twice() -> None:
    command = [sys.executable, "-m", "tests.endurance", "--rounds", "8", "--lanes", "4", "--seed", "3", "--json"]
    env = {name: value for name, value in os.environ.items() if name not in OURS}
    result = subprocess.run(
        command, cwd=Path(__file__).parents[2], env=env, capture_output=True, text=True, timeout=240, check=False
    )
    assert result.stdout, result.stderr
    told = json.loads(result.stdout)
    assert told["faults"] == []
    assert sum(counts["inputs"] for counts in told["kinds"].values()) > 50
