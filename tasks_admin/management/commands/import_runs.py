"""`./run import_runs FORMAT PATH --study S`: take agents' runs into a study."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Study
from recorder.errors import FootpathError
from tasks_admin.runs.archives import opened
from tasks_admin.runs.formats.table import NAMES
from tasks_admin.runs.registry import AUTO, FORMATS, find_format
from tasks_admin.runs.shape import CONDITIONS, KEPT, STEP_UNITS, Given
from tasks_admin.runs.take_in import Taken, import_runs

SHOWN = 20


class Command(BaseCommand):
    help = "Take agents' runs into a study. Doing it twice changes nothing; what cannot be taken is listed with its reason."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("format", choices=[AUTO, *sorted(FORMATS)], help="auto: found by the files themselves")
        parser.add_argument("path", type=Path, help="a file, a folder, or a zip or tar archive of one")
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--model", help="the model's name, where the files do not tell it or for a set of its own")
        parser.add_argument("--harness", help="the harness that ran it")
        parser.add_argument("--condition", choices=CONDITIONS, help="where the files do not tell it")
        parser.add_argument("--task", help="the task's id, for a single run whose file does not tell it")
        parser.add_argument("--step-unit", choices=STEP_UNITS, help="what a step is, where the files do not tell it")
        parser.add_argument("--elapsed", choices=["duration", "cumulative"], help="what a step's elapsed time means")
        parser.add_argument(
            "--column", action="append", default=[], metavar="OURS=THEIRS", help="a table's column by its name"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        given = Given(
            options["model"], options["harness"], options["condition"], options["task"], options["step_unit"],
            options["elapsed"], column_map(options["column"], NAMES),
        )  # fmt: skip
        try:
            study = Study.objects.filter(slug=options["study"]).first()
            if study is None:
                raise CommandError(f"There is no study {options['study']!r}.")
            with opened(options["path"]) as files:
                found = (
                    find_format(files.path, files.passed_over)
                    if options["format"] == AUTO
                    else FORMATS[options["format"]]
                )
                told = import_runs(
                    study, found, files.path, given, name=options["path"].name, passed_over=files.passed_over
                )
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps(document(told), ensure_ascii=False))
            return
        self.stdout.write(
            f"{told.format}: {told.taken} runs taken, {told.same} there already, {told.rejected.count} rejected"
            + (f"; {told.labels} labels came with them" if told.labels else "")
        )
        for model, number in sorted(told.models.items()):
            self.stdout.write(f"  {model}: {number}")
        for one in told.rejected.first[:SHOWN]:
            self.stdout.write(f"  not taken: {one.place}: {one.reason}")
        if told.rejected.count > SHOWN:
            self.stdout.write(f"  and {told.rejected.count - SHOWN} more; --json lists the first {KEPT}")


def column_map(pairs: list[str], names: Iterable[str]) -> dict[str, str]:
    """{our name: the file's column} of OURS=THEIRS. Raises CommandError."""
    told: dict[str, str] = {}
    for pair in pairs:
        ours, _, theirs = pair.partition("=")
        if not theirs:
            raise CommandError(f"--column {pair}: write it as OURS=THEIRS, for instance --column task=question_id")
        if ours not in names:
            raise CommandError(f"--column {pair}: our columns are {', '.join(names)}")
        if ours in told:
            raise CommandError(f"--column {pair}: {ours} is said to be {told[ours]!r} already; leave one of them")
        told[ours] = theirs
    return told


def document(told: Taken) -> dict[str, Any]:
    return {
        "format": told.format,
        "taken": told.taken,
        "same": told.same,
        "labels": told.labels,
        "models": dict(sorted(told.models.items())),
        "rejected_count": told.rejected.count,
        "rejected": [{"place": one.place, "reason": one.reason} for one in told.rejected.first],
    }
