"""Which adapters there are: the bundled ones, and those other packages bring by an entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any

from recorder.environments import http, miniwob, page, sample
from recorder.environments.base import Adapter
from recorder.errors import FootpathError

ENTRY_POINTS = "footpath.environments"
Maker = Callable[[Mapping[str, Any]], Adapter]

BUNDLED: dict[str, Maker] = {
    "sample": sample.from_options,
    "miniwob": miniwob.from_options,
    "http": http.from_options,
    "dom": page.dom,
    "static": page.static,
    "manual": page.manual,
}


class UnknownAdapter(FootpathError):
    """No adapter has this name."""

    def __init__(self, name: str) -> None:
        known = ", ".join(adapter_names())
        super().__init__("unknown_adapter", 404, f"There is no adapter {name!r}; known: {known}.", adapter=name)


def adapter_names() -> list[str]:
    """Names that ``get_adapter`` takes, sorted."""
    return sorted({*BUNDLED, *(entry.name for entry in entry_points(group=ENTRY_POINTS))})


def get_adapter(name: str, options: Mapping[str, Any] | None = None) -> Adapter:
    """A new adapter by name, configured by ``options``. Raises UnknownAdapter, BadOptions.

    An entry point of the group ``footpath.environments`` is a callable with one argument: the options, a mapping.
    """
    if name in BUNDLED:
        return BUNDLED[name](options or {})
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        make: Maker = entry.load()
        return make(options or {})
    raise UnknownAdapter(name)
