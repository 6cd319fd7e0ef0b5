"""The checks of `doctor`: one short function each, in a small registry. Each names the remedy of what it finds."""

from __future__ import annotations

import os
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http.request import validate_host
from kombu import Connection

from annotate.config.broker import SCHEME
from recorder.browser import REMEDY, find_chromium
from tasks_admin.operate.database import LEAST_VERSION, in_one_line, server_version

SECRET_LENGTH = 40
NO_ONE = "doctor"  # a label below ENV_HOST that no recording has


@dataclass(frozen=True)
class Finding:
    """One check's result: what was looked at, what was seen, and the remedy where it is not ok."""

    what: str
    ok: bool
    seen: str
    remedy: str = ""


Check = Callable[[], Finding]
CHECKS: dict[str, Check] = {}


def check(what: str) -> Callable[[Callable[[str], Finding]], Check]:
    """Register a check; they run in the order they are written. One whose setting can't be read is told by the setting."""

    def register(function: Callable[[str], Finding]) -> Check:
        def run() -> Finding:
            problem = settings.PROBLEMS.get(what)
            return (
                Finding(what, False, problem, "Correct it in the environment or .env.") if problem else function(what)
            )

        CHECKS[what] = run
        return run

    return register


def examine() -> list[Finding]:
    """Run every check."""
    return [run() for run in CHECKS.values()]


@check("database")
def database(what: str) -> Finding:
    try:
        version = server_version(settings.DATABASES["default"])
    except psycopg.OperationalError as error:
        return Finding(what, False, in_one_line(error), "Start PostgreSQL, or set DATABASE_URL to one that runs.")
    return Finding(what, version >= LEAST_VERSION, f"PostgreSQL {version}", f"Use PostgreSQL {LEAST_VERSION} or newer.")


@check("migrations")
def migrations(what: str) -> Finding:
    try:
        server_version(settings.DATABASES["default"])  # the pool would wait longer and say less
        executor = MigrationExecutor(connection)
        left = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (DatabaseError, psycopg.OperationalError):
        return Finding(what, False, "can't be looked at without the database", "See the database above.")
    seen = f"{len(left)} not applied" if left else "all applied"
    return Finding(what, not left, seen, "Run ./run migrate (./run up does so by itself).")


@check("secret key")
def secret(what: str) -> Finding:
    length = len(settings.SECRET_KEY)
    kept = "kept in the data folder" if settings.LAPTOP else "from the environment"
    return Finding(
        what,
        length >= SECRET_LENGTH,
        f"{kept}, {length} characters",
        "Set SECRET_KEY to 50 random characters: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'",
    )


@check("data folder")
def data(what: str) -> Finding:
    folder = settings.DATA_DIR
    above = next(at for at in (folder, *folder.parents) if at.exists())
    return Finding(
        what,
        os.access(above, os.W_OK | os.X_OK),
        str(folder),
        f"Make {above} writable, or set FOOTPATH_DATA to another.",
    )


@check("public address")
def hosts(what: str) -> Finding:
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    allowed = validate_host(host, settings.ALLOWED_HOSTS)
    return Finding(what, allowed, settings.PUBLIC_URL, f"Add {host} to ALLOWED_HOSTS, or leave ALLOWED_HOSTS out.")


@check("wildcard name")
def wildcard(what: str) -> Finding:
    name = f"{NO_ONE}.{settings.ENV_HOST}"
    if name.endswith(".localhost"):
        return _local_wildcard(what)
    try:
        address = socket.gethostbyname(name)
    except OSError:
        remedy = f"Make a DNS record *.{settings.ENV_HOST} that leads to this server."
        return Finding(what, False, f"{name} does not resolve", remedy)
    return Finding(what, True, f"{name} is {address}")


def _local_wildcard(what: str) -> Finding:
    """`*.localhost` is every browser's own machine: right for a laptop only."""
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    if host == "localhost" or host.endswith(".localhost") or host.startswith("127."):
        return Finding(what, True, f"*.{settings.ENV_HOST} is sent to loopback by browsers themselves")
    remedy = "Set ENV_HOST to a domain whose wildcard record leads to this server."
    return Finding(what, False, f"*.{settings.ENV_HOST} leads each annotator to their own machine", remedy)


@check("separate domain")
def separate_domain(what: str) -> Finding:
    """Whether recorded websites could set cookies for a domain that the app is in. Two labels stand for a site."""
    app = (urlsplit(settings.PUBLIC_URL).hostname or "").split(".")
    sites = settings.ENV_HOST.split(".")
    shared = app[-2:] == sites[-2:] and len(app) > 1
    seen = f"{settings.PUBLIC_URL} and *.{settings.ENV_HOST}"
    safe = not shared or settings.PUBLIC_URL.startswith("https://")
    note = " share a domain; cookies are kept apart by the __Host- prefix" if shared and safe else ""
    return Finding(what, safe, seen + note, "Serve by TLS, or give ENV_HOST a registered domain of its own.")


@check("proxy headers")
def proxy(what: str) -> Finding:
    tls = settings.PUBLIC_URL.startswith("https://")
    told = bool(getattr(settings, "SECURE_PROXY_SSL_HEADER", None))
    seen = "TLS by a proxy" if tls else "no TLS"
    remedy = "Set BEHIND_PROXY=1 and have the proxy send X-Forwarded-Proto and Host."
    return Finding(what, told or not tls, seen if told or not tls else f"{seen}, BEHIND_PROXY not set", remedy)


@check("served")
def served(what: str) -> Finding:
    """Both kinds of names, asked for as a browser would; a laptop that is not started is in order."""
    if settings.LAPTOP:
        return Finding(what, True, "by ./run up, when it runs")
    public = urlsplit(settings.PUBLIC_URL)
    port = f":{public.port}" if public.port else ""
    asked = {
        f"{settings.PUBLIC_URL}/health/": 200,
        f"{public.scheme}://{NO_ONE}.{settings.ENV_HOST}{port}/": 404,
    }
    wrong = [f"{url}: {got}" for url, status in asked.items() if (got := answer(url)) != str(status)]
    remedy = (
        "Start the web processes and the proxy; pass Host on as it came, for the app's name and the wildcard alike."
    )
    return Finding(what, not wrong, "; ".join(wrong) or " and ".join(asked), remedy)


def answer(url: str) -> str:
    """The status a URL gives, or why it gives none."""
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:  # noqa: S310
            return str(reply.status)
    except urllib.error.HTTPError as error:
        return str(error.code)
    except urllib.error.URLError as error:
        reason = error.reason
        return (
            f"certificate: {reason.verify_message}" if isinstance(reason, ssl.SSLCertVerificationError) else str(reason)
        )
    except OSError as error:
        return str(error)


@check("Chromium")
def browser(what: str) -> Finding:
    path = find_chromium()
    return Finding(what, path is not None, path or "none; test, demo, record and replay need one", REMEDY)


@check("broker")
def broker(what: str) -> Finding:
    if settings.CELERY_BROKER_URL.startswith(SCHEME):
        return in_postgres(what)
    try:
        with Connection(settings.CELERY_BROKER_URL) as link:
            link.ensure_connection(max_retries=1, timeout=5)
    except Exception as error:  # noqa: BLE001  (each broker's client has errors of its own; all are a finding)
        return Finding(
            what, False, in_one_line(error), "Start Redis, or leave CELERY_BROKER_URL out to use PostgreSQL."
        )
    return Finding(what, True, settings.CELERY_BROKER_URL.partition("://")[0])


def in_postgres(what: str) -> Finding:
    """What rests on the database's tables is as well as the database and its migrations are."""
    wrong = next((found for found in (CHECKS["database"](), CHECKS["migrations"]()) if not found.ok), None)
    return Finding(what, wrong is None, "in PostgreSQL", f"See the {wrong.what} above." if wrong else "")


@check("channel layer")
def channel_layer(what: str) -> Finding:
    if not settings.CHANNEL_LAYER_URL:
        return in_postgres(what)
    try:
        async_to_sync(get_channel_layer().group_send)("doctor", {"type": "doctor.check"})
    except Exception as error:  # noqa: BLE001  (as above)
        return Finding(
            what, False, in_one_line(error), "Start Redis, or leave CHANNEL_LAYER_URL out to use PostgreSQL."
        )
    return Finding(what, True, settings.CHANNEL_LAYER_URL.partition("://")[0])
