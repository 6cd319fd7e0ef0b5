"""What verifying a bundle takes, by a process of its own, as its receiver would: what an export held is not in its memory."""

from __future__ import annotations

import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import django


def proven(folder: Path) -> dict[str, Any]:
    """Verify the bundle in this folder: seconds, CPU seconds, the most resident memory and the first problems."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(prove, (folder,))


def prove(folder: Path) -> dict[str, Any]:
    django.setup()
    from tasks_admin.exports.verify import verify  # noqa: PLC0415  (needs the settings)

    begin, before = time.perf_counter(), time.process_time()
    problems = verify(folder)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - before
    return {"seconds": round(seconds, 1), "cpu_s": round(cpu, 1), "peak_mb": peak_mb(), "problems": problems[:5]}


def peak_mb() -> int:
    """The most resident memory of this process, since it began or was told to forget it."""
    status = Path("/proc/self/status").read_text()
    return round(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024)
