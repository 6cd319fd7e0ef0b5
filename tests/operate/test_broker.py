"""The SQL transport: what was sent arrives once, in order, and leaves nothing behind."""

from __future__ import annotations

from queue import Empty
from typing import Any

import pytest
from django.db import connection
from kombu import Connection

from annotate.config.broker import SCHEME

pytestmark = pytest.mark.django_db(transaction=True)


def test_messages_arrive_once_and_are_gone() -> None:
    here = broker_of(connection.settings_dict)
    with Connection(here) as link, link.SimpleQueue("walks") as queue:
        for number in range(3):
            queue.put({"number": number})
        got = []
        for _ in range(3):
            message = queue.get(timeout=5)
            got.append(message.payload["number"])
            message.ack()
        assert got == [0, 1, 2]
        with pytest.raises(Empty):
            queue.get(timeout=0.3)
        queue.channel._open()[0].dispose()  # its pool would keep the tests' database in use
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM kombu_message")
        assert cursor.fetchone() == (0,)


def broker_of(at: dict[str, Any]) -> str:
    """The broker on the tests' own database."""
    return f"{SCHEME}+postgresql+psycopg://{at['USER']}@/{at['NAME']}?host={at['HOST']}&port={at['PORT']}"
