"""`python -m tests.bench.cleaning [--events 1000000] [--runs 5] [--json FILE]`.

Cost: cleaning and steps of a recorded trace, laid end to end until it has 100,000 events, against parsing the same JSON, both
in CPU time and in turn in one process; the median of the runs. Memory: a child process reads `--events` events and a tenth of
them as JSON lines, parses, cleans and drops them; the peak resident memory of both is told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from recorder.cleaning.registry import CLEANERS, clean_events, clean_stream

TRACE = Path(__file__).parents[2] / "formats" / "widgets.json"
COST_EVENTS = 100_000


def endless() -> Iterator[dict[str, Any]]:
    """The trace's events again and again, each time later."""
    events = json.loads(TRACE.read_text())["events"]
    span = events[-1]["t"] + 1000
    turn = 0
    while True:
        for event in events:
            yield event | {"t": round(event["t"] + turn * span, 1), "n": event["n"] + turn * 10_000}
        turn += 1


def cpu(work: Any, *arguments: Any) -> tuple[float, Any]:
    begin = time.process_time()
    result = work(*arguments)
    return time.process_time() - begin, result


def cost(runs: int) -> dict[str, Any]:
    """Medians of CPU seconds, and cleaning as a multiple of parsing, per cleaner."""
    events = endless()
    text = json.dumps([next(events) for _ in range(COST_EVENTS)])
    told: dict[str, Any] = {"events": COST_EVENTS, "megabytes": round(len(text) / 1e6, 1)}
    for name in CLEANERS:
        pairs = []
        for _ in range(runs):
            parsing, parsed = cpu(json.loads, text)
            cleaning, _ = cpu(clean_events, parsed, name)
            pairs.append((parsing, cleaning))
        told[name] = {
            "parsing_s": round(median(parsing for parsing, _ in pairs), 3),
            "cleaning_s": round(median(cleaning for _, cleaning in pairs), 3),
            "ratio": round(median(cleaning / parsing for parsing, cleaning in pairs), 2),
        }
    return told


def peak(count: int) -> dict[str, Any]:
    """Peak memory in MB of a process that cleans so many events from lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        events = endless()
        with path.open("w") as lines:
            for _ in range(count):
                lines.write(json.dumps(next(events)) + "\n")
        command = [sys.executable, "-m", "tests.bench.cleaning", "--child", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {"events": count} | json.loads(done.stdout)


def child(path: Path) -> None:
    counts = {"cleaned": 0, "step": 0}
    with path.open() as lines:
        for kind, _ in clean_stream(json.loads(line) for line in lines):
            counts[kind] += 1
    print(json.dumps(counts | {"peak_mb": round(peak_kb() / 1024, 1)}))


def peak_kb() -> int:
    """This program's own peak; `getrusage` would tell that of the process it was forked from, too."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    told = {"cost": cost(options.runs), "memory": [peak(options.events // 10), peak(options.events)]}
    text = json.dumps(told, indent=1)
    if options.json:
        options.json.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
