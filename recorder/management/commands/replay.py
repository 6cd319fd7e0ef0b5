"""`replay TRACE [--url URL]`: replay a trace outside any study, and say per step how it went; needs no database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from recorder.harness.errors import HarnessError
from recorder.harness.record import browser, read_address
from recorder.replay.diagnose import diagnose
from recorder.replay.pages import Pages
from recorder.replay.player import Camera, Settings
from recorder.replay.results import Replay
from recorder.replay.run import replay_at
from recorder.replay.source import Source, read_source

MARKS = {"done": "✓", "healed": "~", "failed": "✗", "skipped": "·"}


class Command(BaseCommand):
    help = "Replay a trace in headless Chromium. Exit status 0 only where every step could be played."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("trace", type=Path, help="a footpath.trace/1 file")
        parser.add_argument("--url", help="where to begin; default: the address the recording began with")
        parser.add_argument(
            "--pace", choices=["fast", "original"], default="fast", help="as fast as the page, or as recorded"
        )
        parser.add_argument(
            "--files", type=Path, help="folder with the files that were uploaded (their contents are not recorded)"
        )
        parser.add_argument(
            "--secret",
            action="append",
            default=[],
            metavar="FIELD=TEXT",
            help="the text of a secret field, by its name",
        )
        parser.add_argument(
            "--pages",
            type=Path,
            metavar="DIR",
            help="keep the page before step N as DIR/N.html, for convert_trace --to mind2web",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")

    def handle(self, *, trace: Path, url: str | None, pace: Any, **options: Any) -> None:
        try:
            source = read_source(trace)
            settings = Settings(pace=pace, secrets=secrets_of(options["secret"]), files=options["files"])
            pages = Pages() if options["pages"] else None
            done = played(source, url or source.url, settings, pages)
            if pages:
                pages.write(options["pages"], done)
        except (FootpathError, HarnessError) as error:
            raise CommandError(str(error)) from error
        why = diagnose(source, done)
        if options["json"]:
            diagnosis = {"kind": why.kind, "why": why.words} if why else None
            self.stdout.write(json.dumps(done.as_dict() | {"diagnosis": diagnosis}, ensure_ascii=False))
        else:
            self.stdout.write(readable(source, done))
        if why:
            raise CommandError(f"{why.kind}: {why.words}")


def played(source: Source, url: str, settings: Settings, camera: Camera | None = None) -> Replay:
    """The replay from `url`. Raises HarnessError where there is no address or no browser."""
    if not url:
        raise HarnessError("the trace does not say where it began: give --url.")
    read_address(url)
    with browser(headless=True) as chromium:
        return replay_at(chromium, source, url, settings, camera)


def secrets_of(given: list[str]) -> dict[str, str]:
    """FIELD=TEXT arguments as a mapping. Raises HarnessError on one without a sign of equality."""
    for one in given:
        if "=" not in one:
            raise HarnessError(f"--secret {one}: must be FIELD=TEXT, where FIELD is the field's name or CSS.")
    return dict(one.split("=", 1) for one in given)


def readable(source: Source, done: Replay) -> str:
    """A line per step, and the sum."""
    lines = []
    for step, result in zip(source.steps, done.steps, strict=True):
        target = step.get("from") or step.get("target") or {}
        what = target.get("name") or target.get("text") or target.get("css") or step.get("url") or ""
        lines.append(
            f"{MARKS[result.outcome]} {result.index + 1:4} {result.type:14} {str(what)[:50]:50} {result.ms:7.0f} ms  {result.why}"
        )
    counts = done.counts()
    lines.append(", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count) or "no step")
    return "\n".join(lines)
