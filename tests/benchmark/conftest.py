from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.benchmark.running import RunningServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path_factory.mktemp("sessions"))
    yield running
    running.stop()
