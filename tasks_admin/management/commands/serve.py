"""`./run serve web|worker|clock|sites`: one process of a group's installation, for systemd or the like to look after."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin.operate import stack
from tasks_admin.operate.database import require_database

KINDS = ("web", "worker", "clock", "sites")


class Command(BaseCommand):
    help = "Become one process of a group's installation: a web server, a worker, the one clock, the sample websites."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=KINDS)
        parser.add_argument("--port", type=int, default=8001, help="of a web process")
        parser.add_argument("--host", default="127.0.0.1", help="of a web process: where the proxy finds it")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.LAPTOP:
            raise CommandError("Set DATABASE_URL first: serve is for a group's server. ./run up serves a laptop.")
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        try:
            if options["kind"] != "sites":
                require_database(settings.DATABASES["default"])
            command = command_of(options["kind"], options["host"], options["port"])
        except FootpathError as error:
            raise CommandError(error.message) from error
        os.environ["FOOTPATH_BENCHMARK_TOKEN"] = settings.BENCHMARK_TOKEN
        os.execv(command[0], command)  # noqa: S606  (the signals of whoever looks after us go straight to it)


def command_of(kind: str, host: str, port: int) -> list[str]:
    """The command line of a kind of process. Raises CannotServe where a web process's port is taken."""
    if kind == "web":
        stack.require_port(host, port)
        return stack.web_command(host, port)
    if kind == "worker":
        return stack.worker_command(with_clock=False)
    if kind == "clock":
        return stack.clock_command()
    return stack.sites_command(settings.DATA_DIR, "--port", str(urlsplit(settings.BENCHMARK_URL).port or 8100))
