"""`./run demo`: the main job without a person."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from playwright.sync_api import Error as BrowserError

from recorder.errors import FootpathError
from tasks_admin.operate import demo


class Command(BaseCommand):
    help = "Record a whole assignment of the sample study by itself, export the bundle and verify it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, default=Path("bundle-demo"), help="where the bundle goes")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _as_interrupt)
        out, began = options["out"].resolve(), time.monotonic()
        lines: list[str] = []

        def say(line: str) -> None:
            lines.append(line)
            if not options["json"]:
                self.stdout.write(f"{time.monotonic() - began:5.1f} s  {line}")
                self.stdout.flush()

        try:
            written = demo.run(out, say)
        except FootpathError as error:
            raise CommandError(error.message) from error
        except (AssertionError, BrowserError) as error:
            raise CommandError(f"The scripted annotator got stuck: {error}") from error
        except KeyboardInterrupt:
            raise CommandError("stopped before it was done") from None
        if options["json"]:
            report = {"bundle": str(out), "seconds": round(time.monotonic() - began, 1), "said": lines}
            self.stdout.write(json.dumps(report | {"counts": written.manifest["counts"]}))
        else:
            say(f"the bundle lies in {out}")


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
