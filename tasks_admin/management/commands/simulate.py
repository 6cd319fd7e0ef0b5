"""`./run simulate`: a whole study's worth of plausible people and agents, from known truths."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_admin.exports.files import sha256
from tasks_admin.exports.place import first_other, read_object
from tasks_admin.simulation.coverage import coverage
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.planned import Expected
from tasks_admin.simulation.power import widths
from tasks_admin.simulation.truth import Truth

TRUTH = "truth.json"
TABLES = ("attempts", "tasks", "runs")
MOST_DROP = 10  # log odds: beyond it everybody fails, or nobody


class Command(BaseCommand):
    help = (
        "Draw a study's tables from known truths (for compute_metrics), say how often intervals hold the truth (--coverage), "
        "or how wide they get (--power)."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--out", type=Path, help="a folder for attempts.jsonl, tasks.jsonl, runs.jsonl and truth.json"
        )
        parser.add_argument("--coverage", type=int, metavar="STUDIES", help="how often 95 %% intervals hold the truth")
        parser.add_argument(
            "--power", action="store_true", help="half widths of people's intervals, by tasks and by people"
        )
        parser.add_argument("--environments", type=int, default=7)
        parser.add_argument("--per-cell", type=int, default=4, help="tasks per environment and difficulty")
        parser.add_argument("--people", type=int, default=4)
        parser.add_argument("--duplicates", type=int, default=4, help="people who do duplicates")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--drop", type=float, help="log odds that intervention costs people (default %(default)s)", default=0.6
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, **options: Any) -> None:
        size = Size(options["environments"], options["per_cell"], options["people"], options["duplicates"])
        if min(size.environments, size.per_cell) < 1 or size.people < 2 or size.duplicates < 0:
            raise CommandError("A study needs an environment, a task per cell and two people at least.")
        if not abs(options["drop"]) <= MOST_DROP:  # NaN is over it too
            raise CommandError(f"--drop is in log odds, from -{MOST_DROP} to {MOST_DROP}.")
        if options["seed"] < 0 or (options["coverage"] is not None and options["coverage"] < 1):
            raise CommandError("--seed is 0 or more, --coverage a number of studies, 1 or more.")
        truth = replace(Truth(), intervention=-options["drop"])
        if options["coverage"]:
            self.tell_coverage(truth, options)
        elif options["power"]:
            self.tell_power(truth, size, options)
        elif options["out"]:
            self.write(truth, size, options)
        else:
            raise CommandError("Say where the tables go (--out FOLDER), or ask for --coverage STUDIES or --power.")

    def write(self, truth: Truth, size: Size, options: dict[str, Any]) -> None:
        """The tables, then the truth they were drawn from, with a list of their files. Raises CommandError where the folder holds
        anything but what a simulation wrote there."""
        folder: Path = options["out"]
        drawn = draw(truth, size, options["seed"])
        told = {"truth": asdict(truth), "size": asdict(size), "seed": options["seed"], "people": drawn.people.tolist()}
        try:
            require_own(folder)
            folder.mkdir(parents=True, exist_ok=True)
            files = {f"{name}.jsonl": getattr(drawn.tables, name) for name in TABLES}
            for name, table in files.items():
                table.write_ndjson(folder / name)
            told["files"] = {name: sha256(folder / name) for name in files}
            (folder / TRUTH).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{folder} could not be written: {error.strerror}.") from error
        counts = {name: getattr(drawn.tables, name).height for name in TABLES}
        self.stdout.write(
            json.dumps(counts | {"out": str(folder)})
            if options["json"]
            else f"{counts['attempts']} attempts, {counts['tasks']} tasks and {counts['runs']} runs are in {folder}"
        )

    def tell_coverage(self, truth: Truth, options: dict[str, Any]) -> None:
        found = coverage(truth, options["coverage"], first=options["seed"])
        if options["json"]:
            self.stdout.write(json.dumps({name: {"held": held, "of": of} for name, (held, of) in found.items()}))
            return
        for name, (held, of) in found.items():
            self.stdout.write(f"{name:36} {held:4} of {of:4}  {100 * held / of:5.1f} %")

    def tell_power(self, truth: Truth, size: Size, options: dict[str, Any]) -> None:
        """Half widths by tasks, then by people, of drawn studies and as the page Power tells them."""
        alone = replace(size, duplicates=0)
        sizes = [replace(alone, per_cell=cell) for cell in (1, 2, 4, 8)]
        sizes += [replace(alone, people=size.people * more) for more in (2, 4) if size.people * more <= 2 * size.tasks]
        expected = Expected.of(truth)
        rows = [
            asdict(one)
            | {
                "planned": expected.drop_half(one.tasks),
                "planned_clean": expected.rate_half("clean", one.tasks),
                "planned_clean_people": expected.people_half("clean", one.tasks, one.size.people),
            }
            for one in widths(truth, sizes, seed=options["seed"])
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows))
            return
        self.stdout.write(
            "Half widths of 95 % intervals, points: drawn (median of studies; nine in ten below), and planned"
        )
        self.stdout.write("tasks people      drop  (9 in 10) planned    clean planned    clean over people planned")
        for row in rows:
            self.stdout.write(
                f"{row['tasks']:5} {row['size']['people']:6}   ± {points(row['median'])}  {points(row['nine_in_ten'])}     "
                f"{points(row['planned'])}     {points(row['clean'])}   {points(row['planned_clean'])}    "
                f"          {points(row['clean_people'])}   {points(row['planned_clean_people'])}"
            )


def require_own(folder: Path) -> None:
    """Raises CommandError where the folder holds what no simulation wrote, or what was changed since."""
    files = read_object(folder / TRUTH).get("files")
    listed = files if isinstance(files, dict) else {}
    if found := first_other(folder, listed, {TRUTH}):
        raise CommandError(
            f"{folder} holds {found}, which no simulation wrote, or which was changed since; name an empty or new folder."
        )


def points(value: float | None) -> str:
    """A half width, or a dash where there is none to tell."""
    return "    –" if value is None else f"{value:5.1f}"
