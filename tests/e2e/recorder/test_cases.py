"""Every ready case, recorded through the gateway and by the harness, must give what its expect.json says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from recorder.harness.desk import Desk
from recorder.harness.drive import read_drive
from recorder.harness.record import WAYS, Take, read_address
from recorder.harness.serve import gateway_port
from tests.e2e.recorder.check_case import misses
from tests.e2e.recorder.site import serve

CASES = Path(__file__).parents[2] / "cases" / "recorder"
pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with gateway_port() as running:
        yield running


@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_case(case: str, via: str, chromium: Browser, desk: Desk, port: int) -> None:
    folder = CASES / case
    with serve(folder) as origin:
        address = read_address(origin + "/page.html")
        trace = Take(chromium, desk, address, read_drive(folder / "drive.json"), folder).by(via, port)
    assert misses(trace, json.loads((folder / "expect.json").read_text())) == []
