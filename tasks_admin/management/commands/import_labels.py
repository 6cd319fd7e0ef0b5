"""`./run import_labels PATH --study S`: take labels that judges or people elsewhere gave to runs and attempts into a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Study
from recorder.errors import FootpathError
from tasks_admin.labels.files import NAMES, SaidOfLabels
from tasks_admin.labels.take_in import TakenLabels, import_labels
from tasks_admin.management.commands.import_runs import SHOWN, column_map
from tasks_admin.runs.archives import opened
from tasks_admin.runs.shape import CONDITIONS, KEPT


class Command(BaseCommand):
    help = (
        "Take labels of runs and attempts into a study. Doing it twice changes nothing; what cannot be taken is listed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a CSV, JSON lines or JSON list, a folder or an archive of them")
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--judge", help="whose labels these are, where the file does not tell it")
        parser.add_argument("--by", choices=["judge", "person"], help="what that is, where the file does not tell it")
        parser.add_argument("--condition", choices=CONDITIONS, help="where the file does not tell it")
        parser.add_argument("--column", action="append", default=[], metavar="OURS=THEIRS", help="a column by its name")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        said = SaidOfLabels(options["judge"], options["by"], options["condition"], column_map(options["column"], NAMES))
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        try:
            with opened(options["path"]) as found:
                told = import_labels(study, found.path, said, name=options["path"].name, passed_over=found.passed_over)
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(document(told), ensure_ascii=False))
            return
        self.stdout.write(f"{told.taken} labels taken, {told.same} there already, {told.rejected.count} rejected")
        for judge, number in sorted(told.judges.items()):
            self.stdout.write(f"  {judge}: {number}")
        for one in told.rejected.first[:SHOWN]:
            self.stdout.write(f"  not taken: {one.place}: {one.reason}")
        if told.rejected.count > SHOWN:
            self.stdout.write(f"  and {told.rejected.count - SHOWN} more; --json lists the first {KEPT}")


def document(told: TakenLabels) -> dict[str, Any]:
    return {
        "taken": told.taken,
        "same": told.same,
        "judges": dict(sorted(told.judges.items())),
        "rejected_count": told.rejected.count,
        "rejected": [{"place": one.place, "reason": one.reason} for one in told.rejected.first],
    }
