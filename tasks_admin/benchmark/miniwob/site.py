"""The MiniWoB++ site: the package's files as they are, each task page with the shim behind core.js."""

from __future__ import annotations

import json
import math
import re
from html import escape
from pathlib import Path
from typing import Any

import miniwob
from aiohttp import web

from tasks_admin.benchmark.engine.catalogue import Task
from tasks_admin.benchmark.engine.sessions import Session, Store
from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.engine.web import FORM, SESSION, plain_page, site_app
from tasks_admin.benchmark.miniwob.seeding import state_of
from tasks_admin.benchmark.miniwob.tasks import TASKS, page_of

HTML = Path(miniwob.__file__).parent / "html"
SHIM = Path(__file__).with_name("shim.js")
SHIM_PATH = "/assets/episode.js"
CORE = re.compile(r"<script[^>]*core/core\.js[^>]*></script>")
HIDDEN = "<style>#reward-display, #click-canvas { display: none }</style>"


class Miniwob:
    """MiniWoB++. State is what the page reported: one row with its ``utterance`` and its raw ``reward``."""

    name = "miniwob"
    tasks = TASKS
    refuse: tuple[str, ...] = ()

    def initial(self, seed: int) -> Tables:
        return Tables({"episode": [{"id": 1, "utterance": None, "reward": None}]})

    def app(self, store: Store) -> web.Application:
        app = site_app(store, self.name)
        app.router.add_get("/", home)
        app.router.add_get("/miniwob/{task}.html", task_page)
        app.router.add_get("/flight/{flight}/wrapper.html", task_page)
        app.router.add_post("/miniwob-report", report)
        app.router.add_get(SHIM_PATH, shim)
        app.router.add_get("/{path:(core|common|flight|miniwob)/.*}", package_file)
        return app

    def instruction(self, session: Session, task: Task) -> str | None:
        utterance = _episode(session)["utterance"]
        return None if utterance is None else str(utterance)

    def verdict(self, session: Session, task: Task) -> dict[str, Any]:
        """Passed if the page's raw reward (without its time penalty) is above 0, as MiniWoB++ itself counts success;
        the score is that reward, kept within 0..1. No reward yet: not passed, 0."""
        reward = _episode(session)["reward"]
        ended = reward is not None
        checks = [
            _check("The page ended its episode", ended, "" if ended else "no reward was reported"),
            _check("The page gave a reward", ended and reward > 0, f"raw reward {reward}" if ended else ""),
        ]
        score = min(1.0, max(0.0, reward)) if ended else 0.0
        return {"score": score, "passed": ended and reward > 0, "source": "page", "checks": checks}


def _check(name: str, passed: bool, detail: str) -> dict[str, Any]:
    return {"name": name, "passed": passed, "kind": "page", "detail": detail, "weight": 1.0}


def _episode(session: Session) -> Row:
    return session.tables.get("episode", 1)


async def home(request: web.Request) -> web.StreamResponse:
    """The way to the session's task page."""
    raise web.HTTPSeeOther(page_of(request[SESSION].task))


async def task_page(request: web.Request) -> web.StreamResponse:
    """The session's task page with the shim in it; other tasks' pages are not there."""
    session = request[SESSION]
    if request.path != page_of(session.task):
        return plain_page(404, "Not found", "This visit is for another task.")
    over = "1" if _episode(session)["reward"] is not None else ""
    state = escape(json.dumps(state_of(session.seed), separators=(",", ":")))
    tag = f'{HIDDEN}<script src="{SHIM_PATH}" data-state="{state}" data-over="{over}"></script>'
    page = (HTML / page_of(session.task).lstrip("/")).read_text("utf-8")
    shimmed = CORE.sub(lambda core: core.group() + tag, page, count=1)
    return web.Response(text=shimmed, content_type="text/html")


async def shim(request: web.Request) -> web.StreamResponse:
    """The shim."""
    return web.FileResponse(SHIM)


async def package_file(request: web.Request) -> web.StreamResponse:
    """Any file of the package beside the task pages."""
    file = (HTML / request.match_info["path"]).resolve()
    if not file.is_relative_to(HTML.resolve()) or not file.is_file():
        raise web.HTTPNotFound
    return web.FileResponse(file)


async def report(request: web.Request) -> web.StreamResponse:
    """Keep what the page says of its episode: the first utterance and the first reward of a session, no later ones."""
    episode, said = _episode(request[SESSION]), request[FORM]
    if isinstance(said.get("utterance"), str) and episode["utterance"] is None:
        episode["utterance"] = said["utterance"][:2000]
    if _is_reward(said.get("reward")) and episode["reward"] is None:
        episode["reward"] = float(said["reward"])
    return web.Response(status=204)


def _is_reward(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
