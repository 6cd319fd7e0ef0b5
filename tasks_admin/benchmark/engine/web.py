"""What stands between a browser and a site: the session's cookie, the request log, faults, rollback and saving."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from html import escape
from pathlib import Path
from typing import Any

from aiohttp import web
from yarl import URL

from tasks_admin.benchmark.engine.interventions import Fault, network_fault, page_options
from tasks_admin.benchmark.engine.sessions import Session, Store

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

COOKIE = "session"
ASSETS = "/assets/"
PAGE_SCRIPT = ASSETS + "page.js"
SESSION: web.RequestKey[Session] = web.RequestKey("session", Session)
FORM: web.RequestKey[dict[str, Any]] = web.RequestKey("form", dict)
FAULT: web.RequestKey[str] = web.RequestKey("fault", str)
STORE: web.AppKey[Store] = web.AppKey("store", Store)
SITE: web.AppKey[str] = web.AppKey("site", str)

log = logging.getLogger(__name__)
pause = asyncio.sleep  # what a slow reply waits with


def site_app(store: Store, name: str) -> web.Application:
    """An application for one site, whose handlers find their session under SESSION and what was sent under FORM."""
    app = web.Application(middlewares=[bind_session, log_request, keep_state, strike])
    app[STORE] = store
    app[SITE] = name
    app.router.add_get(PAGE_SCRIPT, page_script)
    return app


async def page_script(request: web.Request) -> web.StreamResponse:
    """The script that carries out interventions of layer ``client``."""
    return web.FileResponse(Path(__file__).with_name("page.js"))


@web.middleware
async def bind_session(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Take the session from ``?session=`` (then redirect to the clean path) or from the cookie; else answer 410."""
    if request.path.startswith(ASSETS):
        return await _asset(request, handler)
    named = request.query.get("session")
    session = request.app[STORE].get(named or request.cookies.get(COOKIE, ""))
    if session is None or session.site != request.app[SITE]:
        return gone()
    if named is not None:
        return _enter(request, session)
    request[SESSION] = session
    answer = await handler(request)
    if answer.content_type in ("text/html", "application/json"):
        answer.headers["Cache-Control"] = "no-store"
    return answer


async def _asset(request: web.Request, handler: Handler) -> web.StreamResponse:
    answer = await handler(request)
    answer.headers["Cache-Control"] = "max-age=600"
    return answer


def _enter(request: web.Request, session: Session) -> web.StreamResponse:
    rest = [(key, value) for key, value in request.query.items() if key != "session"]
    clean = URL.build(path="/" + request.path.lstrip("/"), query=rest)
    answer = web.Response(status=303, headers={"Location": str(clean)})
    answer.set_cookie(COOKIE, session.id, httponly=True, samesite="Lax", path="/")
    return answer


def gone() -> web.Response:
    """The page for a session that is unknown, or was reset or closed."""
    return plain_page(410, "This visit is over", "The session behind this page was closed or never existed.")


def plain_page(status: int, title: str, text: str) -> web.Response:
    """A page of the server itself, not of a site."""
    body = (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>"
        "<meta name=viewport content='width=device-width'><style>body{font:1rem/1.5 system-ui,sans-serif;"
        "max-width:34rem;margin:18vh auto;padding:0 1.5rem;color-scheme:light dark}</style>"
        f"<h1>{escape(title)}</h1><p>{escape(text)}</p></html>"
    )
    return web.Response(status=status, text=body, content_type="text/html")


@web.middleware
async def log_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Write one line to the backend-side record for each request of a session, whatever comes of it."""
    if SESSION not in request:
        return await handler(request)
    began, status = time.time(), 499
    request[FORM] = await _sent(request)
    try:
        answer = await handler(request)
        status = answer.status
        return answer
    except web.HTTPException as error:
        status = error.status
        raise
    finally:
        _note(request, began, status)


async def _sent(request: web.Request) -> dict[str, Any]:
    try:
        if request.content_type == "application/json":
            body = await request.json()
            return body if isinstance(body, dict) else {}
        return {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    except (ValueError, LookupError):  # no JSON, or an encoding that is not what it says
        return {}


def _note(request: web.Request, began: float, status: int) -> None:
    entry: dict[str, Any] = {
        "t": round(began * 1000),
        "method": request.method,
        "path": request.path,
        "status": status,
        "ms": round((time.time() - began) * 1000, 1),
    }
    if request.query:
        entry["query"] = dict(request.query)
    if request[FORM]:
        entry["body"] = request[FORM]
    if FAULT in request:
        entry["fault"] = request[FAULT]
    request.app[STORE].note(request[SESSION].id, entry)


@web.middleware
async def keep_state(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Save the session if it changed; put its tables back if the handler failed."""
    if SESSION not in request:
        return await handler(request)
    try:
        return await handler(request)
    except web.HTTPException:
        raise
    except Exception:
        log.exception("%s %s failed", request.method, request.path)
        return plain_page(500, "Something went wrong", "Please go back and try again.")


@web.middleware
async def strike(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let the session's network faults strike, and give pages what the session's client faults need."""
    if SESSION not in request:
        return await handler(request)
    session = request[SESSION]
    fault = network_fault(session, request.method, request.path)
    if fault is None:
        return _with_options(await _kept(request, handler), session)
    request[FAULT] = fault.kind
    return _with_options(await FAULTS[fault.kind](fault, request, handler), session)


async def _kept(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Run the handler and save what it changed, all or nothing. Sites' handlers do not wait between read and write."""
    if request.method in ("GET", "HEAD"):
        return await handler(request)
    session = request[SESSION]
    before = session.tables.copy()
    try:
        answer = await handler(request)
    except Exception:
        session.tables = before
        raise
    request.app[STORE].save(session)
    return answer


async def _ghost(fault: Fault, request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer as if all went well, on a copy of the state that is thrown away. A refused write does not count."""
    session = request[SESSION]
    before = session.tables.copy()
    try:
        answer = await handler(request)
    finally:
        session.tables = before
    if answer.status < 400:
        _struck(fault, request)
    return answer


async def _unavailable(fault: Fault, request: web.Request, handler: Handler) -> web.StreamResponse:
    _struck(fault, request)
    message = "We are a little overloaded right now. Please try again in a moment."
    if request.headers.get("Accept", "").startswith("application/json"):
        answer = web.json_response({"ok": False, "message": message}, status=503)
    else:
        answer = plain_page(503, "Service temporarily unavailable", message)
    answer.headers["Retry-After"] = "3"
    return answer


async def _slow(fault: Fault, request: web.Request, handler: Handler) -> web.StreamResponse:
    _struck(fault, request)
    await pause(fault.ms / 1000)
    return await _kept(request, handler)


FAULTS: dict[str, Callable[[Fault, web.Request, Handler], Awaitable[web.StreamResponse]]] = {
    "ghost": _ghost,
    "unavailable": _unavailable,
    "slow": _slow,
}


def _struck(fault: Fault, request: web.Request) -> None:
    request[SESSION].count(fault.key)
    request.app[STORE].save(request[SESSION])


def _with_options(answer: web.StreamResponse, session: Session) -> web.StreamResponse:
    options = page_options(session)
    if options and isinstance(answer, web.Response) and answer.content_type == "text/html" and answer.text:
        answer.text = answer.text.replace("</body>", f"{_options_html(options)}</body>", 1)
    return answer


def _options_html(options: list[Any]) -> str:
    data = json.dumps(options).replace("<", "\\u003c")
    return f'<script type="application/json" id="page-options">{data}</script><script src="{PAGE_SCRIPT}"></script>'
