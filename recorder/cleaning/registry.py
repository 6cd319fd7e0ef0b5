"""The cleaners by name. A new version is a new entry; the results of the old one stay what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from recorder.cleaning import componentbench, human140
from recorder.cleaning.order import Event, ordered
from recorder.cleaning.steps import steps_of
from recorder.errors import FootpathError


@dataclass(frozen=True)
class Cleaner:
    """A pure function from ordered raw events to cleaned ones, with the name and version that results are stored under."""

    name: str
    version: int
    clean: Callable[[Sequence[Event]], list[Event]]


CLEANERS = {module.NAME: Cleaner(module.NAME, module.VERSION, module.clean) for module in (human140, componentbench)}
DEFAULT = human140.NAME


@dataclass(frozen=True)
class Cleaned:
    """What cleaning made of raw events; `events` is the ordered list that every `raw` range refers to."""

    cleaner: str
    version: int
    events: list[Event]
    cleaned: list[Event]
    steps: list[Event]

    def counts(self) -> dict[str, int]:
        """The three counts, which are always shown apart."""
        return {"raw_events": len(self.events), "cleaned_events": len(self.cleaned), "steps": len(self.steps)}


def get_cleaner(name: str = DEFAULT) -> Cleaner:
    """The cleaner called `name`. Raises FootpathError (400) with the known names."""
    if name not in CLEANERS:
        raise FootpathError(
            "unknown_cleaner", 400, f"no cleaner is called {name!r}; there are: {', '.join(sorted(CLEANERS))}"
        )
    return CLEANERS[name]


def clean_events(events: Sequence[dict[str, Any]], name: str = DEFAULT) -> Cleaned:
    """Order, clean and project raw `events`. Raises FootpathError on an unknown cleaner or an event that cannot be placed."""
    cleaner, listed = get_cleaner(name), ordered(events)
    cleaned = cleaner.clean(listed)
    return Cleaned(cleaner.name, cleaner.version, listed, cleaned, steps_of(listed, cleaned))
