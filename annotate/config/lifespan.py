"""Background work of the web process: its own sign of life, by which sweeps tell a closed tab from an absent server."""

from __future__ import annotations

import asyncio
import logging

from channels.db import database_sync_to_async
from django.db import DatabaseError

from annotate import sweeps

logger = logging.getLogger(__name__)


async def beat_for_ever() -> None:
    """Note every few seconds that the web server is up. A database that is away is waited for."""
    while True:
        try:
            await database_sync_to_async(sweeps.beat)()
        except DatabaseError as error:
            logger.warning("the database does not answer: %s", error)
        await asyncio.sleep(sweeps.SERVER_BEAT.total_seconds())
