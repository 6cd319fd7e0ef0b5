"""Celery's SQL transport, asked five times a second: kombu's own would wait a whole second before it looks again."""

from __future__ import annotations

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.sqlalchemy import Transport as SqlTransport

SCHEME = "footpathsql"


class Transport(SqlTransport):
    polling_interval = 0.2


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
