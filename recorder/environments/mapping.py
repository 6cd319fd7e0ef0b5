"""The declarative mapping of the ``http`` adapter: from the protocol's calls to any small REST control API."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import quote

from pydantic import Field, field_validator, model_validator

from recorder.environments.base import EnvironmentDown, Foreign
from recorder.environments.options import BadOptions, Strict
from recorder.environments.wire import Place, place_of
from recorder.yaml_file import read

READY = Path(__file__).with_name("mappings")
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
SECRET = re.compile(r"\{secret:([A-Za-z0-9_]*)\}")
SECRETS = "FOOTPATH_SECRET_"
TASK = frozenset({"task", "variant", "variant_file", "seed", "site"})
SESSION = frozenset({"session", "site"})
UNRESERVED = "-._~!$'()*,;:@"


class Lines(Strict):
    """Where in a reply a list of checks is, and where in each of its items the parts are."""

    at: str
    name: str
    passed: str
    detail: str = ""
    weight: str = ""


class SessionRead(Strict):
    """Where in a reply the session is told. ``start_path`` may be missing where the page needs none."""

    session: str
    start_path: str = ""
    title: str = ""
    instruction: str = ""
    error: str = ""


class VerdictRead(Strict):
    """Where in a reply the verdict is told. Without ``passed``, a score of ``pass_at`` or more passes."""

    score: str
    passed: str = ""
    pass_at: float = 1.0
    reasoning: str = ""
    error: str = ""
    checks: Lines | None = None
    negative_checks: Lines | None = None


class Call(Strict):
    """One request: method, path with ``{placeholders}``, JSON body, and which status codes mean what.

    A body's key that ends in ``?`` is left out where its value is null.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    path: str
    body: Any = None
    ok: tuple[int, ...] = (200, 201, 204)
    gone: tuple[int, ...] = (404, 410)
    timeout: float | None = Field(default=None, gt=0, le=300)

    @field_validator("path")
    @classmethod
    def is_path(cls, value: str) -> str:
        if not value.startswith("/") or value.startswith("//") or re.search(r"[\s#\\]", value):
            raise ValueError("must be a path that begins with one /")
        return value


class Prepare(Call):
    """Make a session; ``unknown`` are the status codes for a task that is not there."""

    unknown: tuple[int, ...] = (404,)
    read: SessionRead


class Reset(Call):
    """The same task in a fresh state. ``new_session`` says whether the reply names a new session id."""

    new_session: bool = True
    read: SessionRead | None = None


class Evaluate(Call):
    """Score the session. Unless ``repeatable``, it is asked for once per attempt, come what may."""

    repeatable: bool = False
    read: VerdictRead


class Record(Call):
    """The environment's own log; ``at`` is where in the reply its list is, the reply itself where empty."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    at: str = ""


class Probe(Call):
    """Whether new sessions can be prepared: answered with one of ``ok`` within ``timeout``."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    path: str = "/"
    ok: tuple[int, ...] = (200,)
    timeout: float | None = Field(default=5.0, gt=0, le=60)


class ForeignHosts(Strict):
    """Other hosts that the site's pages may load from: ``allow`` is let through, ``stub`` gets an empty answer from us,
    everything else is blocked."""

    allow: tuple[str, ...] = ()
    stub: tuple[str, ...] = ()

    @field_validator("allow", "stub")
    @classmethod
    def are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if not re.fullmatch(r"(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?", host):
                raise ValueError(f"{host!r} is no host name")
        return value

    def foreign(self) -> Foreign:
        return Foreign(self.allow, self.stub)


class Mapping(Strict):
    """A control API in the protocol's words. ``base_url`` is the API's origin, ``site_url`` the pages' (the same if empty)."""

    base_url: str
    site_url: str = ""
    site: str = ""  # what {site} means in paths and bodies
    private: bool = False  # the names above may mean private addresses
    headers: dict[str, str] = {}
    timeout: float = Field(default=10.0, gt=0, le=300)
    probe: Probe = Probe()
    prepare: Prepare
    page: str = "{start_path}"
    reset: Reset | None = None
    evaluate: Evaluate
    record: Record | None = None
    close: Call | None = None
    refuse: tuple[str, ...] = ()
    foreign: ForeignHosts | None = None

    @field_validator("base_url", "site_url")
    @classmethod
    def is_origin(cls, value: str) -> str:
        return place_of(value).origin if value else value

    @field_validator("headers")
    @classmethod
    def are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not re.fullmatch(r"[A-Za-z0-9-]+", name) or re.search(r"[\r\n\x00]", text):
                raise ValueError(f"{name!r} is no header")
            for secret in SECRET.findall(text):
                if not re.fullmatch(SECRETS + "[A-Z0-9_]+", secret):
                    raise ValueError(f"a secret's variable must be named {SECRETS}…, not {secret!r}")
        return value

    @field_validator("refuse")
    @classmethod
    def are_patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if bad := [pattern for pattern in value if not pattern.startswith("/")]:
            raise ValueError(f"a refused path begins with /, not {bad[0]!r}")
        return value

    @model_validator(mode="after")
    def placeholders_are_known(self) -> Mapping:
        for name, call, known in self.calls():
            for text in texts([call.path, call.body]):
                refuse_placeholders(text, known, name)
        refuse_placeholders(self.page, frozenset({*SESSION, *TASK, "start_path"}), "page")
        if self.reset and self.reset.new_session and self.reset.read is None:
            raise ValueError("reset: with new_session, `read` must say where the new session id is")
        if not self.site and any("{site}" in text for text in self.templates()):
            raise ValueError("it uses {site}; say in `site` what that is")
        return self

    def calls(self) -> list[tuple[str, Call, frozenset[str]]]:
        """Every call with its name and the placeholders it may use."""
        later = [("reset", self.reset), ("evaluate", self.evaluate), ("record", self.record), ("close", self.close)]
        first: list[tuple[str, Call, frozenset[str]]] = [
            ("probe", self.probe, frozenset({"site"})),
            ("prepare", self.prepare, TASK),
        ]
        return first + [(name, call, SESSION) for name, call in later if call is not None]

    def templates(self) -> list[str]:
        """Every text that may hold placeholders."""
        return [self.page, *(text for _, call, _ in self.calls() for text in texts([call.path, call.body]))]

    @property
    def api(self) -> Place:
        """Where the control API is."""
        return place_of(self.base_url, private=self.private)

    @property
    def pages(self) -> Place:
        """Where the site's pages are."""
        return place_of(self.site_url or self.base_url, private=self.private)

    def header_fields(self) -> dict[str, str]:
        """The headers with their secrets. Raises EnvironmentDown where one is not set."""
        return {name: SECRET.sub(lambda found: secret(found.group(1)), text) for name, text in self.headers.items()}


def secret(name: str) -> str:
    """A secret from the process environment. Raises EnvironmentDown."""
    value = os.environ.get(name, "")
    if not value:
        raise EnvironmentDown(f"The secret {name} is not set where the worker and the web server run.")
    return value


def refuse_placeholders(text: str, known: frozenset[str], where: str) -> None:
    """Raises ValueError for a placeholder that would mean nothing there."""
    for name in PLACEHOLDER.findall(text):
        if name not in known:
            raise ValueError(f"{where}: {{{name}}} means nothing here; known: {', '.join(sorted(known))}")


def texts(value: Any) -> list[str]:
    """Every text in a body, keys not counted."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    return [text for part in inner for text in texts(part)]


def filled_path(template: str, values: MappingOf[str, Any]) -> str:
    """A path with its placeholders filled in, each quoted so that it stays one part of it."""
    return PLACEHOLDER.sub(lambda found: quote(text_of(values[found.group(1)]), safe=UNRESERVED), template)


def filled_body(template: Any, values: MappingOf[str, Any]) -> Any:
    """A body with its placeholders filled in; a text that is only a placeholder becomes the value itself."""
    if isinstance(template, dict):
        filled = {key: filled_body(value, values) for key, value in template.items()}
        return {
            key.removesuffix("?"): value for key, value in filled.items() if not (key[-1:] == "?" and value is None)
        }
    if isinstance(template, list):
        return [filled_body(value, values) for value in template]
    if not isinstance(template, str):
        return template
    if (alone := PLACEHOLDER.fullmatch(template)) is not None:
        return values[alone.group(1)]
    return PLACEHOLDER.sub(lambda found: text_of(values[found.group(1)]), template)


def text_of(value: Any) -> str:
    return "" if value is None else str(value)


def ready_names() -> list[str]:
    """The names of the ready mappings."""
    return sorted(path.stem for path in READY.glob("*.yaml"))


def with_ready(options: MappingOf[str, Any]) -> dict[str, Any]:
    """Options whose ``mapping`` names a ready mapping, with that mapping's parts below their own. Raises BadOptions."""
    chosen = dict(options)
    name = chosen.pop("mapping", None)
    if name is None:
        return chosen
    if name not in ready_names():
        raise BadOptions([(("mapping",), f"there is no ready mapping {name!r}; there are: {', '.join(ready_names())}")])
    return cast("dict[str, Any]", read(READY / f"{name}.yaml").data) | chosen
