"""`clean_trace FILE [--cleaner human140] --json`: raw events in, cleaned events and steps out; needs no database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.cleaning.registry import CLEANERS, DEFAULT, Cleaned, clean_events
from recorder.errors import FootpathError


class Command(BaseCommand):
    help = "Clean raw events (a list, or an object with `events`, such as a trace) and derive the steps."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="JSON file with the events; - reads standard input")
        parser.add_argument("--cleaner", default=DEFAULT, help=f"one of: {', '.join(sorted(CLEANERS))}")
        parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = clean_events(read_events(options["file"]), options["cleaner"])
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            document = {"cleaned": result.cleaned, "steps": result.steps, "counts": result.counts()}
            self.stdout.write(
                json.dumps(document | {"cleaner": f"{result.cleaner}/{result.version}"}, ensure_ascii=False)
            )
        else:
            self.stdout.write(readable(result))


def read_events(name: str) -> list[Any]:
    """The events of a file. Raises FootpathError that says what is wrong with it."""
    try:
        text = Path("/dev/stdin" if name == "-" else name).read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise FootpathError("no_file", 400, f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FootpathError("bad_json", 400, f"{name} is not whole JSON: {error}") from error
    schema = document.get("schema", "footpath.trace/1") if isinstance(document, dict) else "footpath.trace/1"
    if schema != "footpath.trace/1":
        raise FootpathError("other_version", 400, f"{name} is {schema}; this version reads footpath.trace/1")
    events = document.get("events") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise FootpathError("no_events", 400, f"{name} holds neither a list of events nor an object with 'events'")
    return events


def readable(result: Cleaned) -> str:
    """The counts and one line per step."""
    lines = [f"{count} {name.replace('_', ' ')}" for name, count in result.counts().items()]
    for number, step in enumerate(result.steps, 1):
        target = step.get("target") or {}
        what = step.get("key") or step.get("value") or step.get("text") or step.get("url") or ""
        lines.append(
            f"{number:4} {step['t'] / 1000:9.1f} s  {step['type']:14} {target.get('name') or target.get('css') or ''} {what}"
        )
    return "\n".join(lines)
