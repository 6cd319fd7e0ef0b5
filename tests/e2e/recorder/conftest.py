from __future__ import annotations

from collections.abc import Iterator

import pytest

from recorder.harness.desk import Desk


@pytest.fixture
def desk(transactional_db: None) -> Iterator[Desk]:
    with Desk() as running:
        yield running
