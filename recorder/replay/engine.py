"""Plays a trace's steps in a browser context, one result per step; it stops at the first step that cannot be played."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Error, Page

from recorder.replay import keyboard, pointer, travel, widgets
from recorder.replay.player import MOST_PATIENCE_S, Camera, Player, Settings
from recorder.replay.results import DONE, FAILED, HEALED, Replay, StepFailed, StepResult
from recorder.replay.source import Key, Source, Step
from recorder.replay.stage import Stage, path_of
from recorder.replay.witness import Witness

Action = Callable[[Player, Step], str]
ACTIONS: dict[str, Action] = {
    "click": pointer.click, "dblclick": pointer.dblclick, "contextmenu": pointer.contextmenu, "hover": pointer.hover,
    "drag": pointer.drag, "scroll": pointer.scroll, "fill": keyboard.fill, "press": keyboard.press, "copy": keyboard.copy,
    "paste": keyboard.paste, "select_option": widgets.select_option, "set_value": widgets.set_value, "check": widgets.check,
    "upload": widgets.upload, "goto": travel.goto, "back": travel.back, "forward": travel.forward, "reload": travel.reload,
    "tab": travel.tab, "dialog": travel.dialog, "wait": travel.wait,
}  # fmt: skip
BETWEEN_MS = 40  # between steps at the fast pace
QUIET_S = 3.0  # at most so long for the site's requests to be answered between two steps, and no longer than the person waited
AFTER_LAST_S = 6.0
LOAD_S = 20.0
LAST_LOOK_S = 3.0  # for a success that a page shows only a moment after the last step
SETTLE_MS = 150
FIRST_TRY_S = 4.0
BY_POINTER = frozenset({"click", "dblclick", "contextmenu", "hover", "drag"})
ON_A_PLACE = frozenset({"goto", "back", "forward", "reload", "tab", "dialog", "wait"})  # steps that need no frame


def replay(
    context: BrowserContext,
    source: Source,
    start: str,
    settings: Settings,
    camera: Camera | None = None,
    witness: Witness | None = None,
) -> Replay:
    """Open `start` in `context` and play the steps. What cannot be played is in the result; only a fault of ours is raised."""
    run = Run(context, source, settings, camera, witness)
    began = time.monotonic()
    try:
        run.open(start)
        run.play()
    except Error as error:
        run.result.error = f"The browser said: {error.message.splitlines()[0]}"
    run.result.notes += run.stage.unasked
    run.result.ms = round((time.monotonic() - began) * 1000, 1)
    return run.result


class Run:
    """One replay under way."""

    def __init__(
        self,
        context: BrowserContext,
        source: Source,
        settings: Settings,
        camera: Camera | None,
        witness: Witness | None = None,
    ) -> None:
        self.witness = witness
        self.source, self.settings, self.camera = source, settings, camera
        self.stage = Stage(context, source.steps)
        self.context = context
        self.result = Replay(settings.pace, [StepResult(i, step["type"]) for i, step in enumerate(source.steps)])
        self.docs: dict[Key, str] = {}  # the recording's document now shown in a tab and frame
        self.loads: dict[Page, int] = {}  # documents a tab had loaded when its present one was first acted in
        self.began = 0.0

    def open(self, start: str) -> None:
        """The first page, with the rights that copy and paste need."""
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = self.context.new_page()
        try:
            page.goto(start, wait_until="load", timeout=30_000)
        except Error as error:
            self.result.error = f"{path_of(start)} could not be opened: {error.message.splitlines()[0]}"

    def play(self) -> None:
        """Every step, until one fails."""
        self.began = time.monotonic()
        for index, step in enumerate(self.source.steps):
            if self.result.error:
                return
            self.keep_pace(index)
            if not self.play_one(index, step):
                self.result.broke_at = index + 1
                break
            self.look()
        self.stage.wait_quiet(AFTER_LAST_S, 0.3)
        self.stage.idle(SETTLE_MS)
        self.look()
        deadline = time.monotonic() + LAST_LOOK_S
        while self.witness and not self.witness.verdict().passed and time.monotonic() < deadline:
            self.stage.idle(100)
            self.look()

    def look(self) -> None:
        """Have the witness look for success."""
        if self.witness:
            self.witness.look(self.stage.pages)

    def keep_pace(self, index: int) -> None:
        """Wait as the pace asks before step `index`: as long as then, or until the site has answered."""
        if index == 0:
            return
        gap = self.gap(index)
        if self.settings.pace == "original":
            first = self.source.steps[0]["t"]
            due = self.began + (self.source.steps[index]["t"] - first) / 1000
            self.stage.idle(max(0.0, (due - time.monotonic()) * 1000))
        else:
            self.stage.idle(BETWEEN_MS)
            self.stage.wait_quiet(min(QUIET_S, max(0.2, gap)))

    def gap(self, index: int) -> float:
        """Seconds between the end of the step before and the beginning of this one, as recorded."""
        if index == 0:
            return 0.0
        before, step = self.source.steps[index - 1], self.source.steps[index]
        return max(0.0, float(step["t"] - before.get("t_end", before["t"])) / 1000)

    def play_one(self, index: int, step: Step) -> bool:
        """Play one step; False where it failed."""
        result, began = self.result.steps[index], time.monotonic()
        self.stage.at = index
        player: Player | None = None
        try:
            player = self.player(index, step)
            healed = self.act(player, index, step)
            result.outcome, result.why = (HEALED, healed) if healed else (DONE, "")
        except StepFailed as failed:
            result.outcome, result.why, result.found = FAILED, failed.why, failed.found
        except Error as error:
            result.outcome, result.why = FAILED, f"The browser said: {error.message.splitlines()[0]}"
        result.ms = round((time.monotonic() - began) * 1000, 1)
        self.note_page(player, step, result)
        return result.outcome != FAILED

    def act(self, player: Player, index: int, step: Step) -> str:
        """Do it; where the target does not show, once more after following the pointer's recorded way to it."""
        way = self.source.way_to(index) if step["type"] in BY_POINTER else []
        if not way:
            return ACTIONS[step["type"]](player, step)
        patience, player.patience = player.patience, min(player.patience, FIRST_TRY_S)
        try:
            return ACTIONS[step["type"]](player, step)
        except StepFailed as failed:
            player.patience = patience
            pointer.follow(player, way)
            healed = ACTIONS[step["type"]](player, step)
            return healed or f"done after following the pointer's way; before that: {failed.why}"

    def player(self, index: int, step: Step) -> Player:
        """A player in the step's tab and frame, once the document is there that the step was done in."""
        patience = min(MOST_PATIENCE_S, self.settings.patience + self.gap(index))
        page = self.stage.page(self.tab(step), patience)
        self.await_document(page, step, patience)
        place = "" if step["type"] in ON_A_PLACE else str(step.get("frame") or "")
        frame = self.stage.frame(page, place, patience)
        return Player(
            self.stage, self.source, self.settings, self.camera, page, frame, self.result.steps[index], patience
        )

    def tab(self, step: Step) -> int:
        """The tab the step was done in, in order of opening."""
        return self.source.tab(int(step.get("tab") or 1))

    def await_document(self, page: Page, step: Step, patience: float) -> None:
        """Where the step was done in another document than the tab's last one, wait until the tab has loaded one more."""
        doc, tab = step.get("doc"), self.tab(step)
        if step.get("frame") or not doc or step["type"] in ON_A_PLACE:
            return
        before = self.docs.get((tab, ""))
        if before is not None and before != doc and self.source.url_of(doc):
            self.stage.wait_load(page, self.loads.get(page, 0), min(LOAD_S, patience))
        self.docs[(tab, "")] = doc
        self.loads[page] = self.stage.loads[page]

    def note_page(self, player: Player | None, step: Step, result: StepResult) -> None:
        """Where it was played, and the picture after it."""
        if player is None or player.page.is_closed():
            return
        result.page = path_of(player.page.url)
        if step["type"] in {"goto", "back", "forward", "reload"}:
            self.docs.pop((self.tab(step), ""), None)
        if self.camera:
            player.picture()
            self.stage.idle(SETTLE_MS if result.outcome != FAILED else 0)
            result.after = self.camera.take(player.page)
