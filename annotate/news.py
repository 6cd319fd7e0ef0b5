"""Tell the control tab that its round has changed; the tab then asks for the present state."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction


def group_of(round_id: int) -> str:
    """The channel group that a round's control tab listens to."""
    return f"round.{round_id}"


def round_changed(round_id: int, kind: str = "round.changed") -> None:
    """Send the news once the present transaction is committed."""
    transaction.on_commit(lambda: _send(round_id, kind))


def _send(round_id: int, kind: str) -> None:
    layer = get_channel_layer()
    if layer is not None:
        async_to_sync(layer.group_send)(group_of(round_id), {"type": kind, "round": round_id})
