"""`./run plan_study DESIGN --json`: a plan from a design file, without a database; or of a study's design, as its page finds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate import designs
from annotate.design.model import Design, Plan, read_design
from annotate.design.plan import SECONDS, make_plan
from annotate.models import Study
from recorder import yaml_file
from recorder.errors import FootpathError


class Command(BaseCommand):
    help = (
        "Plan who does which task under which condition, and in what order. The same design gives the same plan. Exit status 1 "
        "where no plan exists; the conflicts are printed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("design", type=Path, nargs="?", help="design file, JSON or YAML")
        what.add_argument("--study", metavar="SLUG", help="the design of a study instead; nothing is written")
        parser.add_argument(
            "--seconds", type=float, default=SECONDS, help="of the solver's own deterministic time, per search"
        )
        parser.add_argument("--json", action="store_true", help="print the plan as one JSON document and nothing else")

    def handle(self, *, design: Path | None, study: str | None, seconds: float, **options: Any) -> None:
        try:
            plan = make_plan(design_of(design, study), seconds)
        except FootpathError as error:
            raise CommandError(error.message) from error
        self.stdout.write(
            json.dumps(plan.model_dump(mode="json"), ensure_ascii=False) if options["json"] else readable(plan)
        )
        if plan.status == "infeasible":
            raise CommandError("No plan exists:\n" + "\n".join(f"  {sentence}" for sentence in plan.conflicts))


def design_of(file: Path | None, slug: str | None) -> Design:
    """The design of a file, or of a study. Raises BadDesign, BadFile, CommandError."""
    if file is not None:
        return read_design(yaml_file.read(file).data)
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study {slug!r}.")
    return designs.design_of(study).design


def readable(plan: Plan) -> str:
    """The balance, a line per person."""
    if plan.status == "infeasible":
        return ""
    lines = [f"{plan.status}: {len(plan.panel)} tasks, {len(plan.assignments)} assignments"]
    for code, own in plan.balance["people"].items():
        conditions = ", ".join(f"{number} {name}" for name, number in own["conditions"].items())
        blocks = list(
            dict.fromkeys(
                one.environment for one in sorted(plan.assignments, key=lambda one: one.position) if one.code == code
            )
        )
        lines.append(f"  {code:8} {own['assignments']:4} assignments ({conditions or 'none'}); {' → '.join(blocks)}")
    return "\n".join(lines)
