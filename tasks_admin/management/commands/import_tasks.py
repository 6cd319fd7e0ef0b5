"""`./run import_tasks FORMAT PATH`: take a catalogue of tasks in."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin.catalogues.formats import FORMATS, Source
from tasks_admin.catalogues.shape import Problems
from tasks_admin.catalogues.take_in import Difference, import_catalogue

NAMED = 8  # ids that a line names


class Command(BaseCommand):
    help = "Take a catalogue of tasks in: all of it or, if anything is wrong with it, nothing. Doing it twice changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("format", choices=sorted(FORMATS))
        parser.add_argument("path", nargs="?", type=Path, help="a file or folder; miniwob needs none")
        parser.add_argument("--url", default="", help="where the benchmark's server listens (seven-sites, components)")
        parser.add_argument("--environment", default="", metavar="SLUG", help="another slug (components, miniwob)")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source(options["path"], options["url"].rstrip("/"), options["environment"])
        problems = Problems()
        try:
            found = FORMATS[options["format"]](source, problems)
            differences = import_catalogue(found, problems, dry_run=options["dry_run"])
        except FootpathError as error:
            raise CommandError(error.message) from error
        except ValueError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            told = {"dry_run": options["dry_run"], "environments": [asdict(one) for one in differences]}
            self.stdout.write(json.dumps(told))
            return
        for one in differences:
            self.tell(one)
        if options["dry_run"]:
            self.stdout.write("Nothing was changed: this was a dry run.")

    def tell(self, one: Difference) -> None:
        """A line for the environment, and one for each kind of change."""
        total = one.same + len(one.new) + len(one.changed)
        made = ", made now" if one.made else ""
        self.stdout.write(f"{one.environment}{made}: {total} tasks, {one.same} as they were")
        if one.settings:
            self.stdout.write(f"  settings changed: {', '.join(one.settings)}")
        kept = "changed after they were recorded; what was recorded keeps its version"
        for what, ids in (
            ("new", one.new),
            ("changed", [name for name in one.changed if name not in one.kept]),
            (kept, one.kept),
            ("gone", one.gone),
        ):
            if ids:
                more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
                self.stdout.write(f"  {len(ids)} {what}: {', '.join(ids[:NAMED])}{more}")
