"""One recording at a time in real Chromium, with real mouse and keyboard, while its world falls apart."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import OperationalError, connections
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Response

from recorder import recordings
from recorder.environments.base import Session
from recorder.models import Recording
from tests.endurance.judge import Judgement, Truth, judge
from tests.endurance.site import BUTTONS, FIELD, LINK, centre
from tests.endurance.wire import Mode, Wire

T = TypeVar("T")
LETTERS = "abcdefghijklmnopqrstuvwxyz "
DRAINED_S = 40.0
ACT_S = 25.0  # longer than Playwright waits for a page to load


@dataclass
class Lane:
    """Drives one recording: `open`, `drive` until told to stop, `close` to judge it."""

    browser: Browser
    wire: Wire
    port: int
    site: int
    random: random.Random
    truth: Truth = field(default_factory=Truth)
    context: BrowserContext | None = None
    page: Page | None = None
    recording: Recording | None = None
    away: bool = False  # the server can't be reached: a page that is left now can't be followed by another
    left: bool = False

    async def open(self) -> None:
        """A new recording in a browser profile of its own."""
        self.truth, self.left, self.away = Truth(), False, False
        session = Session("s", f"http://127.0.0.1:{self.site}", "/", "Endurance", None, ())
        self.recording = await asked(lambda: recordings.open_recording(session=session, adapter="static"))
        self.context = await self.browser.new_context(viewport={"width": 900, "height": 600})
        self.context.set_default_timeout(20_000)
        await self.show()

    async def show(self) -> None:
        """The recording's page in a new tab."""
        assert self.context is not None
        self.page = await self.context.new_page()
        self.page.on("console", self.told)
        self.page.on("response", self.answered)
        await self.arrive()

    async def arrive(self) -> None:
        assert self.page is not None
        assert self.recording is not None
        await self.page.goto(f"http://{self.recording.key}.env.localhost:{self.port}/")

    def answered(self, reply: Response) -> None:
        """Instead of the next page the gateway says that its database is away: nobody is recorded there."""
        if reply.request.is_navigation_request() and reply.status >= 500:
            self.left = True

    def told(self, message: ConsoleMessage) -> None:
        if message.text.startswith("truth "):
            self.truth.add(message.text[6:])

    async def drive(self, stop: asyncio.Event) -> None:
        """Click, type, scroll and go on to the next page, until `stop`."""
        while not stop.is_set():
            if self.left and self.away:
                await asyncio.sleep(0.05)
                continue
            if self.left:
                await self.again()
            # The tab crashed under the hand, and `crash` opens another; or Chromium never answers for an input.
            with contextlib.suppress(Error, TimeoutError):
                await asyncio.wait_for(self.act(), ACT_S)
            await asyncio.sleep(self.random.uniform(0.01, 0.08))

    async def act(self) -> None:
        """One thing a person does."""
        page, dice = self.page, self.random.random()
        assert page is not None
        if dice < 0.45:
            await page.mouse.click(*centre(self.random.randrange(BUTTONS)))
        elif dice < 0.8:
            await page.mouse.click(*FIELD)
            await page.keyboard.type("".join(self.random.choices(LETTERS, k=5)), delay=15)
        elif dice < 0.9:
            await page.mouse.move(self.random.randrange(800), self.random.randrange(200), steps=4)
        elif dice < 0.93:
            await self.leave(page)

    async def leave(self, page: Page) -> None:
        """Follow the link; where the server is away there is nothing behind it."""
        away = self.away
        await page.mouse.click(*LINK)
        if away or self.away:
            self.left = True
            return
        with contextlib.suppress(Error):
            await page.wait_for_load_state("load")

    async def again(self) -> None:
        """After a page that did not come: the first one once more."""
        try:
            self.left = False
            await self.arrive()
        except Error:
            self.left = True
            await asyncio.sleep(0.3)

    async def crash(self) -> None:
        """Kill the page's renderer, and open the recording in a new tab."""
        assert self.context is not None
        assert self.page is not None
        dead = self.page
        gone = asyncio.Event()
        dead.on("crash", lambda _: gone.set())
        session = await self.context.new_cdp_session(dead)
        deadline = time.monotonic() + 20
        while not gone.is_set():
            assert time.monotonic() < deadline, "the tab would not crash"
            dying = asyncio.ensure_future(session.send("Page.crash"))
            asked = time.time() * 1000
            # Chromium refuses while a page is on its way; a page that has crashed never answers.
            await asyncio.wait({dying, waiting := asyncio.ensure_future(gone.wait())}, return_when="FIRST_COMPLETED")
            waiting.cancel()
            if dying.done():
                dying.exception()
                await asyncio.sleep(0.02)
            dying.cancel()
        self.truth.crashes.append(asked)
        await asyncio.sleep(self.random.uniform(0, 1))
        await self.show()
        with contextlib.suppress(Error):
            await dead.close()

    async def lose_network(self, seconds: float, mode: Mode, offline: bool) -> None:
        """The network is away for a while; the browser knows of it where `offline`."""
        assert self.context is not None
        self.away = True
        self.wire.become(mode)
        if offline:
            await self.context.set_offline(True)
        await asyncio.sleep(seconds)
        if offline:
            await self.context.set_offline(False)
        self.wire.become("whole")
        self.away = False

    async def close(self) -> Judgement:
        """End the recording as the app does: ask for what is left, wait for it, close; then judge."""
        assert self.recording is not None
        assert self.context is not None
        recording = self.recording
        begun = time.monotonic()
        while self.left and time.monotonic() - begun < DRAINED_S:
            await self.again()
        begun = time.monotonic()
        await asked(lambda: recordings.begin_closing(recording))
        while not await asked(lambda: recordings.is_drained(recording)):
            if time.monotonic() - begun > DRAINED_S:
                break
            await asyncio.sleep(0.1)
        late = time.monotonic() - begun > DRAINED_S
        await asked(lambda: recordings.close_recording(recording))
        result = await asked(lambda: judge(recording, self.truth))
        if late:
            result.faults.append(f"not drained within {DRAINED_S} s")
        with contextlib.suppress(Error):
            await self.context.close()
        return result


async def asked(work: Any) -> Any:
    """Ask the database from a thread; again where its restart broke the pooled connections."""

    def run() -> Any:
        for attempt in range(20):
            try:
                return work()
            except OperationalError:
                if attempt == 19:
                    raise
            finally:
                connections.close_all()
        return None

    return await asyncio.to_thread(run)
