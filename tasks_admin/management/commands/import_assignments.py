"""`./run import_assignments PATH --study S`: take a ready-made plan in."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin.catalogues.plan_in import Imported, import_plan


class Command(BaseCommand):
    help = "Take a published plan into a study: its people by code, who does what, and how it deviates from what it should keep."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--study", required=True, metavar="SLUG", help="made as a draft where it is not there")
        parser.add_argument(
            "--people", type=Path, help="YAML: the plan's names, each with an email to invite, and a code"
        )
        parser.add_argument("--strict", action="store_true", help="import nothing if the plan deviates from anything")
        parser.add_argument("--freeze", action="store_true", help="let people begin")
        parser.add_argument("--dry-run", action="store_true", help="say what would come, and change nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = self.run(options, dry_run=options["dry_run"] or options["strict"])
            if options["strict"] and (done.deviations or done.titles):
                told = "\n  ".join([*done.deviations, *done.titles])
                raise CommandError(f"Nothing was imported; the plan deviates:\n  {told}")
            if options["strict"] and not options["dry_run"]:
                done = self.run(options, dry_run=False)
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(done) | {"dry_run": options["dry_run"]}))
        else:
            self.tell(done, dry_run=options["dry_run"])

    def run(self, options: dict[str, Any], *, dry_run: bool) -> Imported:
        return import_plan(
            options["path"], options["study"], options["people"], freeze=options["freeze"], dry_run=dry_run
        )

    def tell(self, done: Imported, *, dry_run: bool) -> None:
        """What came, and what is odd about it."""
        made = ", made as a draft" if done.made else ""
        self.stdout.write(f"{done.study}{made}: {done.new} assignments new, {done.same} there already")
        links = {one.as_what: one for one in done.invited}
        for name, code in done.codes.items():
            one = links.get(code)
            how = (
                f"{one.email} {one.link or '(has a password)'}"
                if one
                else f"invite: ./run invite EMAIL --study {done.study} --code {code}"
            )
            self.stdout.write(f"  {code:<4} {name}: {how}")
        for what, sentences in (
            ("The plan deviates:", done.deviations),
            ("It and the catalogue do not say the same:", done.titles),
            ("The study has assignments that the plan has not:", done.others),
        ):
            if sentences:
                self.stdout.write(what)
                for sentence in sentences:
                    self.stdout.write(f"  {sentence}")
        if dry_run:
            self.stdout.write("Nothing was changed: this was a dry run.")
