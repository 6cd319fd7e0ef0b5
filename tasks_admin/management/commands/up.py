"""`./run up`: serve everything."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Person
from recorder.errors import FootpathError
from tasks_admin import sample
from tasks_admin.operate.database import require_database
from tasks_admin.operate.stack import ENDING, Stack, only_one, require_port

KILLED_ONE_ENDS_WITHIN = 15  # seconds


class Command(BaseCommand):
    help = "Serve the app, the worker and the sample websites; Ctrl-C ends all of them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sample", action="store_true", help="load the sample study and print sign-in links")
        parser.add_argument("--port", type=int, default=None, help="default: the port of PUBLIC_URL, else 8000")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on; loopback unless told otherwise")

    def handle(self, *args: Any, **options: Any) -> None:
        for number in ENDING:
            signal.signal(number, _as_interrupt)
        self.began = time.monotonic()
        try:
            self.serve(**options)
        except FootpathError as error:
            raise CommandError(error.message) from error

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def step(self, text: str) -> None:
        self.say(f"  {time.monotonic() - self.began:4.1f} s  {text}")

    def serve(self, *, sample: bool, port: int | None, host: str, **options: Any) -> None:
        public_url = self.public_url(port)
        port = port or urlsplit(public_url).port or 8000
        require_database(settings.DATABASES["default"])
        with only_one(settings.DATA_DIR, public_url) as was_killed:
            require_port(host, port, patience=KILLED_ONE_ENDS_WITHIN if was_killed else 0)
            try:
                self.run_all(Stack(settings.DATA_DIR, host, port, public_url, {"PUBLIC_URL": public_url}), sample)
            except KeyboardInterrupt:
                with contextlib.suppress(OSError):  # the terminal may be gone
                    self.say(f"Stopped. What was recorded is kept in {settings.DATA_DIR}")

    def run_all(self, stack: Stack, with_sample: bool) -> None:
        """Start everything in order, say where it is, and stay until it ends."""
        with stack:
            self.step("database")
            call_command("migrate", verbosity=0, interactive=False)
            self.step("sample websites")
            stack.start_benchmark()
            people = sample.load() if with_sample else []
            self.step("web server")
            stack.start_web()
            self.step("worker")
            stack.start_worker()
            self.tell(stack.public_url, people)
            ended = stack.watch()
            raise CommandError(f"The {ended.name} process ended by itself. It said:\n{ended.tail()}")

    @staticmethod
    def public_url(port: int | None) -> str:
        """PUBLIC_URL where the operator set one, else localhost with the port."""
        if os.environ.get("PUBLIC_URL"):
            return str(settings.PUBLIC_URL)
        return f"http://localhost:{port or 8000}"

    def tell(self, url: str, people: list[Person]) -> None:
        """The address and the sample people's links."""
        self.say(f"\nFootpath is ready: {url}/")
        if people:
            self.say("\nSign in as (on this machine only):")
        for person in people:
            self.say(f"  {person.name:<20}  {url}{sample.sign_in_path(person)}")
        self.say("\nCtrl-C ends it.")


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    if number != signal.SIGHUP:  # a terminal that is gone can't be written to
        os.write(1, b"\nstopping, which takes a few seconds ...\n")
    raise KeyboardInterrupt
