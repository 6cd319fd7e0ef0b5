"""Any benchmark with a small REST control API, by a declarative mapping."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping as MappingOf
from typing import Any, NoReturn
from urllib.parse import urlsplit

from recorder.environments.base import (
    AnswerLost,
    Check,
    EnvironmentDown,
    Health,
    Session,
    SessionForgotten,
    TaskRef,
    UnknownTask,
    Verdict,
)
from recorder.environments.mapping import (
    Call,
    Lines,
    Mapping,
    SessionRead,
    VerdictRead,
    filled_body,
    filled_path,
    with_ready,
)
from recorder.environments.options import checked
from recorder.environments.wire import Reply, send, shown

MISSING = object()
MAX_ID = 200


class HttpAdapter:
    """An environment behind a control API that ``mapping`` describes."""

    name = "http"

    def __init__(self, mapping: Mapping) -> None:
        self.mapping = mapping
        self.repeatable = mapping.evaluate.repeatable

    def probe(self) -> Health:
        began = time.monotonic()
        try:
            reply = self._send(self.mapping.probe, {"site": self.mapping.site})
        except EnvironmentDown as error:
            return Health(False, ms_since(began), error.message)
        ok = reply.status in self.mapping.probe.ok
        return Health(ok, ms_since(began), "" if ok else f"The probe was answered {reply.status}: {shown(reply.raw)}")

    def prepare(self, ref: TaskRef) -> Session:
        call = self.mapping.prepare
        values = self._values(ref)
        reply = self._send(call, values)
        if reply.status in call.unknown:
            raise UnknownTask(ref, self._unknown(ref, reply))
        return self._session(expected(reply, call), call.read, values)

    def reset(self, session_id: str, ref: TaskRef) -> Session:
        call = self.mapping.reset
        if call is None:
            self.close(session_id)
            return self.prepare(ref)
        document = self._on(session_id, call)
        where = call.read or self.mapping.prepare.read
        fixed = None if call.new_session else session_id
        return self._session(document, where, self._values(ref), fixed)

    def evaluate(self, session_id: str) -> Verdict:
        call = self.mapping.evaluate
        try:
            document = self._on(session_id, call)
            return verdict_of(document, call.read)
        except EnvironmentDown as error:
            if "answered" in error.data and not isinstance(error, AnswerLost):
                raise AnswerLost(error.message, **error.data) from error
            raise

    def backend_record(self, session_id: str) -> list[dict[str, Any]]:
        call = self.mapping.record
        if call is None:
            return []
        found = at(self._on(session_id, call), call.at)
        if not isinstance(found, list):
            malformed("a list of requests", found)
        return found

    def instruction(self, session_id: str) -> str | None:
        return None  # told when the session was prepared, or nowhere

    def close(self, session_id: str) -> None:
        call = self.mapping.close
        if call is None:
            return
        reply = self._send(call, {"session": session_id, "site": self.mapping.site})
        if reply.status not in call.gone:
            expected(reply, call)

    def _values(self, ref: TaskRef) -> dict[str, Any]:
        file = ref.variant_params.get("file") if ref.variant else None
        return {
            "task": ref.task,
            "variant": ref.variant,
            "variant_file": file or ref.variant,
            "seed": ref.seed,
            "site": self.mapping.site,
        }

    def _send(self, call: Call, values: MappingOf[str, Any]) -> Reply:
        return send(
            self.mapping.api,
            call.method,
            filled_path(call.path, values),
            headers=self.mapping.header_fields(),
            body=filled_body(call.body, values),
            timeout=call.timeout or self.mapping.timeout,
        )

    def _on(self, session_id: str, call: Call) -> Any:
        reply = self._send(call, {"session": session_id, "site": self.mapping.site})
        if reply.status in call.gone:
            raise SessionForgotten(session_id)
        return expected(reply, call)

    def _unknown(self, ref: TaskRef, reply: Reply) -> str:
        what = f"{ref.task} / {ref.variant}" if ref.variant else ref.task
        return f"The environment answered {reply.status} for {what}: {shown(reply.raw) or 'no reason given'}"

    def _session(
        self, document: Any, where: SessionRead, values: MappingOf[str, Any], fixed: str | None = None
    ) -> Session:
        told = at(document, where.session) if fixed is None else fixed
        if isinstance(told, bool) or not isinstance(told, str | int) or not 0 < len(str(told)) <= MAX_ID:
            malformed(f"a session id under {where.session!r}", document)
        start = self._start_path(at(document, where.start_path) if where.start_path else "/")
        page = self.mapping.page.replace("{start_path}", start.replace("{", "%7B"))
        return Session(
            id=str(told),
            upstream=self.mapping.pages.origin,
            start_path=tidy_query(filled_path(page, {**values, "session": told})),
            title=optional_text(document, where.title) or "",
            instruction=optional_text(document, where.instruction),
            refuse=self.mapping.refuse,
            foreign=self.mapping.foreign.foreign() if self.mapping.foreign else None,
        )

    def _start_path(self, told: Any) -> str:
        """A path on the site. An absolute address is taken where it is the site's own; any other host is refused."""
        if not isinstance(told, str):
            malformed("a start path", told)
        own = self.mapping.pages.origin
        path = told[len(own) :] or "/" if told.startswith((own + "/", own + "?")) or told == own else told
        if path.startswith("//") or "\\" in path or urlsplit(path).scheme or not path.startswith("/"):
            raise EnvironmentDown(f"The environment sends to another host: {shown(told)}", answered=200)
        if any(ord(sign) <= 32 or ord(sign) == 127 or sign in "#\"<>'" for sign in path):
            malformed("a start path", told)
        return path


def from_options(options: MappingOf[str, Any]) -> HttpAdapter:
    """The adapter for a mapping, whole or on top of a ready one (``mapping: seven-sites``). Raises BadOptions."""
    return HttpAdapter(checked(Mapping, with_ready(options)))


def expected(reply: Reply, call: Call) -> Any:
    """The reply's document, where its status is as it should be. Raises EnvironmentDown."""
    if reply.location and 300 <= reply.status < 400:
        message = f"The environment answered {reply.status} to {shown(reply.location)}; redirects are not followed."
        raise EnvironmentDown(message, answered=reply.status)
    if reply.status not in call.ok:
        refused = " It may want another secret." if reply.status in (401, 403) else ""
        message = f"The environment answered {reply.status}: {shown(reply.raw)}.{refused}"
        raise EnvironmentDown(message, answered=reply.status)
    return reply.json()


def at(document: Any, path: str, instead: Any = MISSING) -> Any:
    """The value at a dotted path (``result.checks.0.name``); the document itself at ''. Raises EnvironmentDown."""
    found = document
    for part in path.split(".") if path else []:
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        elif instead is not MISSING:
            return instead
        else:
            malformed(f"something with {path!r} in it", document)
    return found


def malformed(wanted: str, seen: Any) -> NoReturn:
    """Raises EnvironmentDown that quotes what was there instead."""
    raise EnvironmentDown(f"The environment answered something else than {wanted}: {shown(repr(seen))}", answered=200)


def optional_text(document: Any, path: str) -> str | None:
    """A text that may be missing."""
    found = at(document, path, None) if path else None
    return None if found is None else str(found)


def verdict_of(document: Any, where: VerdictRead) -> Verdict:
    """The verdict in a reply. Raises EnvironmentDown for one that can't be understood."""
    score = number(at(document, where.score))
    passed = at(document, where.passed) if where.passed else score >= where.pass_at
    if not isinstance(passed, bool):
        malformed(f"true or false under {where.passed!r}", passed)
    checks = lines(document, where.checks, "obligation") + lines(document, where.negative_checks, "invariant")
    return Verdict(
        score=min(1.0, max(0.0, score)),
        passed=passed,
        source="server",
        checks=tuple(checks),
        error=optional_text(document, where.error) or "",
        reasoning=optional_text(document, where.reasoning) or "",
    )


def lines(document: Any, where: Lines | None, kind: str) -> list[Check]:
    """The checks of one list; a list that is missing or null is empty."""
    found = at(document, where.at, None) if where else None
    if where is None or found is None:
        return []
    if not isinstance(found, list):
        malformed(f"a list under {where.at!r}", found)
    return [
        Check(
            name=str(at(item, where.name)),
            passed=at(item, where.passed) is True,
            kind=kind,
            detail=optional_text(item, where.detail) or "",
            weight=number(at(item, where.weight, 1.0) or 0.0) if where.weight else 1.0,
        )
        for item in found
    ]


def number(found: Any) -> float:
    """A finite number. Raises EnvironmentDown."""
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        malformed("a number", found)
    return float(found)


def tidy_query(path: str) -> str:
    """A start path that brings a query of its own, put before another one: the second ``?`` becomes ``&``."""
    before, mark, query = path.partition("?")
    return before + mark + query.replace("?", "&")


def ms_since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)
