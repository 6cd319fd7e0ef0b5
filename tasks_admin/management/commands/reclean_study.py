"""`./run reclean_study STUDY --cleaner NAME [--use]`: clean a whole study by another cleaner; earlier results are kept."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.actions import cleanings
from annotate.models import Study
from recorder.cleaning.registry import CLEANERS
from recorder.errors import FootpathError


class Command(BaseCommand):
    help = "Clean every attempt of a study by a cleaner that has not cleaned it yet. Earlier results are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's slug")
        parser.add_argument("--cleaner", required=True, choices=sorted(CLEANERS))
        parser.add_argument("--use", action="store_true", help="then let the study's figures use this cleaner's counts")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, study: str, cleaner: str, use: bool, **options: Any) -> None:
        found = Study.objects.filter(slug=study).first()
        if found is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no study {study!r}; there are: {known}.")
        try:
            done = cleanings.clean_study(found, cleaner, None if options["json"] else self.progress)
            used = cleanings.adopt(found, cleaner) if use else None
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps({"cleaned": done, "used_for": used, "results": cleanings.results(found)}))
            return
        self.stdout.write(f"{done} attempts cleaned by {cleanings.full_name(cleaner)}.")
        if use:
            self.stdout.write(f"The figures of {study} use it: {used} attempts.")

    def progress(self, done: int, total: int) -> None:
        if done == total or done % 100 == 0:
            self.stderr.write(f"  {done} of {total}")
