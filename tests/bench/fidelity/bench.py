"""All tasks, one after another, in one browser and one gateway."""

from __future__ import annotations

import argparse
import json
from typing import Any

from django.core.management import call_command

from recorder.harness.desk import Desk
from recorder.harness.record import browser
from recorder.harness.serve import gateway_port
from tests.bench.fidelity import components_drive, miniwob_pointer, miniwob_text
from tests.bench.fidelity.build import build
from tests.bench.fidelity.lanes import Lanes, Outcome
from tests.bench.fidelity.registry import TASKS, Bench
from tests.bench.fidelity.site import serving

MODULES = (miniwob_text, miniwob_pointer, components_drive)


def chosen(options: argparse.Namespace) -> list[Bench]:
    """The tasks that the command line names, by kind."""
    names = [name for name in options.tasks.split(",") if name]
    kinds = tuple(kind for kind in options.kinds.split(",") if kind)
    found = [
        task
        for task in TASKS.values()
        if (not names or task.name in names) and (not kinds or task.kind.startswith(kinds))
    ]
    return sorted(found, key=lambda task: (task.kind, task.name))


def run_all(options: argparse.Namespace) -> list[Outcome]:
    """The outcome of each chosen task, printed as it comes."""
    tasks = chosen(options)
    if any(task.path.startswith("/components/") for task in tasks):
        build()
    call_command("migrate", verbosity=0, interactive=False)
    outcomes = []
    with Desk() as desk, browser(headless=True) as chromium, gateway_port() as port, serving() as origin:
        lanes = Lanes(chromium, desk, port, origin)
        for task in tasks:
            kept: list[Any] = []
            outcome = lanes.run(task, options.seed, peer=options.peer, keep=kept)
            if options.keep and kept[0]:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{task.name}.json").write_text(json.dumps(kept[0], ensure_ascii=False, indent=1))
            print(line(outcome), flush=True)
            outcomes.append(outcome)
    return outcomes


def line(outcome: Outcome) -> str:
    """One outcome as a line."""
    ours = "same" if outcome.equal else "OTHER"
    peer = "same" if outcome.peer_equal else "other" if outcome.peer_lines or outcome.peer_why else "-"
    counts = f"{outcome.steps}/{outcome.operations}"
    told = f"{outcome.name:28} {outcome.kind:22} driven {outcome.driven} {ours:5} {counts} {outcome.pace} peer {peer}"
    return " | ".join(part for part in (told, outcome.why, "; ".join(outcome.notes), outcome.peer_why) if part)
