"""pytest plugin: a throw-away PostgreSQL for the run, unless the operator named one.

Loaded with -p so that it comes before pytest-django reads the settings. xdist's workers inherit the server and make a
database each.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from annotate.config import laptop


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    if os.environ.get("DATABASE_URL"):
        return
    folder = Path(tempfile.mkdtemp(prefix="footpath-test-"))
    server = laptop.get_server(folder / "postgres")
    # It lives for one run only: what a crash would lose may be lost.
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")
    os.environ["DATABASE_URL"] = laptop.url_of(server)
    os.environ["FOOTPATH_LAPTOP"] = "1"
    os.environ["FOOTPATH_DATA"] = str(folder / "data")

    def stop() -> None:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

    early_config.add_cleanup(stop)
