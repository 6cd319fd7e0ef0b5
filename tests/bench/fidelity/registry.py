"""The tasks of the bench by name: their kind, where they are, and who drives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.fidelity.hand import Hand

Drive = Callable[[Hand], None]
COMPONENT_VERDICT = "window.verdict()"
MINIWOB_VERDICT = "[WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]"


@dataclass(frozen=True)
class Bench:
    """One task. `verdict` is a script that gives [whether it ended, its score] in the page."""

    name: str
    kind: str
    path: str
    drive: Drive
    verdict: str
    words: str = "document.querySelector('#query')?.innerText || ''"


TASKS: dict[str, Bench] = {}


def driver(kind: str, name: str = "") -> Callable[[Drive], Drive]:
    """Register a driver of a MiniWoB++ page, under its function's name or the one given."""

    def register(drive: Drive) -> Drive:
        task = name or drive.__name__.replace("_", "-")
        TASKS[task] = Bench(task, f"miniwob {kind}", f"/miniwob/{task}.html", drive, MINIWOB_VERDICT)
        return drive

    return register


def component(library: str, kind: str) -> Callable[[Drive], Drive]:
    """Register a driver of a component page, under its function's name."""

    def register(drive: Drive) -> Drive:
        task = drive.__name__.replace("_", "-")
        TASKS[task] = Bench(task, f"{library} {kind}", f"/components/{task}.html", drive, COMPONENT_VERDICT)
        return drive

    return register
