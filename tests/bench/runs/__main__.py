"""`python -m tests.bench.runs [--gigabytes 2]`: a JSON lines file of agents' runs taken into a study, as the worker does it.

A row in fifty is of a task that the study has, the others are rejected; most of a row is text that no reader asks for. Told: rows and
seconds, and the peak of the process's resident memory before the import and after it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import django
import psutil
from django.core.management import call_command

from annotate.config import laptop

TASKS = 500
FILLER = "what the model said about it. " * 60


def written(path: Path, size: int) -> int:
    """Rows of about two kilobytes until the file has the size; how many they are."""
    rows = 0
    with path.open("w") as file:
        while file.tell() < size:
            for _ in range(1000):
                known = rows % 50 == 0
                row = {
                    "model": f"m{rows // 50 // TASKS:04}", "task": f"t{rows // 50 % TASKS}" if known else f"x{rows}",
                    "condition": "clean", "score": 1.0, "passed": True, "steps": 7,
                    "step_unit": "model_turns", "elapsed_s": 12.5, "run_id": f"r{rows}",
                    "transcript": FILLER,
                }  # fmt: skip
                file.write(json.dumps(row) + "\n")
                rows += 1
    return rows


def study() -> Any:
    """A study of TASKS tasks under one condition."""
    from annotate.models import Environment, Study, Task, TaskCondition  # noqa: PLC0415  (needs the settings)

    made = Study.objects.create(slug="bench", name="Bench", instrument=[], state="frozen")
    environment = Environment.objects.create(slug="site", name="Site", adapter="static")
    for number in range(TASKS):
        task = Task.objects.create(environment=environment, slug=f"t{number}", title=f"T{number}", difficulty="easy")
        TaskCondition.objects.create(study=made, task=task, condition="clean")
    return made


def measure(size: int) -> dict[str, Any]:
    django.setup()
    call_command("migrate", verbosity=0)
    from tasks_admin.runs.registry import find_format  # noqa: PLC0415  (needs the settings)
    from tasks_admin.runs.shape import Given  # noqa: PLC0415
    from tasks_admin.runs.take_in import import_runs  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        rows, made = written(path, size), study()
        before, began = peak_mb(), time.perf_counter()
        told = import_runs(made, find_format(path), path, Given())
        return {
            "gigabytes": round(path.stat().st_size / 1024**3, 2),
            "rows": rows,
            "taken": told.taken,
            "rejected": told.rejected.count,
            "seconds": round(time.perf_counter() - began, 1),
            "peak_mb_before": before,
            "peak_mb": peak_mb(),
            "load": round(psutil.getloadavg()[0], 1),
        }


def peak_mb() -> int:
    status = Path("/proc/self/status").read_text()
    return round(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    options = parser.parse_args()
    with laptop.throwaway():
        print(json.dumps(measure(int(options.gigabytes * 1024**3)), indent=1))


if __name__ == "__main__":
    main()
