"""Record one page outside any study, and write its trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.harness.drive import read_drive
from recorder.harness.errors import HarnessError
from recorder.harness.record import WAYS, record
from recorder.harness.stop import stop_wish


class Command(BaseCommand):
    help = (
        "Record one page outside any study. Without --drive a browser window opens (which needs a display) for a person to "
        "use, and closing it ends the recording; with --drive a file of inputs is played and no display is needed. Ctrl-C "
        "ends either and keeps what was recorded."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", required=True, help="the page to begin with")
        parser.add_argument("--drive", type=Path, help="a drive file, played headless by real mouse and keyboard")
        parser.add_argument("--via", choices=WAYS, default="gateway", help="how the recorder gets into the pages")
        parser.add_argument("--out", type=Path, required=True, help="where the trace goes")
        parser.add_argument(
            "--capture",
            type=Path,
            metavar="FILE",
            help="also keep the pages as they were seen: rrweb's events, one a line",
        )
        parser.add_argument("--json", action="store_true", help="print a summary as one JSON document")

    def handle(self, *, url: str, drive: Path | None, via: str, out: Path, **options: Any) -> None:
        with stop_wish() as stop:
            if settings.LAPTOP:  # nobody may have served anything on this machine yet
                call_command("migrate", verbosity=0, interactive=False)
            try:
                actions = read_drive(drive) if drive else None
                files, capture = drive.parent if drive else None, options["capture"]
                trace = record(url, via=via, actions=actions, files=files, capture=capture, stop=stop)
            except HarnessError as error:
                raise CommandError(str(error)) from error
            except KeyboardInterrupt as interrupt:
                raise CommandError("stopped at once: nothing was written.") from interrupt
            write(out, trace)
        if stop.is_set():
            self.stderr.write("Stopped by Ctrl-C: this is what was recorded until then.")
        self.report(out, trace, as_json=options["json"])

    def report(self, out: Path, trace: dict[str, Any], *, as_json: bool) -> None:
        summary = {
            "out": str(out), "events": len(trace["events"]), "cleaned": len(trace["cleaned"]), "steps": len(trace["steps"]),
            "documents": len(trace["documents"]), "complete": trace["proof"]["complete"],
        }  # fmt: skip
        if as_json:
            self.stdout.write(json.dumps(summary))
            return
        held = "complete" if summary["complete"] else "INCOMPLETE: see its proof"
        self.stdout.write(
            f"{out}: {summary['events']} raw events, {summary['cleaned']} cleaned, {summary['steps']} steps "
            f"in {summary['documents']} documents; {held}."
        )


def write(out: Path, trace: dict[str, Any]) -> None:
    """The trace as a readable file. Raises CommandError where it cannot be written."""
    try:
        out.write_text(json.dumps(trace, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
