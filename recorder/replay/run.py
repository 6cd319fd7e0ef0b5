"""A whole replay in a browser of its own: of an environment's task from a fresh session, or of an address."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page

from recorder.environments.base import Adapter, Check, Session, TaskRef, Verdict, Watch
from recorder.replay.engine import replay
from recorder.replay.player import Camera, Settings
from recorder.replay.results import Replay
from recorder.replay.source import Source

LAST_LOOK_S = 3.0


def replay_at(
    chromium: Browser,
    source: Source,
    url: str,
    settings: Settings,
    camera: Camera | None = None,
    watch: Watch | None = None,
) -> Replay:
    """Replay from `url` in a window like the person's. With `watch`, the pages at its end give the verdict."""
    parts = urlsplit(url)
    moved = dict(settings.moved)
    if source.origin:
        moved.setdefault(source.origin, f"{parts.scheme}://{parts.netloc}")
    context = chromium.new_context(**source.window(), accept_downloads=True)
    try:
        done = replay(context, source, url, replace(settings, moved=moved), camera)
        if watch is not None and not done.error:
            done.verdict = seen_in(context, watch)
        return done
    finally:
        context.close()


def seen_in(context: BrowserContext, watch: Watch) -> Verdict:
    """What the pages show, once it is there or LAST_LOOK_S are over."""
    deadline = time.monotonic() + LAST_LOOK_S
    while not (passed := any(shows(page, watch.expression) for page in context.pages)) and time.monotonic() < deadline:
        time.sleep(0.1)
    line = Check("The page showed success", passed, "page", "at the end of the replay")
    return Verdict(float(passed), passed, "page", (line,))


def shows(page: Page, expression: str) -> bool:
    """True where the page shows success; an expression that throws, or a page that is leaving, shows none."""
    try:
        return page.evaluate(f"() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }}") is True
    except Error:
        return False


def replay_task(
    chromium: Browser,
    source: Source,
    adapter: Adapter,
    ref: TaskRef,
    settings: Settings,
    *,
    session: str = "",
    camera: Camera | None = None,
) -> Replay:
    """Replay in a fresh session of the same task, variant and seed, and have the environment score it.

    `session` is the recorded session's id, whose place in addresses the new one takes. Raises EnvironmentDown, UnknownTask,
    SessionForgotten.
    """
    prepared = adapter.prepare(ref)
    with ExitStack() as after:
        after.callback(adapter.close, prepared.id)
        moved = moved_to(settings, session, prepared)
        done = replay_at(chromium, source, address(prepared), moved, camera, prepared.watch)
        if not done.error and prepared.watch is None and not prepared.asks:
            done.verdict = adapter.evaluate(prepared.id)
        return done


def address(session: Session) -> str:
    """Where a session's first page is, on the site's own origin: nothing is recorded on the way."""
    return session.upstream.rstrip("/") + session.start_path


def moved_to(settings: Settings, recorded: str, session: Session) -> Settings:
    """The settings with the recorded session's id replaced by the new one's."""
    return replace(settings, moved=dict(settings.moved) | ({recorded: session.id} if recorded else {}))
