"""MiniWoB++ (the PyPI package ``miniwob``), served by the bundled benchmark server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from recorder.environments.base import TaskRef
from recorder.environments.control import ControlAdapter, ControlClient
from recorder.environments.options import refuse_unknown


class MiniwobAdapter(ControlAdapter):
    """MiniWoB++ tasks. The instruction is known once the page runs, and the verdict's source is the page."""

    name = "miniwob"

    def site(self, ref: TaskRef) -> str:
        return "miniwob"


def from_options(options: Mapping[str, Any]) -> MiniwobAdapter:
    """The adapter for the server at BENCHMARK_URL; there is nothing to choose."""
    refuse_unknown(options)
    return MiniwobAdapter(ControlClient(settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN))
