"""`python -m tests.bench.catalogue`: 5,000 component tasks into a throw-away database, and again unchanged."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from io import StringIO
from pathlib import Path

from annotate.config import laptop

FILES, EACH = 125, 40


def main() -> int:
    """Print both times, and the size of the files."""
    with laptop.throwaway(), tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotate.config.settings")
        import django  # noqa: PLC0415  (the settings are read only now)
        from django.core.management import call_command  # noqa: PLC0415

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.catalogues.writing import components  # noqa: PLC0415

        root = components(Path(folder), FILES, EACH)
        size = sum(file.stat().st_size for file in root.rglob("*.yaml")) / 1e6
        for what in ("new", "again"):
            began, out = time.perf_counter(), StringIO()
            call_command("import_tasks", "components", str(root), "--url", "http://127.0.0.1:3000", stdout=out)
            spent = time.perf_counter() - began
            sys.stdout.write(f"{what}: {FILES * EACH} tasks, {size:.1f} MB, {spent:.1f} s\n{out.getvalue()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
