"""Steps of the browser itself: addresses, history, tabs, dialogs."""

from __future__ import annotations

import time

from playwright.sync_api import Error

from recorder.replay.player import Player
from recorder.replay.results import StepFailed
from recorder.replay.source import Step

LOAD_MS = 30_000


def goto(player: Player, step: Step) -> str:
    player.picture()
    url = player.here(str(step.get("url") or ""))
    if not url:
        raise StepFailed("The recording does not say which address was entered.")
    try:
        player.page.goto(url, wait_until="domcontentloaded", timeout=LOAD_MS)
    except Error as error:
        raise StepFailed(f"{url} could not be opened: {error.message.splitlines()[0]}") from error
    return ""


def back(player: Player, step: Step) -> str:
    return traverse(player, step, -1)


def forward(player: Player, step: Step) -> str:
    return traverse(player, step, 1)


def traverse(player: Player, step: Step, way: int) -> str:
    """As many entries of the history as then."""
    player.picture()
    told = [event.get("delta") for event in player.source.raw(step) if event["type"] == "navigate"]
    for _ in range(abs(int(told[-1])) if told and told[-1] else 1):
        before = player.page.url
        if way < 0:
            player.page.go_back(wait_until="domcontentloaded", timeout=LOAD_MS)
        else:
            player.page.go_forward(wait_until="domcontentloaded", timeout=LOAD_MS)
        if player.page.url == before == "about:blank":
            raise StepFailed("There is nothing to go back to." if way < 0 else "There is nothing to go forward to.")
    return ""


def reload(player: Player, step: Step) -> str:
    player.picture()
    player.page.reload(wait_until="domcontentloaded", timeout=LOAD_MS)
    return ""


def tab(player: Player, step: Step) -> str:
    """Go to a tab, or close one."""
    page = player.stage.page(player.source.tab(int(step.get("index") or step.get("tab") or 1)), player.patience)
    if step.get("action") == "close":
        player.picture()
        page.close(run_before_unload=False)
        return ""
    page.bring_to_front()
    player.page = page
    player.picture()
    return ""


def dialog(player: Player, step: Step) -> str:
    """The dialog was answered when it opened, which may have been during the step before."""
    index, end = player.result.index, time.monotonic() + player.patience
    while index not in player.stage.answered:
        if time.monotonic() > end:
            raise StepFailed(f"The {step.get('kind') or 'dialog'} did not open.")
        player.stage.idle(50)
    player.picture()
    odd = player.stage.answered[index]
    return f"answered, though {odd}" if odd else ""


def wait(player: Player, step: Step) -> str:
    """Only information: the replay waits for what comes next."""
    player.picture()
    return ""
