"""pytest plugin: a throw-away PostgreSQL for the run, unless the operator named one.

Loaded with -p so that it comes before pytest-django reads the settings. xdist's workers inherit the server and make a
database each. Nothing that the operator set is used: a test run on a group's server touches neither its Redis nor its data.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

from annotate.config import laptop


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    if os.environ.get("FOOTPATH_TESTING"):
        return
    os.environ["FOOTPATH_TESTING"] = "1"
    stack = contextlib.ExitStack()
    early_config.add_cleanup(stack.close)
    if os.environ.get("DATABASE_URL"):
        laptop.forget_operators_settings()
        os.environ["FOOTPATH_LAPTOP"] = "1"
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="footpath-test-"))
        os.environ["FOOTPATH_DATA"] = str(Path(folder) / "data")
    else:
        stack.enter_context(laptop.throwaway())
