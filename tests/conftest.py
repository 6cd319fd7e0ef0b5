"""Fixtures that every test may use."""

import pytest
from django.conf import LazySettings

from tests.cast import cast, toy, work

__all__ = ["cast", "toy", "work"]


@pytest.fixture(autouse=True)
def channel_layer_in_memory(settings: LazySettings) -> None:
    """News stay in the process: the test database has no tables for them in time."""
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
