"""Which adapters there are: the bundled ones, and those other packages bring by an entry point."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from recorder.environments import miniwob, sample
from recorder.environments.base import Adapter
from recorder.errors import FootpathError

ENTRY_POINTS = "footpath.environments"

BUNDLED: dict[str, Callable[[], Adapter]] = {
    "sample": sample.from_settings,
    "miniwob": miniwob.from_settings,
}


class UnknownAdapter(FootpathError):
    """No adapter has this name."""

    def __init__(self, name: str) -> None:
        known = ", ".join(adapter_names())
        super().__init__("unknown_adapter", 404, f"There is no adapter {name!r}; known: {known}.", adapter=name)


def adapter_names() -> list[str]:
    """Names that ``get_adapter`` takes, sorted."""
    return sorted({*BUNDLED, *(entry.name for entry in entry_points(group=ENTRY_POINTS))})


def get_adapter(name: str) -> Adapter:
    """A new adapter by name. An entry point is a callable without arguments. Raises UnknownAdapter."""
    if name in BUNDLED:
        return BUNDLED[name]()
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        make: Callable[[], Adapter] = entry.load()
        return make()
    raise UnknownAdapter(name)
