"""`replay_trace`: the same as `replay`."""

from recorder.management.commands.replay import Command

__all__ = ["Command"]
