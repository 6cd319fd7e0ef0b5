"""Tell the control tab that its round has changed; the tab then asks for the present state."""

from __future__ import annotations

from django.db import transaction

from recorder.channel import SENDER


def group_of(round_id: int) -> str:
    """The channel group that a round's control tab listens to."""
    return f"round.{round_id}"


def round_changed(round_id: int) -> None:
    """Send the news once the present transaction is committed."""
    message = {"type": "round.changed", "round": round_id}
    transaction.on_commit(lambda: SENDER.send(group_of(round_id), message))
