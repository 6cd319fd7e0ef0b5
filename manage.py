#!/usr/bin/env python3
"""Django's command line, with the laptop's own PostgreSQL started where no DATABASE_URL is set."""

import os
import sys

from django.core.management import execute_from_command_line

from annotate.config.laptop import database


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotate.config.settings")
    with database(sys.argv):
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
