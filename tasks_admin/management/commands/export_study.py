"""`./run export_study STUDY OUT`: write the study's bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Study
from recorder.errors import FootpathError
from tasks_admin.exports.asked import note_written
from tasks_admin.exports.bundle import export
from tasks_admin.exports.choice import chosen
from tasks_admin.exports.job import told_of
from tasks_admin.exports.released import recalled_meanwhile


class Command(BaseCommand):
    help = "Write a study's bundle to a folder; the same data gives the same bytes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's slug, for instance: sample")
        parser.add_argument("out", type=Path, help="a new or empty folder, or an earlier bundle, which is replaced")
        parser.add_argument("--condition", action="append", default=[], help="only this one; may be repeated")
        parser.add_argument("--person", action="append", default=[], help="only of this code; may be repeated")
        parser.add_argument("--only-complete", action="store_true", help="only attempts that figures count")
        parser.add_argument("--screenshots", action="store_true", help="with the screenshots that a lead has cleared")
        parser.add_argument(
            "--captures", action="store_true", help="with the captures of pages that a lead has cleared"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no study {options['study']!r}; there are: {known}.")
        try:
            named = {name: options[name] for name in ("only_complete", "screenshots", "captures")}
            choice = chosen(study, options["condition"], options["person"], **named)
            written = export(
                study, options["out"].resolve(), choice=choice, then=lambda folder: note_written(study, choice, folder)
            )
        except FootpathError as error:
            raise CommandError(error.message) from error
        if told := told_of(written):
            self.stderr.write(told)
        if reasons := recalled_meanwhile(study, written.released):
            raise CommandError(" ".join([*reasons, f"Export again, or delete {written.folder}."]))
        if options["json"]:
            summary = {
                "folder": str(written.folder),
                "files": len(written.manifest["files"]),
                **written.manifest["counts"],
            }
            self.stdout.write(json.dumps(summary))
            return
        counts = written.manifest["counts"]
        self.stdout.write(
            f"{written.folder}: {counts['attempts']} attempts, {counts['events']} raw events, {counts['steps']} steps, "
            f"{len(written.manifest['files'])} files"
        )
