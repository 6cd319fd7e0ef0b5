"""Fixtures of the recorder's tests: a toy site, a gateway that really listens, and a client that is no browser."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder import recordings
from recorder.environments.base import Session
from recorder.harness.serve import WithLifespan
from recorder.models import Recording, SiteRequest
from tests.e2e.server import Live, running
from tests.recorder.toy import ToySite
from tests.recorder.toy import running as toy_running

PAGE = "<!doctype html><html><head><title>T</title></head><body>x</body></html>"


@pytest.fixture(scope="session")
def toy_site() -> Iterator[ToySite]:
    with toy_running(ToySite()) as site:
        yield site


@pytest.fixture
def site(toy_site: ToySite) -> ToySite:
    toy_site.reset()
    return toy_site


@pytest.fixture
def live(transactional_db: Any) -> Iterator[Live]:
    with running(WithLifespan()) as server:
        yield server


@pytest.fixture
def recording(site: ToySite, transactional_db: Any) -> Recording:
    session = Session("s1", site.origin, "/page.html", "Toy", None, ("/control/*",))
    return recordings.open_recording(session=session, adapter="static")


@dataclass
class Got:
    """A reply, header names lower case, in order."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for own, value in self.headers if own == name), None)

    def all(self, name: str) -> list[str]:
        return [value for own, value in self.headers if own == name]

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Browser:
    """Asks a recording's origin as a browser loading a document would."""

    port: int
    host: str
    headers: dict[str, str] = field(
        default_factory=lambda: {"Sec-Fetch-Dest": "document", "Accept-Encoding": "gzip, br"}
    )

    def get(self, path: str = "/page.html", **headers: str) -> Got:
        return self.ask("GET", path, **headers)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Got:
        own = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body=body, headers={"Host": self.host} | own)
        reply = connection.getresponse()
        got = Got(reply.status, [(name.lower(), value) for name, value in reply.getheaders()], reply.read())
        connection.close()
        return got


@pytest.fixture
def browser(live: Live, recording: Recording, settings: Any) -> Browser:
    return Browser(live.port, f"{recording.key}.{settings.ENV_HOST}:{live.port}")


def wait_for(found: Any, seconds: float = 5.0) -> Any:
    """The first true value of `found()`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def logged(count: int) -> list[SiteRequest]:
    wait_for(lambda: SiteRequest.objects.count() >= count)
    return list(SiteRequest.objects.order_by("pk"))
