"""`./run compare STUDY [--html OUT]`: people against agents, as figures or as one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Study
from recorder.errors import FootpathError
from tasks_admin.comparison.summary import summary
from tasks_admin.report.build import all_figures, as_html
from tasks_admin.report.study_tables import tables_of


class Command(BaseCommand):
    help = "Compare people and agents of a study: every figure, or the report as one self-contained HTML file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--html", type=Path, metavar="OUT", help="write the report to this file")
        parser.add_argument("--json", action="store_true", help="print every figure as one JSON document")

    def handle(self, *, study: str, html: Path | None, **options: Any) -> None:
        found = Study.objects.filter(slug=study).first()
        if found is None:
            raise CommandError(f"There is no study {study!r}.")
        try:
            if html:
                self.write(found, html)
            if options["json"] or not html:
                figures = all_figures(tables_of(found))
                self.stdout.write(
                    json.dumps(figures, ensure_ascii=False, allow_nan=False) if options["json"] else summary(figures)
                )
        except FootpathError as error:
            raise CommandError(error.message) from error

    def write(self, study: Study, out: Path) -> None:
        text = as_html(study)
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{out} could not be written: {error.strerror}.") from error
        self.stderr.write(f"The report is in {out}.")
