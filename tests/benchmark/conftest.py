from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.benchmark.running import RunningServer

settings.register_profile("calm", deadline=None, max_examples=60)  # a busy machine is no failure
settings.load_profile("calm")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path_factory.mktemp("sessions"))
    yield running
    running.stop()
