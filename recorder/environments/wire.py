"""One HTTP request to an environment: sent once, to where it was configured and nowhere else.

No proxy of the process, no redirect followed, no cookie kept, nothing repeated; the whole exchange has one time limit. Names
that turn out to be private addresses are refused, unless the environment was configured to be there.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from recorder.environments.base import AnswerLost, EnvironmentDown

SHOWN = 160  # characters of an unintelligible reply that an error quotes
MAX_REPLY_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Place:
    """Where an environment is: an origin. ``private`` says that its name may mean a private address."""

    scheme: str
    host: str
    port: int
    private: bool = False

    @property
    def origin(self) -> str:
        """``scheme://host[:port]``, as browsers write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        standard = {"http": 80, "https": 443}[self.scheme]
        return f"{self.scheme}://{host}" + ("" if self.port == standard else f":{self.port}")


def place_of(url: str, *, private: bool = False) -> Place:
    """The place of an absolute web address without a path. Raises ValueError with what is wrong."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{url!r} is no web address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no web address: it begins with http:// or https:// and a host")
    if parts.username or parts.password or parts.query or parts.fragment or parts.path not in ("", "/"):
        raise ValueError(f"{url!r} must be an origin only, like https://site.example:8080")
    port = port or (443 if parts.scheme == "https" else 80)
    return Place(parts.scheme, parts.hostname, port, private or is_private_name(parts.hostname))


def is_private_name(host: str) -> bool:
    """True for names that are private by themselves: an address of that kind, or localhost."""
    with contextlib.suppress(ValueError):
        return is_private(host)
    return host == "localhost" or host.endswith(".localhost")


def is_private(address: str) -> bool:
    """True for an IP address that is not the public internet's."""
    return not ipaddress.ip_address(address.partition("%")[0]).is_global


@dataclass(frozen=True)
class Reply:
    """Status, content and, for a redirect, where to."""

    status: int
    raw: bytes
    location: str = ""

    def json(self) -> Any:
        """The decoded document; None where there is none. Raises EnvironmentDown for what is no JSON."""
        if not self.raw.strip():
            return None
        try:
            return json.loads(self.raw)
        except ValueError as error:
            message = f"The environment answered {self.status} without JSON: {shown(self.raw)}"
            raise EnvironmentDown(message, answered=self.status) from error


def send(
    place: Place, method: str, path: str, *, headers: Mapping[str, str], body: Any = None, timeout: float
) -> Reply:
    """Send one request and return whatever is answered, redirects too.

    Raises EnvironmentDown where nothing was sent, AnswerLost where the request went out but no whole answer came.
    """
    data = None if body is None else json.dumps(body).encode()
    fields = {"Accept": "application/json", "Connection": "close", **headers}
    if data is not None:
        fields["Content-Type"] = "application/json"
    began = time.monotonic()
    try:
        connected = connect(place, timeout)
    except (OSError, ssl.SSLError) as error:
        raise EnvironmentDown(f"The environment cannot be reached: {said(error, timeout)}") from error
    with limited(connected, timeout - (time.monotonic() - began)):
        connection = http.client.HTTPConnection(place.host, place.port)
        connection.sock = connected
        try:
            connection.request(method, path, body=data, headers=fields)
            answer = connection.getresponse()
            return Reply(answer.status, answer.read(MAX_REPLY_BYTES), answer.getheader("Location") or "")
        except (OSError, http.client.HTTPException, ValueError) as error:
            late = time.monotonic() - began >= timeout
            why = f"it did not answer within {timeout:g} s" if late else f"the connection broke: {said(error, timeout)}"
            raise AnswerLost(f"The environment was asked, but {why}.") from error
        finally:
            connection.close()


def connect(place: Place, timeout: float) -> socket.socket:
    """A connection to an address that was looked at first. Raises OSError, EnvironmentDown for a private one."""
    if timeout <= 0:
        raise TimeoutError
    found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    if not place.private and any(is_private(str(entry[4][0])) for entry in found):
        raise EnvironmentDown(
            f"{place.host} is a private address now, and the environment is not configured to be at one. "
            "If that is meant, say `private: true` in its options."
        )
    failed: OSError = OSError(f"{place.host} has no address")
    for *_, address in found:
        try:
            plain = socket.create_connection((str(address[0]), place.port), timeout)
        except OSError as error:
            failed = error
            continue
        return plain if place.scheme == "http" else secured(plain, place.host)
    raise failed


def secured(plain: socket.socket, host: str) -> socket.socket:
    """The connection under TLS, its certificate checked."""
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except (OSError, ssl.SSLError):
        plain.close()
        raise


@contextlib.contextmanager
def limited(connection: socket.socket, seconds: float) -> Iterator[None]:
    """End the connection when the time is over, however slowly it still sends."""

    def end() -> None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(seconds, 0.0), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def said(error: Exception, timeout: float) -> str:
    """An error in the words of the system."""
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s"
    return str(getattr(error, "strerror", "") or error) or type(error).__name__


def shown(raw: bytes | str) -> str:
    """The beginning of something unintelligible, on one line."""
    text = " ".join((raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw).split())
    return text[:SHOWN] + ("…" if len(text) > SHOWN else "")
