"""Record one page, by the gateway or by the harness, with a person at the window or a drive file at the keys."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Error, Page, TimeoutError, sync_playwright

from recorder.browser import launch_options
from recorder.capture.query import events_of
from recorder.environments.base import Session
from recorder.harness.desk import Desk
from recorder.harness.drive import Action, Player
from recorder.harness.errors import HarnessError
from recorder.harness.inject import Injection, farewells
from recorder.harness.interception import interception
from recorder.harness.login import Login
from recorder.harness.policies import Policies
from recorder.harness.serve import gateway_port
from recorder.models import Recording
from recorder.recordings import begin_closing, close_recording, is_drained, is_whole, open_recording, start_recording
from recorder.trace import build_trace

WAYS = ("gateway", "harness")
DRAIN_S = 10.0
LAST_WORDS_S = 3.0
LOAD_S = 15.0  # how long a drive waits for a page's load, which an image without end keeps from ever coming
SETTLE_MS = 150  # what the last input does in the page
NUDGE = "self.dispatchEvent(new MessageEvent('message', { data: { drain: true } }))"
NO_DISPLAY = (
    "recording by hand opens a browser window, and there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set). "
    "Run it on a desktop, or play a file of inputs with --drive, which needs no display."
)
VIEWPORT = {"width": 1280, "height": 720}


@dataclass(frozen=True)
class Address:
    """A URL in the two parts that a recording keeps, and the user and password that may stand in it."""

    origin: str
    path: str
    userinfo: str = ""  # as it is written before the @

    @property
    def upstream(self) -> str:
        """The origin as the gateway asks it."""
        return self.origin.replace("://", f"://{self.userinfo}@", 1) if self.userinfo else self.origin

    def login(self, *, has_window: bool) -> Login | None:
        """What the harness logs in with."""
        user, _, password = map(unquote, self.userinfo.partition(":"))
        return Login(self.origin, user, password, has_window=has_window) if self.userinfo else None


def read_address(url: str) -> Address:
    """`url` as origin and path with query. Raises HarnessError where it is no http(s) address."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (read for what it raises)
    except ValueError as error:
        raise HarnessError(f"{url} is no web address: {error}.") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise HarnessError(f"{url} is no web address: it must begin with http:// or https://.")
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    userinfo, _, host = parts.netloc.rpartition("@")
    return Address(f"{parts.scheme}://{host}", (parts.path or "/") + query + fragment, userinfo)


def has_display() -> bool:
    """Whether a window can be opened: always on macOS and Windows, else where X or Wayland runs."""
    return not sys.platform.startswith("linux") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


@contextlib.contextmanager
def browser(*, headless: bool) -> Iterator[Browser]:
    """A running Chromium. Raises HarnessError with the remedy where there is none, or no display for its window."""
    if not headless and not has_display():
        raise HarnessError(NO_DISPLAY)
    try:
        options: dict[str, Any] = launch_options(headless=headless)
    except RuntimeError as error:
        raise HarnessError(str(error)) from error
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(**options, handle_sigint=False)
        except Error as error:
            raise HarnessError(f"Chromium did not start: {error.message.splitlines()[0]}") from error
        with chromium:
            yield chromium


@dataclass
class Take:
    """One recording in the making."""

    chromium: Browser
    desk: Desk
    address: Address
    actions: list[Action] | None
    files: Path | None = None
    capture: Path | None = None  # where the pages go as they were seen, if they are asked for
    stop: Event = field(default_factory=Event)  # set to end it now, as if the person had gone or the drive were played

    def by(self, via: str, port: int | None = None) -> dict[str, Any]:
        """Record by `via` and return the trace. `port` is the gateway's, where one runs already."""
        recording = self.desk.do(new_recording, self.address, capture=self.capture is not None)
        with contextlib.ExitStack() as stack:
            if via == "gateway":
                at = port or stack.enter_context(gateway_port())
                context = self.chromium.new_context(**self.window())
                start = f"http://{recording.key}.{settings.ENV_HOST}:{at}{self.address.path}"
            else:
                context = self.chromium.new_context(**self.window(), service_workers="block")
                goodbyes = stack.enter_context(farewells())
                goodbyes.injection = Injection(context, recording, self.desk, goodbyes.url)
                passing = Policies(goodbyes.url).pass_on
                login = self.address.login(has_window=self.actions is None)
                stack.enter_context(interception(self.chromium, goodbyes.injection.answer, passing, login))
                start = self.address.origin + self.address.path
            stack.callback(close, context)
            self.play(context, start, recording)
            if self.capture:
                leave(context, recording, self.desk)
        if self.capture:
            self.desk.do(write_capture, recording, self.capture)
        return self.desk.do(finished, recording)

    def window(self) -> dict[str, Any]:
        return {"no_viewport": True} if self.actions is None else {"viewport": VIEWPORT}

    def play(self, context: BrowserContext, start: str, recording: Recording) -> None:
        """Open the page, let it be used, and wait until everything is held."""
        page = context.new_page()
        self.desk.do(start_recording, recording)
        try:
            reply = page.goto(start, wait_until="commit")
            if reply and reply.status == 401 and self.address.userinfo:
                raise HarnessError(f"{start} could not be opened: it refused the user and password of --url.")
            if self.actions is not None:
                wait_for_load(page, self.stop)
        except Error as error:
            raise HarnessError(f"{start} could not be opened: {error.message.splitlines()[0]}") from error
        if self.actions is None:
            wait_for_close(context, self.stop)
        else:
            Player(page, files=self.files, stop=self.stop).play(self.actions)
            idle(context, SETTLE_MS)
        drain(context, recording, self.desk)


def close(context: BrowserContext) -> None:
    """Close what may be closed already: a person may have quit the whole browser."""
    with contextlib.suppress(Error):
        context.close()


def new_recording(address: Address, *, capture: bool = False) -> Recording:
    session = Session(id="", upstream=address.upstream, start_path=address.path, title="", instruction=None)
    return open_recording(session=session, adapter="record", capture=capture)


def finished(recording: Recording) -> dict[str, Any]:
    close_recording(recording)
    return build_trace(recording)


def leave(context: BrowserContext, recording: Recording, desk: Desk) -> None:
    """Have every page say its last words to the capture, and wait for them a little: no proof depends on them."""
    for page in context.pages:
        with contextlib.suppress(Error):  # a person may be closing it
            page.goto("about:blank")
    end = time.monotonic() + LAST_WORDS_S
    while not desk.do(all_ended, recording) and time.monotonic() < end:
        idle(context, 20)


def all_ended(recording: Recording) -> bool:
    return not recording.captured_pages.filter(ended=False).exists()


def write_capture(recording: Recording, out: Path) -> None:
    """A line for each of rrweb's events, with its page and tab, in the order of the pages. Raises HarnessError."""
    try:
        with out.open("w", encoding="utf-8") as file:
            for page, events in events_of(recording):
                place = {"page": page.row.page, "doc": page.doc, "tab": page.tab}
                for event in events:
                    file.write(json.dumps(place | event, ensure_ascii=False) + "\n")
    except OSError as error:
        raise HarnessError(f"{out} cannot be written: {error.strerror}.") from error


def wait_for_load(page: Page, stop: Event) -> None:
    """Let a page load before its inputs are played; one that has not done so in time is used as it is, as a person would."""
    end = time.monotonic() + LOAD_S
    while time.monotonic() < end and not stop.is_set():
        with contextlib.suppress(TimeoutError):
            page.wait_for_load_state("load", timeout=200)
            return


def wait_for_close(context: BrowserContext, stop: Event) -> None:
    """Until the person closes the last window, or wishes to stop."""
    while context.pages and not stop.is_set():
        idle(context, 200)


def idle(context: BrowserContext, ms: float) -> None:
    """Let Playwright work for `ms`: what pages send is answered meanwhile."""
    with contextlib.suppress(Error):
        if context.pages:
            context.pages[0].wait_for_timeout(ms)
            return
    time.sleep(ms / 1000)


def drain(context: BrowserContext, recording: Recording, desk: Desk) -> None:
    """Ask every page for what it still holds and wait until it is stored."""
    desk.do(begin_closing, recording)
    end = time.monotonic() + DRAIN_S
    for page in context.pages:
        nudge(page)
    while time.monotonic() < end:
        if desk.do(all_held if context.pages else all_gone, recording):
            return
        idle(context, 20)


def all_held(recording: Recording) -> bool:
    """Whether every page has been heard to its end; before the first word of any, nothing is known."""
    return recording.documents.exists() and is_drained(recording)


def all_gone(recording: Recording) -> bool:
    """Whether every page said farewell and left nothing behind; for where no window is open any more, so that none can follow."""
    pages = list(recording.documents.all())
    return bool(pages) and all(page.closed_at is not None and is_whole(page) for page in pages)


def nudge(page: Page) -> None:
    """Have the page's recorder send now instead of at its next beat."""
    for worker in page.workers:
        if "/__footpath__/" in worker.url:
            with contextlib.suppress(Error):  # a worker that is gone has sent its farewell
                worker.evaluate(NUDGE)


def record(
    url: str,
    *,
    via: str,
    actions: list[Action] | None,
    files: Path | None = None,
    capture: Path | None = None,
    stop: Event,
) -> dict[str, Any]:
    """The trace of `url`, used by a person (`actions` None: in a window, until it is closed) or by a drive file, or until `stop`
    is set; its pages as they were seen go to `capture`."""
    address = read_address(url)
    with Desk() as desk, browser(headless=actions is not None) as chromium:
        if stop.is_set():
            raise HarnessError("stopped before anything was recorded.")
        return Take(chromium, desk, address, actions, files, capture, stop).by(via)
