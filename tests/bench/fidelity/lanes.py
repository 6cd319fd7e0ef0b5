"""One task's way through the bench: driven and recorded, cleaned, replayed; and driven again for Playwright's own recorder."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from recorder.harness.desk import Desk
from recorder.harness.record import VIEWPORT, drain, finished, idle, new_recording, read_address
from recorder.recordings import start_recording
from recorder.replay.diagnose import diagnose
from recorder.replay.engine import Run
from recorder.replay.player import Settings
from recorder.replay.source import source_of
from tests.bench.fidelity.hand import Hand
from tests.bench.fidelity.registry import Bench

SEED = 7
PEER_MS = 10_000
SETTLE_MS = 900  # what a page does after its last input, and its verdict


@dataclass
class Outcome:
    """What came of one task. Verdicts are [ended, score]; `steps` against the driver's own `operations`."""

    name: str
    kind: str
    driven: list[Any] | None = None
    complete: bool = False
    operations: int = 0
    steps: int = 0
    replayed: bool = False
    verdict: list[Any] | None = None
    healed: int = 0
    why: str = ""
    pace: str = "fast"
    peer_lines: int = 0
    peer_ran: bool = False
    peer_verdict: list[Any] | None = None
    peer_why: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return is_pass(self.driven)

    @property
    def equal(self) -> bool:
        return self.passed and is_pass(self.verdict)

    @property
    def peer_equal(self) -> bool:
        return self.passed and is_pass(self.peer_verdict)

    def row(self) -> dict[str, Any]:
        return asdict(self) | {"passed": self.passed, "equal": self.equal, "peer_equal": self.peer_equal}


def is_pass(verdict: list[Any] | None) -> bool:
    """Ended with a score above 0, as MiniWoB++ counts success."""
    return bool(verdict and verdict[0] and (verdict[1] or 0) > 0)


@dataclass
class Lanes:
    """What all tasks share: a browser, the database's thread, the gateway's port, and the site's origin."""

    chromium: Browser
    desk: Desk
    port: int
    origin: str

    def address(self, task: Bench, seed: int) -> str:
        return f"{self.origin}{task.path}?seed={seed}"

    def run(self, task: Bench, seed: int = SEED, *, peer: bool = True, keep: list[Any] | None = None) -> Outcome:
        """The whole of one task."""
        outcome = Outcome(task.name, task.kind)
        trace, words = self.record(task, seed, outcome)
        if keep is not None:
            keep.append(trace)
        if trace:
            self.replay(task, seed, trace, words, outcome)
        if peer and outcome.passed:
            self.peer(task, seed, outcome)
        return outcome

    # Ours

    def record(self, task: Bench, seed: int, outcome: Outcome) -> tuple[dict[str, Any] | None, str]:
        """Drive through the gateway; the trace, and the words of the instruction."""
        address = read_address(self.address(task, seed))
        recording = self.desk.do(new_recording, address)
        context = self.chromium.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
        try:
            page = context.new_page()
            self.desk.do(start_recording, recording)
            page.goto(f"http://{recording.key}.{settings.ENV_HOST}:{self.port}{address.path}", wait_until="load")
            words = str(page.evaluate(task.words))
            hand = Hand(page)
            try:
                task.drive(hand)
            except (Error, AssertionError) as error:
                outcome.why = f"not driven: {str(error).splitlines()[0]}"
            outcome.operations = hand.operations
            idle(context, SETTLE_MS)
            outcome.driven = page.evaluate(task.verdict)
            drain(context, recording, self.desk)
        finally:
            context.close()
        trace = self.desk.do(finished, recording)
        outcome.complete, outcome.steps = trace["proof"]["complete"], len(trace["steps"])
        return trace, words

    def replay(self, task: Bench, seed: int, trace: dict[str, Any], words: str, outcome: Outcome) -> None:
        """Replay fast, and at the person's own pace where that does not give the same verdict."""
        why = outcome.why
        for pace in ("fast", "original"):
            outcome.pace = pace
            self.replay_once(task, seed, trace, Settings(pace=pace, words=words), outcome)  # type: ignore[arg-type]
            if not outcome.passed or is_pass(outcome.verdict):
                break
        outcome.why = "; ".join(part for part in (why, outcome.why) if part)

    def replay_once(self, task: Bench, seed: int, trace: dict[str, Any], how: Settings, outcome: Outcome) -> None:
        source = source_of(trace)
        context = self.chromium.new_context(**source.window())
        how.moved = {source.origin: self.origin}
        try:
            run = Run(context, source, how, None)
            run.open(self.address(task, seed))
            run.play()
            run.stage.idle(SETTLE_MS)
            outcome.verdict = run.stage.pages[0].evaluate(task.verdict)
        finally:
            context.close()
        outcome.replayed = run.result.played
        outcome.healed = run.result.counts()["healed"]
        told = diagnose(source, run.result)
        odd = [f"{step.index + 1} {step.type}: {step.why}" for step in run.result.steps if step.why]
        outcome.notes = odd
        outcome.why = f"{told.kind}: {told.words}" if told else ""
        if not told and not is_pass(outcome.verdict):
            outcome.why = "every step was played, but the page's verdict differs"

    # The peer

    def peer(self, task: Bench, seed: int, outcome: Outcome) -> None:
        """The same drive before Playwright's own recorder; then its script, run."""
        context = self.chromium.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
        try:
            sink = Sink()
            impl = context._impl_obj
            context._sync(impl._start_recording({"language": "python"}, sink))
            page = context.new_page()
            page.goto(self.address(task, seed), wait_until="load")
            try:
                task.drive(Hand(page))
            except (Error, AssertionError) as error:
                outcome.peer_why = f"not driven: {str(error).splitlines()[0]}"
            idle(context, SETTLE_MS)
            lines = sink.lines()
            context._sync(impl._stop_recording())
        finally:
            context.close()
        outcome.peer_lines = len(lines)
        self.run_script(task, seed, lines, outcome)

    def run_script(self, task: Bench, seed: int, lines: list[str], outcome: Outcome) -> None:
        context = self.chromium.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
        context.set_default_timeout(PEER_MS)
        try:
            page = context.new_page()
            page.goto(self.address(task, seed), wait_until="load")
            outcome.peer_ran, outcome.peer_why = played(lines, page)
            idle(context, SETTLE_MS)
            outcome.peer_verdict = page.evaluate(task.verdict)
        except Error as error:
            outcome.peer_why = error.message.splitlines()[0]
        finally:
            context.close()


def played(lines: list[str], page: Page) -> tuple[bool, str]:
    """Run the generated lines; whether all ran, and else which did not."""
    context: BrowserContext = page.context
    names = {"re": re, "page": page, "context": context, "expect": expect, "browser": context.browser}
    for line in lines:
        try:
            exec(line, names)
        except Exception as error:  # noqa: BLE001  (whatever somebody else's script runs into is its result)
            return False, f"{line.strip()[:120]}: {str(error).splitlines()[0]}"
    return True, ""


class Sink:
    """Collects what Playwright's recorder generates: a piece of code per action, the last one amended as it goes on."""

    def __init__(self) -> None:
        self.code: list[str] = []

    def action_added(self, page: Any, data: Any, code: str) -> None:
        self.code.append(code)

    def action_updated(self, page: Any, data: Any, code: str) -> None:
        if self.code:
            self.code[-1] = code

    def lines(self) -> list[str]:
        """The code without the opening of pages, which the bench does itself."""
        tidy = ["\n".join(dedented(code)) for code in self.code]
        return [
            code
            for code in tidy
            if code.strip() and ".goto(" not in code and ".close()" not in code and "new_page" not in code
        ]


def dedented(code: str) -> list[str]:
    lines = [line for line in code.splitlines() if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return [line[indent:] for line in lines]
