"""Command line of the ingest benchmark: a line a load, as JSON with --json."""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests.bench.ingest.posts import batches, write
from tests.endurance.world import World, serving

EVENTS = (20, 60)  # events in a post
POSTS = 2500  # of a page, at the most
BARE = "CREATE UNLOGGED TABLE IF NOT EXISTS bare (recording_id bigint, document_id bigint, n int, body text)"


def one_run(world: World, posts: Path, recordings: int, seconds: float, every: float, at_once: int) -> dict[str, Any]:
    """One load; what the pages saw and what the server spent."""
    plan = {
        "keys": new_keys(recordings),
        "port": world.port,
        "seconds": seconds,
        "every": every,
        "posts": str(posts),
        "at_once": at_once,
    }
    (child,) = [child for child in world.stack.children if child.name == "web"]
    web = psutil.Process(child.process.pid)
    before, rss = cpu(web), web.memory_info().rss
    result = subprocess.run(
        [sys.executable, "-m", "tests.bench.ingest.load"],
        input=json.dumps(plan),
        capture_output=True,
        text=True,
        check=True,
    )
    seen = json.loads(result.stdout)
    ms = sorted(seen["ms"])
    return {
        "recordings": recordings,
        "mode": f"one post each {every:g} s" if every else f"as fast as it goes, {at_once} at once",
        "posts": len(ms),
        "events": seen["events"],
        "events_per_s": round(seen["events"] / seen["seconds"]),
        "bytes_per_event": round(seen["bytes"] / max(1, seen["events"])),  # as they are sent
        "ack_p50_ms": round(statistics.median(ms), 1),
        "ack_p99_ms": round(ms[int(len(ms) * 0.99) - 1], 1),
        "turned_away": seen["turned_away"],
        "server_cpu_s_per_1000_events": round((cpu(web) - before) / seen["events"] * 1000, 4),
        "rss_mb_before": rss >> 20,
        "rss_mb_after": web.memory_info().rss >> 20,
        "load_average": os.getloadavg()[0],
    }


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def new_keys(count: int) -> list[str]:
    """Keys of `count` open recordings."""
    from recorder import recordings  # noqa: PLC0415  (models need the settings)
    from recorder.environments.base import Session  # noqa: PLC0415

    session = Session("s", "http://127.0.0.1:9", "/", "Benchmark", None, ())
    return [recordings.open_recording(session=session, adapter="static").key for _ in range(count)]


def bare_copy(url: str, batches: list[list[str]], *, each_alone: bool) -> dict[str, Any]:
    """COPY the same lines into a logged table without index or check: a transaction for each post, or one for all."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(BARE.replace("UNLOGGED ", ""))
        connection.execute("TRUNCATE bare")
        begun = time.perf_counter()
        for group in [[batch] for batch in batches] if each_alone else [batches]:
            with connection.transaction(), connection.cursor() as cursor, cursor.copy("COPY bare FROM STDIN") as copy:
                for lines in group:
                    for n, text in enumerate(lines):
                        copy.write_row((1, 1, n, text))
        took = time.perf_counter() - begun
    events = sum(map(len, batches))
    return {
        "mode": "bare COPY, a transaction a post" if each_alone else "bare COPY, one transaction",
        "events": events,
        "events_per_s": round(events / took),
    }


def measure(world: World, folder: Path, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All loads, and the bare COPY before and after them."""
    made = batches(7, POSTS, EVENTS)
    posts = folder / "posts.jsonl"
    write(posts, made, as_lines=options.lines)
    one_run(world, posts, 8, 3, 0, 8)  # warm up
    for alone in (True, False):
        yield bare_copy(world.database.url, made[:2000], each_alone=alone)
    for count in options.recordings:
        yield one_run(world, posts, count, options.seconds, 1.0, count)
        yield one_run(world, posts, count, options.seconds, 0.0, min(count, options.at_once))
    for alone in (True, False):
        yield bare_copy(world.database.url, made[:2000], each_alone=alone)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ingest", description=__doc__)
    parser.add_argument("--recordings", type=int, nargs="+", default=[1, 50, 200])
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--at-once", type=int, default=24, help="posts under way at the most in the second mode")
    parser.add_argument("--lines", action="store_true", help="post lines, not what the worker makes of them")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="footpath-ingest-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with serving(Path(folder) / "data") as world:
            for row in measure(world, Path(folder), options):
                told = json.dumps(row) if options.json else ", ".join(f"{name} {value}" for name, value in row.items())
                print(told, flush=True)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
