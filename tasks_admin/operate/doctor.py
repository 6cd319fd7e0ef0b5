"""The checks of `doctor`: one short function each, in a small registry."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu import Connection

from recorder.browser import REMEDY, find_chromium


@dataclass(frozen=True)
class Finding:
    """One check's result: what was looked at, what was seen, and the remedy where it is not ok."""

    what: str
    ok: bool
    seen: str
    remedy: str = ""


CHECKS: list[Callable[[], Finding]] = []


def check(function: Callable[[], Finding]) -> Callable[[], Finding]:
    """Register a check; they run in the order they are written."""
    CHECKS.append(function)
    return function


def examine() -> list[Finding]:
    """Run every check."""
    return [function() for function in CHECKS]


@check
def database() -> Finding:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            version = cursor.fetchone()[0]
    except OperationalError as error:
        return Finding("database", False, str(error).strip(), "Start PostgreSQL, or set DATABASE_URL to one that runs.")
    return Finding("database", int(version.split(".")[0]) >= 15, f"PostgreSQL {version}", "Use PostgreSQL 15 or newer.")


@check
def migrations() -> Finding:
    try:
        executor = MigrationExecutor(connection)
        left = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except OperationalError as error:
        return Finding("migrations", False, str(error).strip(), "See the database above.")
    return Finding(
        "migrations", not left, f"{len(left)} not applied", "Run ./run migrate (./run up does so by itself)."
    )


@check
def secret() -> Finding:
    kept = "kept in the data folder" if settings.LAPTOP else "from the environment"
    long_enough = len(settings.SECRET_KEY) >= 40
    return Finding(
        "secret key",
        long_enough,
        f"{kept}, {len(settings.SECRET_KEY)} characters",
        "Set SECRET_KEY to 50 random characters.",
    )


@check
def hosts() -> Finding:
    host = urlsplit(settings.PUBLIC_URL).hostname or ""
    return Finding(
        "public address", host in settings.ALLOWED_HOSTS, settings.PUBLIC_URL, f"Add {host} to ALLOWED_HOSTS."
    )


@check
def wildcard() -> Finding:
    name = f"doctor.{settings.ENV_HOST}"
    if name.endswith(".localhost"):
        return Finding("wildcard name", True, f"*.{settings.ENV_HOST} is sent to loopback by browsers themselves")
    try:
        address = socket.gethostbyname(name)
    except OSError:
        return Finding(
            "wildcard name",
            False,
            f"{name} does not resolve",
            f"Make a DNS record *.{settings.ENV_HOST} for this server.",
        )
    return Finding("wildcard name", True, f"{name} is {address}")


@check
def proxy() -> Finding:
    tls = settings.PUBLIC_URL.startswith("https://")
    told = bool(getattr(settings, "SECURE_PROXY_SSL_HEADER", None))
    seen = "TLS by a proxy" if tls else "no TLS"
    return Finding(
        "proxy headers", told or not tls, seen, "Set BEHIND_PROXY=1 and have the proxy send X-Forwarded-Proto and Host."
    )


@check
def browser() -> Finding:
    path = find_chromium()
    return Finding("Chromium", path is not None, path or "none", REMEDY)


@check
def broker() -> Finding:
    try:
        with Connection(settings.CELERY_BROKER_URL) as link:
            link.ensure_connection(max_retries=1, timeout=5)
            kind = link.transport_cls
    except Exception as error:  # noqa: BLE001  (each broker's client has errors of its own; all are a finding)
        return Finding("broker", False, str(error), "Start Redis, or unset CELERY_BROKER_URL to use PostgreSQL.")
    return Finding("broker", True, f"{kind}")


@check
def channel_layer() -> Finding:
    layer = get_channel_layer()
    try:
        async_to_sync(layer.group_send)("doctor", {"type": "doctor.check"})
    except Exception as error:  # noqa: BLE001  (as above)
        return Finding("channel layer", False, str(error), "Start Redis, or unset CHANNEL_LAYER_URL to use PostgreSQL.")
    return Finding("channel layer", True, type(layer).__name__)
