"""Whether the database answers, asked directly: a pool would only say that it waited in vain."""

from __future__ import annotations

from typing import Any

import psycopg

from tasks_admin.operate.stack import CannotServe

LEAST_VERSION = 15
WAIT_SECONDS = 5


def server_version(told: dict[str, Any]) -> int:
    """The major version of the PostgreSQL of a DATABASES entry. Raises psycopg.OperationalError."""
    extra = {name: value for name, value in told.get("OPTIONS", {}).items() if name not in {"pool", "connect_timeout"}}
    with psycopg.connect(
        dbname=told["NAME"],
        user=told["USER"] or None,
        password=told["PASSWORD"] or None,
        host=told["HOST"] or None,
        port=told["PORT"] or None,
        connect_timeout=WAIT_SECONDS,
        **extra,
    ) as link:
        return link.info.server_version // 10000


def in_one_line(error: Exception) -> str:
    """The first thing libpq says, without its advice and line breaks."""
    return " ".join(str(error).split("\n\t")[0].split("Multiple connection attempts")[0].split())


def require_database(told: dict[str, Any]) -> None:
    """Raises CannotServe with the reason where the database does not answer, or is too old."""
    try:
        version = server_version(told)
    except psycopg.OperationalError as error:
        raise CannotServe(
            f"The database does not answer: {in_one_line(error)}. Start PostgreSQL, or set DATABASE_URL to one that runs."
        ) from error
    if version < LEAST_VERSION:
        raise CannotServe(f"PostgreSQL {LEAST_VERSION} or newer is needed; DATABASE_URL leads to {version}.")
