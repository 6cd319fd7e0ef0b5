"""`./run audit_privacy STUDY`: what would leave the house with an export, and what in it looks private."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Study
from tasks_admin.exports.told import KEPT
from tasks_admin.release.look import Look, look


class Command(BaseCommand):
    help = "List what an export of a study would hold, and what in it looks private. Nothing is written."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, study: str, **options: Any) -> None:
        found = Study.objects.filter(slug=study).first()
        if found is None:
            raise CommandError(f"There is no study {study!r}.")
        told = look(found)
        self.stdout.write(json.dumps(asdict(told), ensure_ascii=False) if options["json"] else in_words(told))


def in_words(told: Look) -> str:
    """The list for a terminal."""
    lines = [
        f"{number:6} {table}" + (f" (free text: {', '.join(told.free_text[table])})" if table in told.free_text else "")
        for table, number in told.tables.items()
    ]
    lines += [
        f"{one['cleared']:6} {one['words']} cleared, {one['withheld']} withheld, {one['open']} open (withheld too)"
        for one in told.texts
    ]
    lines.append(f"{told.masks:6} masks")
    lines.append("withheld: account data, internet addresses of people")
    lines.append(f"kept: {KEPT}")
    lines.append("screenshots and captures: only those that were cleared, where an export asks for them")
    for words, number in sorted(told.suspicions.items(), key=lambda pair: -pair[1]):
        lines.append(f"looks like {words}: {number} ×")
        lines += [f"  {where}: {piece}" for where, piece in told.places[words]]
    if not told.suspicions:
        lines.append("nothing in it looks private to the detector; read a part of it all the same")
    if told.unknown:
        lines.append(
            f"{told.unknown} ways of writing former names are not looked for: they were kept under another SECRET_KEY; set that again"
        )
    lines += [
        f"export {pk} may not leave any more, and is not given out: {' '.join(reasons)}"
        for pk, reasons in told.recalled.items()
    ]
    return "\n".join(lines)
