"""`./run up`: serve everything."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin import sample
from tasks_admin.operate.stack import Stack, only_one, require_port


class Command(BaseCommand):
    help = "Serve the app, the worker and the sample websites; Ctrl-C ends all of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sample", action="store_true", help="load the sample study and print sign-in links")
        parser.add_argument("--port", type=int, default=None, help="default: the port of PUBLIC_URL, else 8000")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on; loopback unless told otherwise")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _as_interrupt)
        try:
            self.serve(**options)
        except FootpathError as error:
            raise CommandError(error.message) from error
        except KeyboardInterrupt:
            self.say("\nstopped.")

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def serve(self, *, sample: bool, port: int | None, host: str, **options: Any) -> None:
        public_url = self.public_url(port)
        port = port or urlsplit(public_url).port or 8000
        with only_one(settings.DATA_DIR, public_url):
            require_port(host, port)
            self.say("preparing the database …")
            call_command("migrate", verbosity=0, interactive=False)
            call_command("migrate", "channels_postgres", verbosity=0, interactive=False)
            with Stack(settings.DATA_DIR, host, port, public_url, {"PUBLIC_URL": public_url}) as stack:
                self.start(stack, sample)
                ended = stack.watch()
                raise CommandError(f"The {ended.name} process ended by itself. It said:\n{ended.tail()}")

    @staticmethod
    def public_url(port: int | None) -> str:
        """PUBLIC_URL where the operator set one, else localhost with the port."""
        if os.environ.get("PUBLIC_URL"):
            return str(settings.PUBLIC_URL)
        return f"http://localhost:{port or 8000}"

    def start(self, stack: Stack, with_sample: bool) -> None:
        self.say("starting the sample websites …")
        stack.start_benchmark()
        people = sample.load() if with_sample else []
        self.say("starting the web server and the worker …")
        stack.start_web()
        stack.start_worker()
        self.say(f"\nFootpath is at {stack.public_url}/")
        for person in people:
            self.say(f"  {person.name:<20} {stack.public_url}{sample.sign_in_path(person)}")
        if people:
            self.say("  (these links work on this machine only)")
        self.say("Ctrl-C ends it.")


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
