"""The bundled sample sites with state of their own."""

from __future__ import annotations

from django.conf import settings

from recorder.environments.control import ControlAdapter, ControlClient


class SampleAdapter(ControlAdapter):
    """Any stateful site of the bundled benchmark; ``TaskRef.environment`` is the site's name, e.g. ``shop``."""

    name = "sample"


def from_settings() -> SampleAdapter:
    """The adapter for the server at BENCHMARK_URL."""
    return SampleAdapter(ControlClient(settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN))
