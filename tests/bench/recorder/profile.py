"""Where the recorder's script time goes: Chromium's CPU profiler over the same drives, functions under their own names."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from recorder.browser import launch_options
from recorder.gateway import script
from tests.bench.recorder.pages import BOXES, DRIVES, Hands
from tests.bench.recorder.site import Site

EVERY_US = 100
SHOWN = 30


def profile(rounds: int, pages: list[str]) -> None:
    """Print each function's own time, ms, the mean of `rounds` drives. The profiler itself costs about as much again."""
    script.minify = None  # so that functions keep their names
    with sync_playwright() as playwright:
        site, browser = Site(b""), playwright.chromium.launch(**launch_options())  # type: ignore[arg-type]
        for page in pages:
            spent: Counter[str] = Counter()
            for _ in range(rounds):
                spent.update(one_drive(browser, site, page))
            print(page, "".join(f"\n{ms / rounds:8.2f} {name}" for name, ms in spent.most_common(SHOWN)))
        browser.close()


def one_drive(browser: Browser, site: Site, page_name: str) -> Counter[str]:
    """One drive: ms of the main thread by function of the recorder, what the browser did for it included."""
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{site.port}/nothing")
        cdp = context.new_cdp_session(page)
        cdp.send("Profiler.enable")
        cdp.send("Profiler.setSamplingInterval", {"interval": EVERY_US})
        cdp.send("Profiler.start")
        page.goto(f"http://127.0.0.1:{site.port}/{page_name}/footpath", wait_until="load")
        DRIVES[page_name](Hands(cdp.send, page.evaluate(BOXES)))
        time.sleep(1)
        return by_function(cdp.send("Profiler.stop")["profile"])


def by_function(found: dict[str, Any]) -> Counter[str]:
    """Own time of each function of the recorder's script, ms; `whole` is their sum."""
    nodes = {node["id"]: node for node in found["nodes"]}
    spent: Counter[str] = Counter()
    for ident, micros in zip(found["samples"], found["timeDeltas"], strict=True):
        frame = nodes[ident]["callFrame"]
        if script.PREFIX in frame["url"]:
            spent[frame["functionName"] or f"line {frame['lineNumber'] + 1}"] += micros / 1000
            spent["whole"] += micros / 1000
    return spent
