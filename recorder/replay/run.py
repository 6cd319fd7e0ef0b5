"""A whole replay in a browser of its own: of an environment's task from a fresh session, or of an address."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from recorder.environments.base import Adapter, Session, TaskRef
from recorder.replay.engine import replay
from recorder.replay.player import Camera, Settings
from recorder.replay.results import Replay
from recorder.replay.source import Source


def replay_at(chromium: Browser, source: Source, url: str, settings: Settings, camera: Camera | None = None) -> Replay:
    """Replay from `url` in a window like the person's."""
    parts = urlsplit(url)
    moved = dict(settings.moved)
    if source.origin:
        moved.setdefault(source.origin, f"{parts.scheme}://{parts.netloc}")
    context = chromium.new_context(**source.window(), accept_downloads=True)
    try:
        return replay(context, source, url, replace(settings, moved=moved), camera)
    finally:
        context.close()


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
        done = replay_at(chromium, source, address(prepared), moved_to(settings, session, prepared), camera)
        if not done.error:
            done.verdict = adapter.evaluate(prepared.id)
        return done


def address(session: Session) -> str:
    """Where a session's first page is, on the site's own origin: nothing is recorded on the way."""
    return session.upstream.rstrip("/") + session.start_path


def moved_to(settings: Settings, recorded: str, session: Session) -> Settings:
    """The settings with the recorded session's id replaced by the new one's."""
    return replace(settings, moved=dict(settings.moved) | ({recorded: session.id} if recorded else {}))
