"""`./run compute_metrics --attempts F --tasks F [--runs F] --json`: all figures from plain tables, without a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin.comparison.figures import compute
from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.mixed import mixed_models
from tasks_admin.comparison.read import read_tables
from tasks_admin.comparison.summary import summary


class Command(BaseCommand):
    help = "Compute every figure about people and agents from three tables in JSON lines. Needs no database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--attempts", type=Path, required=True, help="people's attempts, as a bundle's attempts.jsonl has them"
        )
        parser.add_argument("--tasks", type=Path, required=True, help="the whole benchmark's tasks, with in_panel")
        parser.add_argument("--runs", type=Path, help="agents' runs")
        parser.add_argument(
            "--mixed-model", action="store_true", help="also the models that tell condition from person"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")

    def handle(self, *, attempts: Path, tasks: Path, runs: Path | None, **options: Any) -> None:
        try:
            tables = read_tables(attempts, tasks, runs)
            figures = compute(tables)
            if options["mixed_model"]:
                figures["mixed_model"] = mixed_models(counting(tables))
        except FootpathError as error:
            raise CommandError(error.message) from error
        self.stdout.write(
            json.dumps(figures, ensure_ascii=False, allow_nan=False) if options["json"] else summary(figures)
        )
