"""Client of the benchmark server's control API, and the adapter that both of its kinds of site share."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from recorder.environments.base import (
    Check,
    EnvironmentDown,
    Health,
    Session,
    SessionForgotten,
    TaskRef,
    UnknownTask,
    Verdict,
)

SHOWN = 160  # characters of an unintelligible reply that an error quotes
MAX_REPLY_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Reply:
    """Status and decoded JSON document of one answer."""

    status: int
    body: Any

    @property
    def code(self) -> str:
        return str(self.body.get("code", "")) if isinstance(self.body, dict) else ""


class ControlClient:
    """Speaks JSON with one control API. Every call is sent once; none is repeated."""

    def __init__(self, url: str, token: str, timeout: float = 10.0) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.timeout = timeout
        # No proxy from the process environment and no redirect to elsewhere: the control API is where it says it is.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())

    def call(self, method: str, path: str, body: Any = None) -> Reply:
        """Send one request. Raises EnvironmentDown on refusal, time-out, a 5xx or anything that is no JSON."""
        status, raw = self._send(self._request(method, path, body))
        if status in (401, 403):
            raise EnvironmentDown("The environment refused our control token.", answered=status)
        if status >= 500:
            raise EnvironmentDown(f"The environment answered {status}: {_shown(raw)}", answered=status)
        return Reply(status, _decode(raw, status))

    def _request(self, method: str, path: str, body: Any) -> urllib.request.Request:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if not self.url.startswith(("http://", "https://")):
            raise EnvironmentDown(f"The environment's address is no web address: {self.url!r}")
        return urllib.request.Request(self.url + path, data=data, headers=headers, method=method)  # noqa: S310

    def _send(self, request: urllib.request.Request) -> tuple[int, bytes]:
        try:
            with self._opener.open(request, timeout=self.timeout) as answer:
                return int(answer.status), cast(bytes, answer.read(MAX_REPLY_BYTES))
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.read(MAX_REPLY_BYTES)
        except TimeoutError as error:
            raise EnvironmentDown(f"The environment did not answer within {self.timeout:g} s.") from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise EnvironmentDown(f"The environment cannot be reached: {reason}") from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _decode(raw: bytes, status: int) -> Any:
    if not raw.strip():
        return None
    try:
        return json.loads(raw)
    except ValueError as error:
        message = f"The environment answered {status} without JSON: {_shown(raw)}"
        raise EnvironmentDown(message, answered=status) from error


def _shown(raw: bytes) -> str:
    text = " ".join(raw.decode("utf-8", "replace").split())
    return text[:SHOWN] + ("…" if len(text) > SHOWN else "")


class ControlAdapter:
    """An environment behind the control API. Session ids are ``<site>.<random>``, so an id alone finds its site."""

    name = "control"
    repeatable = True  # the server keeps its verdict

    def __init__(self, client: ControlClient) -> None:
        self.client = client

    def site(self, ref: TaskRef) -> str:
        """Which site of the server holds the task."""
        return ref.environment

    def probe(self) -> Health:
        began = time.monotonic()
        try:
            reply = self.client.call("GET", "/control/health")
        except EnvironmentDown as error:
            return Health(False, _ms_since(began), error.message)
        ok = isinstance(reply.body, dict) and reply.body.get("ok") is True
        return Health(ok, _ms_since(began), "" if ok else f"unexpected health reply: {reply.body!r}"[:SHOWN])

    def prepare(self, ref: TaskRef) -> Session:
        body = {"task": ref.task, "variant": ref.variant, "seed": ref.seed}
        reply = self.client.call("POST", f"/control/{quote(self.site(ref), safe='')}/sessions", body)
        if reply.status in (404, 422):
            raise UnknownTask(ref, _message(reply))
        return _session(_expect(reply, 201))

    def reset(self, session_id: str, ref: TaskRef) -> Session:
        return _session(self._on(session_id, "POST", "/reset", 201))

    def evaluate(self, session_id: str) -> Verdict:
        return _verdict(self._on(session_id, "POST", "/evaluate"))

    def backend_record(self, session_id: str) -> list[dict[str, Any]]:
        record = self._on(session_id, "GET", "/record")
        if not isinstance(record, list):
            raise _malformed("a list of requests", record)
        return record

    def instruction(self, session_id: str) -> str | None:
        known = self._on(session_id, "GET", "")
        try:
            return cast("str | None", known["instruction"])
        except (KeyError, TypeError) as error:
            raise _malformed("a session", known) from error

    def close(self, session_id: str) -> None:
        reply = self.client.call("DELETE", _path(session_id))
        if reply.code != "session_forgotten":
            _expect(reply, 204)

    def tasks(self, site: str) -> list[dict[str, Any]]:
        """The site's catalogue: task, title, instruction, difficulty, expected_steps, primitives, variants."""
        reply = self.client.call("GET", f"/control/{quote(site, safe='')}/tasks")
        return cast("list[dict[str, Any]]", _expect(reply, 200))

    def _on(self, session_id: str, method: str, verb: str, status: int = 200) -> Any:
        reply = self.client.call(method, _path(session_id) + verb)
        if reply.code == "session_forgotten":
            raise SessionForgotten(session_id)
        return _expect(reply, status)


def _path(session_id: str) -> str:
    site, _, rest = session_id.partition(".")
    if not site or not rest:
        raise SessionForgotten(session_id)
    return f"/control/{quote(site, safe='')}/sessions/{quote(session_id, safe='')}"


def _expect(reply: Reply, status: int) -> Any:
    if reply.status != status:
        raise EnvironmentDown(f"The environment answered {reply.status}: {_message(reply)}", answered=reply.status)
    return reply.body


def _message(reply: Reply) -> str:
    said = reply.body.get("message", "") if isinstance(reply.body, dict) else reply.body
    return str(said or "")[:SHOWN]


def _malformed(wanted: str, seen: Any) -> EnvironmentDown:
    return EnvironmentDown(f"The environment answered something else than {wanted}: {seen!r}"[: 2 * SHOWN])


def _session(body: Any) -> Session:
    try:
        return Session(
            id=str(body["id"]),
            upstream=str(body["upstream"]),
            start_path=str(body["start_path"]),
            title=str(body["title"]),
            instruction=body["instruction"],
            refuse=tuple(body.get("refuse", ())),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _malformed("a session", body) from error


def _verdict(body: Any) -> Verdict:
    try:
        checks = tuple(
            Check(
                name=str(check["name"]),
                passed=bool(check["passed"]),
                kind=str(check["kind"]),
                detail=str(check.get("detail", "")),
                weight=float(check.get("weight", 1.0)),
            )
            for check in body["checks"]
        )
        source = "page" if body["source"] == "page" else "server"
        score = min(1.0, max(0.0, float(body["score"])))
        return Verdict(score, bool(body["passed"]), cast(Any, source), checks, str(body.get("error", "")))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _malformed("a verdict", body) from error


def _ms_since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)
