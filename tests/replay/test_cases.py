"""Every ready case of the recorder, replayed: each step is played as it was recorded, and the page ends as it did then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recorder.harness.drive import read_drive
from tests.replay.conftest import faults

CASES = Path(__file__).parents[1] / "cases" / "recorder"
pytestmark = pytest.mark.e2e
SECRETS = {"password-shown": {"#p": "hunter2xyzzy"}}


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_case(case: str, lab: Callable[[Path], Any]) -> None:
    drive = read_drive(CASES / case / "drive.json")
    checks = [action for action in drive if action["do"] == "expect"]
    with lab(CASES / case) as there:
        trace = there.record(drive)
        replay, state = there.replay(trace, [check["js"] for check in checks[-1:]], secrets=SECRETS.get(case, {}))
    assert faults(replay) == []
    assert replay.played
    assert state == [check["equals"] for check in checks[-1:]]
