"""`python -m tests.bench.metrics [--runs 1000000 | --mixed 63000] [--json FILE]`: all figures of so many made-up runs, from files to
the document; or the mixed models of a simulated study of so many attempts, with a person for every 140 of them.

5,000 tasks, people on each under both conditions, and as many models as the runs need. Told: seconds to write, read and check,
and compute; the CPU time of all threads; the peak of resident memory.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tasks_admin.comparison.figures import compute
from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.mixed import mixed_models
from tasks_admin.comparison.read import read_tables
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.truth import Truth

TASKS = 5000
LEVELS = ["easy", "medium", "hard", "expert", "frontier"]


def made_up(folder: Path, runs: int) -> dict[str, Path]:
    """Three tables with plausible numbers, the same every time."""
    rng = np.random.default_rng(7)
    tasks = pl.DataFrame(
        {
            "environment": [f"e{i % 7}" for i in range(TASKS)],
            "task": [f"t{i:05}" for i in range(TASKS)],
            "difficulty": [LEVELS[i % 5] for i in range(TASKS)],
            "primitive": [f"p{i % 8}" for i in range(TASKS)],
            "in_panel": [True] * TASKS,
        }
    )
    grid = tasks.drop("in_panel").join(pl.DataFrame({"condition": ["clean", "intervention"]}), how="cross")
    grid = grid.join(pl.DataFrame({"attempt": ["cold", "warm"]}), how="cross")
    n = grid.height
    steps = rng.integers(1, 40, n)
    attempts = grid.with_columns(
        attempt_id=pl.Series([f"a{i}" for i in range(n)]), annotator=pl.Series([f"P{i % 40}" for i in range(n)]),
        role=pl.lit("primary"),
        round=pl.lit(1), status=pl.lit("complete"), score=pl.Series(rng.integers(0, 11, n) / 10), passed=pl.Series(rng.random(n) < 0.8),
        wall_ms=pl.Series(rng.lognormal(10, 0.6, n)), raw_events=pl.Series(steps * 9), cleaned_events=pl.Series(steps * 2),
        steps=pl.Series(steps), proof_complete=pl.lit(value=True),
    )  # fmt: skip
    cells = tasks.select("task").join(pl.DataFrame({"condition": ["clean", "intervention"]}), how="cross")
    models = pl.DataFrame({"model": [f"m{i:03}" for i in range(max(1, runs // cells.height))]})
    table = models.join(cells, how="cross")
    n = table.height
    table = table.with_columns(
        run_id=pl.Series([f"r{i}" for i in range(n)]), harness=pl.lit("text"), score=pl.Series(rng.integers(0, 11, n) / 10),
        passed=pl.Series(rng.random(n) < 0.6), steps=pl.Series(rng.integers(1, 60, n)), step_unit=pl.lit("action"),
        elapsed_ms=pl.Series(rng.lognormal(11, 0.7, n)),
    )  # fmt: skip
    files = {name: folder / f"{name}.jsonl" for name in ("attempts", "tasks", "runs")}
    for name, frame in (("attempts", attempts), ("tasks", tasks), ("runs", table)):
        frame.write_ndjson(files[name])
    return files


def measure(runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        files = made_up(Path(folder), runs)
        begin, used = time.perf_counter(), time.process_time()
        tables = read_tables(**files)
        read = time.perf_counter()
        figures = compute(tables)
        end, used = time.perf_counter(), time.process_time() - used
    return {
        "runs": tables.runs.height,
        "models": len(figures["agents"]),
        "reading_s": round(read - begin, 1),
        "computing_s": round(end - read, 1),
        "cpu_s": round(used, 1),
        "load": round(os.getloadavg()[0], 1),
        "peak_mb": peak_mb(),
    }


def measure_mixed(attempts: int) -> dict[str, Any]:
    size = Size(environments=7, per_cell=attempts // 140, people=max(4, attempts // 140), duplicates=0)
    drawn = counting(draw(Truth(), size, 1).tables)
    begin, used = time.perf_counter(), time.process_time()
    models = mixed_models(drawn)
    return {
        "attempts": drawn.height,
        "people": size.people,
        "effects": {name: models[name]["intervention"]["effect"] for name in ("passed", "log_time", "log_steps")},
        "seconds": round(time.perf_counter() - begin, 1),
        "cpu_s": round(time.process_time() - used, 1),
        "load": round(os.getloadavg()[0], 1),
        "peak_mb": peak_mb(),
    }


def peak_mb() -> int:
    status = Path("/proc/self/status").read_text()
    return round(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--mixed", type=int, metavar="ATTEMPTS")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    text = json.dumps(measure_mixed(options.mixed) if options.mixed else measure(options.runs), indent=1)
    if options.json:
        options.json.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
