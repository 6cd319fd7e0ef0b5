"""A few rounds of the endurance run: the whole one is `python -m tests.endurance`, and its result is in docs/measurements.md."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.parametrize(("kinds", "rounds"), [("network,tab", 3), ("database", 3)])
def test_what_dies_loses_nothing(kinds: str, rounds: int) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.endurance",
        "--rounds",
        str(rounds),
        "--lanes",
        str(rounds),
        "--kinds",
        kinds,
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert sum(counts["rounds"] for counts in found["kinds"].values()) == rounds
    assert sum(counts["inputs"] for counts in found["kinds"].values()) > 30
