"""`python -m tests.bench.export [--attempts 63000] [--zip] [--verify] [--json]`: a bundle beside a bare COPY of its events.

Both read the same events from the same database and write to the same disk, in turn: COPY, the bundle, COPY again. Each line tells the
seconds by the clock and the CPU seconds of this process and its database, which other work on the machine does not lengthen as much.
`peak_mb` is the most resident memory that this process had meanwhile, Django and its libraries included; the database's own is not
in it. The bundle has more bytes than the events, which stand in it twice, with cleaned events and steps: its time is told as a multiple
of COPY's for the events, and for as many bytes as the bundle has. It is proven by a process of its own, of which alone that line tells.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

from tests.bench.export.prove import peak_mb, proven
from tests.bench.progress.__main__ import cpu_ms, database


def timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """({seconds, cpu_s}, what it gave)."""
    begin, before = time.perf_counter(), cpu_ms()
    done = work()
    seconds, cpu = time.perf_counter() - begin, (cpu_ms() - before) / 1000
    return {"seconds": round(seconds, 1), "cpu_s": round(cpu, 1)}, done


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


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def prepare(attempts: int) -> None:
    """Build what is not there. By a process of its own, for what it holds is not the export's memory."""
    django.setup()
    from annotate.models import Study  # noqa: PLC0415  (models need the settings)
    from tests.bench.export.build import build  # noqa: PLC0415

    call_command("migrate", verbosity=0, interactive=False)
    if not Study.objects.exists():
        build(attempts)


def prepared(attempts: int) -> None:
    process = get_context("fork").Process(target=prepare, args=(attempts,))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit("The study could not be written; the lines above say why.")


def measure(options: argparse.Namespace, out: Path) -> Iterator[dict[str, Any]]:
    """Build what is not there, and measure: a row at a time."""
    begin = time.perf_counter()
    prepared(options.attempts)  # before this process has a connection, which the other would share
    yield {"what": "(the database writes the study)", "seconds": round(time.perf_counter() - begin, 1)}
    django.setup()
    from annotate.models import Study  # noqa: PLC0415  (models need the settings)
    from tasks_admin.exports.archive import write_archive  # noqa: PLC0415
    from tasks_admin.exports.bundle import export  # noqa: PLC0415

    study = Study.objects.get(slug="large")
    before, size = timed(lambda: copied(out / "events.copy"))
    yield {"what": "COPY"} | before | {"mb": round(size / 1e6)}
    forget_peak()
    took, written = timed(lambda: export(study, out / "bundle"))
    told = {name: written.manifest["counts"][name] for name in ("attempts", "events", "steps")}
    more = size_of(written.folder) / size
    yield {"what": "bundle"} | took | {"mb": round(size * more / 1e6), "peak_mb": peak_mb()} | told
    after, _ = timed(lambda: copied(out / "events.copy"))
    yield {"what": "COPY"} | after | {"mb": round(size / 1e6)}
    ratios = {name: 2 * took[name] / (before[name] + after[name]) for name in took}
    for what, by in (("of the events", 1.0), ("of as many bytes", more)):
        told = {name: round(ratio / by, 1) for name, ratio in ratios.items()}
        yield {"what": f"bundle, as a multiple of COPY {what}"} | told | {"load": round(os.getloadavg()[0], 1)}
    if options.zip:
        took, _ = timed(lambda: write_archive(written.folder, out / "bundle.zip", "large"))
        yield {"what": "zip"} | took | {"mb": round((out / "bundle.zip").stat().st_size / 1e6)}
    if options.verify:
        yield {"what": "verify_bundle"} | proven(written.folder) | {"load": round(os.getloadavg()[0], 1)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.export", description=__doc__)
    parser.add_argument("--attempts", type=int, default=63_000, help="a multiple of 140; 317 events each")
    parser.add_argument("--zip", action="store_true", help="pack the bundle, too")
    parser.add_argument("--verify", action="store_true", help="prove the bundle, too")
    parser.add_argument("--data", type=Path, help="keep the database here (default: throw it away)")
    parser.add_argument("--out", type=Path, help="where to write for the time (default: the system's temporary folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotate.config.settings"
    with database(options.data), tempfile.TemporaryDirectory(dir=options.out) as folder:
        for row in measure(options, Path(folder)):
            print(json.dumps(row) if options.json else "  ".join(f"{key} {value}" for key, value in row.items()))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
