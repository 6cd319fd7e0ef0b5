"""`convert_trace TRACE --to FORMAT [--out FILE]`: a trace in another tool's format; needs no database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from recorder.formats.read import read_trace
from recorder.formats.registry import FORMATS, convert, said, sidecar


class Command(BaseCommand):
    help = (
        "Write a trace in another tool's format. What that format has no place for (times, drags, …) goes into a sidecar file "
        "beside it, and is said."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("trace", type=Path, help="a footpath.trace/1 file")
        parser.add_argument("--to", required=True, choices=sorted(FORMATS), help="the format")
        parser.add_argument(
            "--out", type=Path, help="where it goes; without it, to standard output and no sidecar is written"
        )
        parser.add_argument(
            "--observation",
            type=Path,
            help="browsergym: JSON, an observation or a list of one per step, for the bid form",
        )
        parser.add_argument(
            "--pages", type=Path, help="mind2web: folder with N.html, the page before step N, as a replay keeps them"
        )

    def handle(self, *, trace: Path, to: str, out: Path | None, **options: Any) -> None:
        try:
            given = {"observations": observations(options["observation"]), "pages": pages(options["pages"])}
            read = read_trace(trace)
            done = convert(read, to, **given)
            if out is None:
                self.stdout.write(done.text, ending="")
            else:
                write(out, done.text)
                beside = out.with_name(out.name + ".sidecar.json")
                write(beside, json.dumps(sidecar(read, to, done), ensure_ascii=False, indent=1) + "\n")
        except FootpathError as error:
            raise CommandError(error.message) from error
        where = f"{beside} holds them" if out else "give --out to have them in a sidecar file"
        if words := said(read, done):
            self.stderr.write(f"Not held by {to}: {words}; {where}.")
        for note in done.notes:
            self.stderr.write(note)


def write(path: Path, text: str) -> None:
    """Raises FootpathError where the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FootpathError("no_file", 400, f"{path} cannot be written: {error.strerror}") from error


def observations(path: Path | None) -> list[dict[str, Any]] | None:
    """Observations of a file. Raises FootpathError."""
    if path is None:
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FootpathError("no_file", 400, f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FootpathError("bad_json", 400, f"{path} is not whole JSON: {error}") from error
    listed = found if isinstance(found, list) else [found]
    if not listed or not all(isinstance(one, dict) and isinstance(one.get("axtree_object"), dict) for one in listed):
        raise FootpathError(
            "bad_observation", 400, f"{path}: an observation is an object with BrowserGym's 'axtree_object'"
        )
    return listed


def pages(folder: Path | None) -> dict[int, str] | None:
    """Pages by step number. Raises FootpathError."""
    if folder is None:
        return None
    if not folder.is_dir():
        raise FootpathError("no_folder", 400, f"{folder} is no folder; a replay writes one with N.html for each step N")
    return {int(path.stem): path.read_text(encoding="utf-8") for path in folder.glob("*.html") if path.stem.isdigit()}
