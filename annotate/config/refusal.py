"""What keeps a process from serving, said in one line instead of a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError

from recorder.errors import FootpathError


@contextmanager
def readable_refusal() -> Iterator[None]:
    """End the process with status 1 and a readable line where settings or the database forbid going on."""
    try:
        yield
    except (ImproperlyConfigured, FootpathError) as error:
        sys.exit(f"footpath: {error}")
    except OperationalError as error:
        sys.exit(
            f"footpath: the database does not answer: {' '.join(str(error).split())}\n"
            "  Start PostgreSQL or set DATABASE_URL to one that runs; ./run doctor looks at everything."
        )
