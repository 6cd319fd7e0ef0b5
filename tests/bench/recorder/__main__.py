"""`python -m tests.bench.recorder [--rounds 5] [--pages form,table,canvas,chat] [--json FILE]`; `--sizes` alone; or `--profile`.

Every page is driven the same way without a recorder, with Footpath's, with its capture besides, and with rrweb's, interleaved in
one run of one browser; with listeners that do nothing, as many as Footpath's recorder has; and with such as note an event's type,
time, place, key or value and hand that to a worker, which is what any recorder of the same events costs at least.
Main-thread time is the renderer's own CPU time (`ThreadTime` of CDP's Performance domain, from an empty page to 1.5 s after
the last input, so loading and starting count too); what a recorder adds is its median minus the median without one.
`--sizes` tells only what each part of the page script adds to its size; `--profile` in which functions its time goes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from recorder.browser import launch_options
from recorder.capture import script as capturing
from recorder.gateway.script import gzipped, joined, scripts, sources
from tests.bench.recorder.pages import BOXES, DRIVES, HTML, Hands
from tests.bench.recorder.profile import profile
from tests.bench.recorder.site import RECORDERS, Site, install_rrweb

REST_S = 1.5


def run_once(browser: Browser, site: Site, page_name: str, recorder: str) -> dict[str, float]:
    """One drive of one page: CPU ms of the main thread, ms of it in script, long tasks, heap (bytes), bytes a minute."""
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{site.port}/nothing")
        cdp = context.new_cdp_session(page)
        cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
        site.begin_page()
        before, counts, started = metrics(cdp), (site.sent, site.plain, site.packed, site.stream), time.monotonic()
        page.goto(f"http://127.0.0.1:{site.port}/{page_name}/{recorder}", wait_until="load")
        DRIVES[page_name](Hands(cdp.send, page.evaluate(BOXES)))
        time.sleep(REST_S)
        after, minutes = metrics(cdp), (time.monotonic() - started) / 60
        tasks = page.evaluate("longTasks")
        cdp.send("HeapProfiler.collectGarbage")
        return {
            "cpu": (after["ThreadTime"] - before["ThreadTime"]) * 1000,
            "script": (after["ScriptDuration"] - before["ScriptDuration"]) * 1000,
            "tasks": len(tasks),
            "longest": max(tasks, default=0),
            "heap": metrics(cdp)["JSHeapUsedSize"],
            "sent": (site.sent - counts[0]) / minutes,
            "plain": (site.plain - counts[1]) / minutes,
            "packed": (site.packed - counts[2]) / minutes,
            "stream": (site.stream - counts[3]) / minutes,
        }


def metrics(cdp: Any) -> dict[str, float]:
    return {metric["name"]: metric["value"] for metric in cdp.send("Performance.getMetrics")["metrics"]}


def measure(rounds: int, pages: list[str]) -> dict[str, Any]:
    """All figures: `{"sizes": …, "pages": {page: {recorder: {figure: median}}}}`."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        version, rrweb = install_rrweb(Path(folder))
        site = Site(rrweb)
        browser = playwright.chromium.launch(**launch_options())  # type: ignore[arg-type]
        runs: dict[tuple[str, str], list[dict[str, float]]] = {}
        for turn in range(rounds):
            for page in pages:
                for recorder in turned(RECORDERS, turn):
                    runs.setdefault((page, recorder), []).append(run_once(browser, site, page, recorder))
        browser.close()
    return {
        "rrweb": version,
        "rounds": rounds,
        "sizes": sizes(rrweb),
        "pages": {page: summary(runs, page) for page in pages},
    }


def turned(names: tuple[str, ...], turn: int) -> tuple[str, ...]:
    """The names, another one first in each round."""
    at = turn % len(names)
    return names[at:] + names[:at]


def sizes(rrweb: bytes) -> dict[str, int]:
    """Bytes, gzipped."""
    served = scripts()
    worker = len(served.worker.encoded["gzip"]) if served.worker else 0
    return {
        "footpath": len(served.recorder.encoded["gzip"]),
        "worker": worker,
        "capture": len(capturing.script().encoded["gzip"]),
        "rrweb": len(gzip.compress(rrweb, 9)),
    }


def parts() -> dict[str, int]:
    """What each part of the page script adds: its gzipped bytes as it is minus those of all others."""
    paths = [path for path in sources() if not path.name.startswith("worker")]
    whole = len(gzipped(joined(paths)))
    others = {path.name: [other for other in paths if other != path] for path in paths}
    return {name: whole - len(gzipped(joined(rest))) for name, rest in others.items()}


def summary(runs: dict[tuple[str, str], list[dict[str, float]]], page: str) -> dict[str, dict[str, float]]:
    """Medians by recorder; `added_*` against the page without one, each round against its own."""
    out = {}
    for recorder in RECORDERS:
        mine, bare = runs[page, recorder], runs[page, "none"]
        out[recorder] = {key: median(run[key] for run in mine) for key in mine[0]}
        for key in ("cpu", "script", "heap"):
            pairs = zip(mine, bare, strict=True)
            out[recorder]["added_" + key] = median(run[key] - other[key] for run, other in pairs)
        out[recorder]["longest"] = max(run["longest"] for run in mine)
    return out


COLUMNS = {  # title → figure, and what to divide it by
    "CPU ms": ("cpu", 1), "added": ("added_cpu", 1), "script+": ("added_script", 1), "long": ("tasks", 1), "longest": ("longest", 1),
    "heap+ kB": ("added_heap", 1024), "kB/min": ("sent", 1024), "plain": ("plain", 1024), "gzip": ("packed", 1024),
    "stream": ("stream", 1024),
}  # fmt: skip


def show(found: dict[str, Any]) -> None:
    print(f"rrweb record {found['rrweb']}, {found['rounds']} rounds; gzipped bytes: {found['sizes']}")
    print(f"{'page':8}{'recorder':10}" + "".join(f"{title:>10}" for title in COLUMNS))
    for page, by in found["pages"].items():
        for name, row in by.items():
            print(f"{page:8}{name:10}" + "".join(f"{row[key] / unit:10.1f}" for key, unit in COLUMNS.values()))
        ours, theirs = by["footpath"], by["rrweb"]
        share = {
            key: ours[key] / theirs[key] if theirs[key] else 0
            for key in ("added_cpu", "added_script", "sent", "packed")
        }
        print(f"{'':8}of rrweb's: main-thread time {share['added_cpu']:.2f} (script {share['added_script']:.2f}), "
              f"bytes sent {share['sent']:.2f} (both packed {share['packed']:.2f})")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", default=",".join(HTML))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if options.sizes:
        print("\n".join(f"{size:6} {name}" for name, size in parts().items()))
        return
    if options.profile:
        profile(options.rounds, options.pages.split(","))
        return
    found = measure(options.rounds, options.pages.split(","))
    show(found)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


main()
