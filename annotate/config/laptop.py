"""Laptop mode: an embedded PostgreSQL and a kept secret under `.data/`, so that one command is all there is to start.

Laptop mode is on when the operator has set no DATABASE_URL. Nothing here imports Django: it runs before the settings do.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import environ

from annotate.config import embedded

ROOT = embedded.ROOT
DEFAULT_URL = "http://localhost:8000"
# Commands that work on files alone and must not wait for a database.
WITHOUT_DATABASE = frozenset(
    {"help", "version", "clean_trace", "verify_bundle", "plan_study", "compute_metrics", "convert_trace", "replay"}
)
# What an operator may have set, in the environment or `.env`, and a throw-away installation must not touch.
OPERATORS = (
    *("SECRET_KEY", "PUBLIC_URL", "ENV_HOST", "ALLOWED_HOSTS", "BEHIND_PROXY"),
    *("CELERY_BROKER_URL", "CHANNEL_LAYER_URL", "BENCHMARK_URL", "BENCHMARK_TOKEN", "FILES_URL"),
)


def read_env_file() -> None:
    """Take settings from `.env` in the checkout; the process's own environment wins."""
    environ.Env.read_env(ROOT / ".env", overwrite=False)


def data_dir() -> Path:
    """Where everything the laptop mode keeps lies; FOOTPATH_DATA or `.data/`."""
    return Path(os.environ.get("FOOTPATH_DATA") or ROOT / ".data").resolve()


def is_laptop() -> bool:
    """True where the database is ours (embedded), False where the operator named one."""
    return os.environ.get("FOOTPATH_LAPTOP") == "1" or not os.environ.get("DATABASE_URL")


def secret_key() -> str:
    """The laptop's signing secret, made once and kept with mode 0600."""
    path = data_dir() / "secret_key"
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.write(made, secrets.token_urlsafe(50).encode())
        os.close(made)
    return path.read_text()


def served_url() -> str:
    """Where `up` serves this data now; the default address where it does not."""
    try:
        told = json.loads((data_dir() / "up.lock").read_text() or "{}")
    except FileNotFoundError:
        told = {}
    return str(told.get("url") or DEFAULT_URL)


@contextlib.contextmanager
def database(argv: list[str]) -> Iterator[None]:
    """Give the command in `argv` a DATABASE_URL: the operator's, or that of the embedded server while the command runs."""
    read_env_file()
    command = argv[1] if len(argv) > 1 else "help"
    if command == "doctor":
        os.environ["FOOTPATH_EXAMINE"] = "1"  # look at all settings instead of refusing at the first
    if "--help" in argv or "-h" in argv or command in WITHOUT_DATABASE:
        yield
    elif command == "demo":
        with throwaway():
            yield
    elif os.environ.get("DATABASE_URL"):
        yield
    else:
        with embedded.serving(data_dir() / "postgres") as url:
            _use(url)
            yield


@contextlib.contextmanager
def throwaway() -> Iterator[None]:
    """A data folder and database of their own, gone afterwards; whatever the operator set is left alone."""
    with tempfile.TemporaryDirectory(prefix="footpath-", ignore_cleanup_errors=True) as folder:
        os.environ["FOOTPATH_DATA"] = str(Path(folder) / "data")
        forget_operators_settings()
        with embedded.serving(Path(folder) / "postgres", throwaway=True) as url:
            _use(url)
            yield


def forget_operators_settings() -> None:
    """Set empty what OPERATORS names: `.env` can't fill it in any more, and empty means the default."""
    os.environ.update(dict.fromkeys(OPERATORS, ""))


def _use(url: str) -> None:
    os.environ["DATABASE_URL"] = url
    os.environ["FOOTPATH_LAPTOP"] = "1"
