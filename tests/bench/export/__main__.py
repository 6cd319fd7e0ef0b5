"""`python -m tests.bench.export [--attempts 63000] [--verify] [--data DIR] [--json]`: a bundle beside a bare COPY of its events.

Both read the same events from the same database and write to the same disk, in turn: COPY, the bundle, COPY again. `peak_mb` is the
most resident memory that the exporting process had, Django and its libraries included; the database's own is not in it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

from tests.bench.progress.__main__ import database


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    done = work()
    return round(time.perf_counter() - begin, 1), done


def copied(path: Path) -> int:
    """COPY all events to a file; returns its bytes."""
    from django.db import connection  # noqa: PLC0415  (needs the settings)

    statement = "COPY recorder_event (recording_id, document_id, n, body) TO STDOUT"
    with connection.cursor() as cursor, path.open("wb") as file, cursor.copy(statement) as copy:
        for piece in copy:
            file.write(piece)
    size = path.stat().st_size
    path.unlink()
    return size


def peak_mb() -> int:
    status = Path("/proc/self/status").read_text()
    return round(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(attempts: int, out: Path, *, prove: bool) -> dict[str, Any]:
    """Build what is not there, and measure."""
    django.setup()
    from annotate.models import Study  # noqa: PLC0415  (models need the settings)
    from tasks_admin.exports.archive import write_archive  # noqa: PLC0415
    from tasks_admin.exports.bundle import export  # noqa: PLC0415
    from tasks_admin.exports.verify import verify  # noqa: PLC0415
    from tests.bench.export.build import build  # noqa: PLC0415

    call_command("migrate", verbosity=0, interactive=False)
    building, _ = timed(lambda: None if Study.objects.exists() else build(attempts))
    before, size = timed(lambda: copied(out / "events.copy"))
    cpu = time.process_time()
    took, written = timed(lambda: export(Study.objects.get(slug="large"), out / "bundle"))
    cpu = time.process_time() - cpu
    peak = peak_mb()
    after, _ = timed(lambda: copied(out / "events.copy"))
    packing, _ = timed(lambda: write_archive(written.folder, out / "bundle.zip", "large"))
    counts = written.manifest["counts"]
    told = {
        "attempts": counts["attempts"], "events": counts["events"], "steps": counts["steps"], "building_s": building,
        "copy_mb": round(size / 1e6), "copy_s": [before, after], "bundle_mb": round(size_of(written.folder) / 1e6), "bundle_s": took,
        "bundle_cpu_s": round(cpu, 1), "ratio": round(took / ((before + after) / 2), 1), "peak_mb": peak, "zip_s": packing,
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip
    return told | ({"problems": verify(written.folder)[:5]} if prove else {})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.export", description=__doc__)
    parser.add_argument("--attempts", type=int, default=63_000, help="a multiple of 140; 317 events each")
    parser.add_argument("--verify", action="store_true", help="prove the bundle, too")
    parser.add_argument("--data", type=Path, help="keep the database here (default: throw it away)")
    parser.add_argument("--out", type=Path, help="where to write for the time (default: the system's temporary folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotate.config.settings"
    with database(options.data), tempfile.TemporaryDirectory(dir=options.out) as folder:
        told = measure(options.attempts, Path(folder), prove=options.verify)
    print(json.dumps(told) if options.json else "\n".join(f"{name} {value}" for name, value in told.items()))


if __name__ == "__main__":
    main()
