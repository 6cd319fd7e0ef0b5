"""Celery's SQL transport as Footpath uses it where there is no Redis.

Asked five times a second, since kombu's own would wait a whole second before it looks again; and what was delivered is
deleted, since kombu's own would keep every message for ever.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.sqlalchemy import Channel as SqlChannel
from kombu.transport.sqlalchemy import Transport as SqlTransport

SCHEME = "footpathsql"


class Channel(SqlChannel):
    def _get(self, queue: str, timeout: float | None = None) -> Any:
        message = super()._get(queue)
        rows = self._query_all(queue)  # type: ignore[attr-defined]  # kombu's types leave it out
        delivered = rows.filter(self.message_cls.visible.is_(False))
        delivered.delete(synchronize_session=False)
        self.session.commit()
        return message


class Transport(SqlTransport):
    Channel = Channel
    polling_interval = 0.2


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
