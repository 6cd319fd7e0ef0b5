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
from recorder.replay.witness import Witness, reachable


def replay_at(
    chromium: Browser,
    source: Source,
    url: str,
    settings: Settings,
    camera: Camera | None = None,
    witness: Witness | None = None,
) -> Replay:
    """Replay from `url` in a window like the person's; `witness` looks at the pages meanwhile."""
    parts = urlsplit(url)
    moved = dict(settings.moved)
    if source.origin:
        moved.setdefault(source.origin, f"{parts.scheme}://{parts.netloc}")
    context = chromium.new_context(**source.window(), accept_downloads=True)
    try:
        return replay(context, source, url, replace(settings, moved=moved), camera, witness)
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
    """Replay in a fresh session of the same task, variant and seed, and have it scored: by the environment, or by what the
    pages show where that is what success is. Where nobody but people can say it, the verdict stays None.

    `session` is the recorded session's id, whose place in addresses the new one takes. Raises EnvironmentDown, UnknownTask,
    SessionForgotten.
    """
    prepared = adapter.prepare(ref)
    with ExitStack() as after:
        after.callback(adapter.close, prepared.id)
        origin = after.enter_context(reachable(prepared))
        witness = Witness(prepared.watch) if prepared.watch else None
        how = moved_to(settings, session, prepared)
        done = replay_at(chromium, source, origin + prepared.start_path, how, camera, witness)
        if witness and not done.error:
            done.verdict = witness.verdict()
        elif not done.error and not prepared.asks:
            done.verdict = adapter.evaluate(prepared.id)
        return done


def moved_to(settings: Settings, recorded: str, session: Session) -> Settings:
    """The settings with the recorded session's id replaced by the new one's."""
    return replace(settings, moved=dict(settings.moved) | ({recorded: session.id} if recorded else {}))
