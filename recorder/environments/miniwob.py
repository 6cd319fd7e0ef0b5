"""MiniWoB++ (the PyPI package ``miniwob``), served by the bundled benchmark server."""

from __future__ import annotations

from django.conf import settings

from recorder.environments.base import TaskRef
from recorder.environments.control import ControlAdapter, ControlClient


class MiniwobAdapter(ControlAdapter):
    """MiniWoB++ tasks. The instruction is known once the page runs, and the verdict's source is the page."""

    name = "miniwob"

    def site(self, ref: TaskRef) -> str:
        return "miniwob"


def from_settings() -> MiniwobAdapter:
    """The adapter for the server at BENCHMARK_URL."""
    return MiniwobAdapter(ControlClient(settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN))
