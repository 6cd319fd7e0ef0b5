"""The bundled sample sites with state of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from recorder.environments.control import ControlAdapter, ControlClient
from recorder.environments.options import refuse_unknown


class SampleAdapter(ControlAdapter):
    """Any stateful site of the bundled benchmark; ``TaskRef.environment`` is the site's name, e.g. ``shop``."""

    name = "sample"


def from_options(options: Mapping[str, Any]) -> SampleAdapter:
    """The adapter for the server at BENCHMARK_URL; there is nothing to choose."""
    refuse_unknown(options)
    return SampleAdapter(ControlClient(settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN))
