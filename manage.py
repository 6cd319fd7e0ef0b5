#!/usr/bin/env python3
"""Django's command line, with the laptop's own PostgreSQL started where no DATABASE_URL is set."""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

import django
from django.core.management import execute_from_command_line

from annotate.config.laptop import ROOT, database
from annotate.config.refusal import readable_refusal


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotate.config.settings")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    if len(sys.argv) > 1 and not _known(sys.argv[1]):
        sys.exit(f"footpath: there is no command {sys.argv[1]!r}. ./run lists the usual ones, ./run help all of them.")
    try:
        with readable_refusal(), database(sys.argv):
            execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _known(command: str) -> bool:
    """Whether there is such a command; asked before a database is started for it."""
    places = [*ROOT.glob("*/management"), Path(django.__path__[0]) / "core" / "management"]
    places += Path(django.__path__[0]).glob("contrib/*/management")
    return (
        command.startswith("-")
        or command == "help"
        or any((at / "commands" / f"{command}.py").exists() for at in places)
    )


def _end(number: int, frame: FrameType | None) -> None:
    """Leave by way of every `finally`, so that nothing we started stays behind."""
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
