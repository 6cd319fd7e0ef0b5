"""`./run verify_bundle DIR`: prove a bundle from its folder alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin.exports.verify import CHECKS, verify


class Command(BaseCommand):
    help = "Check hashes, schemas, counts and references of a bundle, and clean every trace again."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dir", type=Path)
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            problems = verify(options["dir"])
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps({"ok": not problems, "checks": len(CHECKS), "problems": problems}))
        elif not problems:
            self.stdout.write(f"{options['dir']}: the bundle holds ({len(CHECKS)} checks)")
        if problems:
            raise CommandError(f"{len(problems)} problem(s):\n  " + "\n  ".join(problems))
