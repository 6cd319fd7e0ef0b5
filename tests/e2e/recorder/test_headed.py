"""A recording by hand: without a display it says so; with one, closing the window ends it."""

from __future__ import annotations

import pytest

from recorder.harness.errors import HarnessError
from recorder.harness.record import record


def test_without_a_display_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(HarnessError, match=r"no display here .* --drive"):
        record("http://127.0.0.1:9/", via="harness", actions=None)
