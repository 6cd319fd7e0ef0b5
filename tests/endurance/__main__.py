"""Command line of the endurance run: prints one line per fault found and a table by kind; status 1 where there was any."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import async_playwright

from recorder.browser import launch_options
from tests.endurance import site
from tests.endurance.wire import Wire
from tests.endurance.world import World, running

SHARED = ("server", "database", "worker")
OWN = ("network", "tab")
ENDS = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)


@dataclass
class Tally:
    """Counts by kind, and every fault found."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        return {"kinds": {kind: dict(counts) for kind, counts in self.counts.items()}, "faults": self.faults}


async def run(world: World, rounds: int, seed: int, lanes: int, kinds: list[str], minutes: float, say: bool) -> Tally:
    """Bouts of `lanes` recordings at once until `rounds` recordings were judged, or the time is over."""
    from tests.endurance.lane import Lane  # noqa: PLC0415  (models need the settings)

    tally = Tally()
    dice = random.Random(seed)
    runner, site_port = await site.start()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**launch_options())  # type: ignore[arg-type]
        wires = [Wire(world.port) for _ in range(lanes)]
        made = [Lane(browser, wire, await wire.start(), site_port, random.Random(dice.random())) for wire in wires]
        bout = 0
        until = time.monotonic() + minutes * 60
        while sum(counts["rounds"] for counts in tally.counts.values()) < rounds and time.monotonic() < until:
            bout += 1
            kind = dice.choice(
                [kind for kind in (*SHARED, "own") if kind in kinds or kind == "own" and set(OWN) & set(kinds)]
            )
            own = [kind for kind in OWN if kind in kinds]
            await one_bout(world, made, kind, own, dice, tally, f"seed {seed} bout {bout}", say)
        await browser.close()
    for wire in wires:
        await wire.stop()
    await runner.cleanup()
    return tally


async def one_bout(
    world: World,
    lanes: list[object],
    kind: str,
    own: list[str],
    dice: random.Random,
    tally: Tally,
    label: str,
    say: bool,
) -> None:
    """All lanes record while one thing that they share dies, or each loses its own network or tab."""
    begun = time.monotonic()
    kinds = [kind if kind in SHARED else dice.choice(own) for _ in lanes]
    await asyncio.gather(*(lane.open() for lane in lanes))
    stop = asyncio.Event()
    driving = [asyncio.ensure_future(lane.drive(stop)) for lane in lanes]
    if kind in SHARED:
        await asyncio.sleep(dice.uniform(0.3, 2.5))
        await shared_fault(world, lanes, kind, dice)
    else:
        waits = [dice.uniform(0.3, 3.0) for _ in lanes]
        await asyncio.gather(
            *(own_fault(lane, name, wait, dice) for lane, name, wait in zip(lanes, kinds, waits, strict=True))
        )
    await asyncio.sleep(dice.uniform(0.2, 1.2))
    stop.set()
    await asyncio.gather(*driving)
    results = await asyncio.gather(*(lane.close() for lane in lanes))
    for place, (name, result) in enumerate(zip(kinds, results, strict=True)):
        counts = tally.counts[name]
        counts["rounds"] += 1
        counts["faults"] += len(result.faults)
        counts["events"] += result.events
        counts["inputs"] += result.truths
        counts["lost_within_1s"] += result.lost_in_crash
        counts["complete"] += result.complete
        tally.counts[name]["moments"] += 1 if name in OWN or place == 0 else 0
        for fault in result.faults:
            tally.faults.append(f"{label} lane {place} {name}: {fault}")
            print(tally.faults[-1], file=sys.stderr, flush=True)
    if say:
        done = sum(counts["rounds"] for counts in tally.counts.values())
        print(f"{done}: {label} {kinds} in {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)


async def shared_fault(world: World, lanes: list[object], kind: str, dice: random.Random) -> None:
    """Kill what all lanes share, wait, and start it again."""
    for lane in lanes:
        lane.away = kind != "worker"
    if kind == "database":
        await asyncio.to_thread(world.database.end, dice.choice(ENDS))
        await asyncio.sleep(dice.uniform(0, 2))
        await asyncio.to_thread(world.database.begin)
    elif kind == "server":
        await asyncio.to_thread(world.kill, "web")
        await asyncio.sleep(dice.uniform(0, 1))
        await asyncio.to_thread(world.stack.start_web)
    else:
        await asyncio.to_thread(world.kill, "worker")
        await asyncio.sleep(dice.uniform(0, 3))
        await asyncio.to_thread(world.restart_worker)
    for lane in lanes:
        lane.away = False


async def own_fault(lane: object, kind: str, wait: float, dice: random.Random) -> None:
    """One lane's network or tab dies."""
    mode, offline, seconds = dice.choice(["cut", "hole", "deaf"]), dice.random() < 0.4, dice.uniform(0.3, 3)
    await asyncio.sleep(wait)
    if kind == "tab":
        await lane.crash()
    else:
        await lane.lose_network(seconds, "cut" if offline else mode, offline)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="recordings to judge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lanes", type=int, default=4, help="recordings driven at once")
    parser.add_argument("--kinds", default=",".join(SHARED + OWN))
    parser.add_argument("--minutes", type=float, default=60, help="begin no more rounds after this")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="footpath-endurance-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with running(Path(folder) / "data") as world:
            tally = asyncio.run(
                run(
                    world,
                    options.rounds,
                    options.seed,
                    options.lanes,
                    options.kinds.split(","),
                    options.minutes,
                    not options.json,
                )
            )
    print(json.dumps(tally.as_json(), indent=None if options.json else 2))
    return 1 if tally.faults else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
