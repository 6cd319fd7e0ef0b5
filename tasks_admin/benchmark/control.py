"""The control API: sessions, reset, verdicts, records. On a port of its own, which no annotator's browser reaches."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from tasks_admin.benchmark.engine.catalogue import Task, described
from tasks_admin.benchmark.engine.sessions import Session, Store
from tasks_admin.benchmark.engine.site import Site, begin

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
BASE = "/control/{site}/sessions"
ONE = BASE + "/{id}"
MAX_SEED = 2**53


class Control:
    """Handlers of the control API. ``origins`` is filled once the sites listen: name → origin."""

    def __init__(self, sites: Mapping[str, Site], store: Store, token: str) -> None:
        self.sites = sites
        self.store = store
        self.token = token
        self.origins: dict[str, str] = {}

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self.guard])
        app.router.add_get("/control/health", self.health)
        app.router.add_get("/control/{site}/tasks", self.tasks)
        app.router.add_post(BASE, self.create)
        app.router.add_get(ONE, self.show)
        app.router.add_delete(ONE, self.close)
        app.router.add_post(ONE + "/reset", self.reset)
        app.router.add_post(ONE + "/evaluate", self.evaluate)
        app.router.add_get(ONE + "/record", self.record)
        return app

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self.token}".encode()):
            return refusal(401, "unauthorized", "A bearer token is needed.")
        try:
            return await handler(request)
        except web.HTTPException as error:
            return refusal(error.status, "http_error", error.reason)
        except Refusal as error:
            return refusal(error.status, error.code, error.message)

    async def health(self, request: web.Request) -> web.StreamResponse:
        return web.json_response({"ok": True, "sites": self.origins})

    async def tasks(self, request: web.Request) -> web.StreamResponse:
        site = self._site(request)
        return web.json_response([described(task) | {"environment": site.name} for task in site.tasks])

    async def create(self, request: web.Request) -> web.StreamResponse:
        site, body = self._site(request), await _body(request)
        task, seed = self._task(site, str(body.get("task"))), body.get("seed", 0)
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise Refusal(400, "bad_seed", "The seed must be a whole number from 0 on.")
        return self._opened(site, task, body.get("variant"), seed)

    async def reset(self, request: web.Request) -> web.StreamResponse:
        session = self._session(request)
        site = self.sites[session.site]
        answer = self._opened(site, self._task(site, session.task), session.variant, session.seed)
        self.store.forget(session.id)
        return answer

    async def evaluate(self, request: web.Request) -> web.StreamResponse:
        """The verdict, once and for all: asked again, it is the same whatever the page did since."""
        session = self._session(request)
        if session.result is None:
            site = self.sites[session.site]
            session.result = site.verdict(session, self._task(site, session.task))
            self.store.save(session)
        return web.json_response(session.result)

    async def record(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(self.store.record(self._session(request).id))

    async def show(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(self._shown(self._session(request)))

    async def close(self, request: web.Request) -> web.StreamResponse:
        self.store.forget(self._session(request).id)
        return web.Response(status=204)

    def _site(self, request: web.Request) -> Site:
        name = request.match_info["site"]
        if name not in self.sites:
            raise Refusal(404, "unknown_site", f"There is no site {name}.")
        return self.sites[name]

    def _task(self, site: Site, task_id: str) -> Task:
        for task in site.tasks:
            if task.id == task_id:
                return task
        raise Refusal(404, "unknown_task", f"{site.name} has no task {task_id}.")

    def _session(self, request: web.Request) -> Session:
        session = self.store.get(request.match_info["id"])
        if session is None or session.site != request.match_info["site"]:
            raise Refusal(404, "session_forgotten", "This session is unknown, or was closed or reset.")
        return session

    def _opened(self, site: Site, task: Task, variant: str | None, seed: int) -> web.Response:
        try:
            session = begin(site, self.store, task, variant, seed)
        except KeyError as error:
            raise Refusal(404, "unknown_task", f"{task.id} has no variant {variant}.") from error
        return web.json_response(self._shown(session), status=201)

    def _shown(self, session: Session) -> dict[str, Any]:
        site = self.sites[session.site]
        task = self._task(site, session.task)
        return {
            "id": session.id,
            "upstream": self.origins[site.name],
            "start_path": f"{task.start_path}?session={session.id}",
            "title": task.title,
            "instruction": site.instruction(session, task),
            "refuse": list(site.refuse),
        }


class Refusal(Exception):
    """A request that gets no, with the reason."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def refusal(status: int, code: str, message: str) -> web.Response:
    """The reply to a request that is refused."""
    return web.json_response({"code": code, "message": message}, status=status)


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError as error:
        raise Refusal(400, "bad_json", "The body is no JSON.") from error
    if not isinstance(body, dict):
        raise Refusal(400, "bad_json", "The body must be an object.")
    return body
