"""The cleaners by name. A new version is a new entry; the results of the old one stay what they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from recorder.cleaning import componentbench, human140
from recorder.cleaning.order import Event, in_order, ordered
from recorder.cleaning.steps import projection_of, steps_of
from recorder.errors import FootpathError


@dataclass(frozen=True)
class Cleaner:
    """A pure function from ordered raw events to cleaned ones, with the name and version that results are stored under.

    `in_one_pass`: it takes an iterator and holds no more than the open run.
    """

    name: str
    version: int
    clean: Callable[[Iterable[Event]], Iterator[Event]]
    in_one_pass: bool


CLEANERS = {
    cleaner.name: cleaner
    for cleaner in (
        Cleaner(human140.NAME, human140.VERSION, human140.clean, in_one_pass=True),
        Cleaner(componentbench.NAME, componentbench.VERSION, componentbench.clean, in_one_pass=False),
    )
}
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
    cleaned = list(cleaner.clean(listed))
    return Cleaned(cleaner.name, cleaner.version, listed, cleaned, list(steps_of(listed, cleaned)))


def clean_stream(events: Iterable[Event], name: str = DEFAULT) -> Iterator[tuple[str, Event]]:
    """The same for events of any number that are in order already: pairs ("cleaned" or "step", event) as they are known.

    Memory does not grow with the events. Raises FootpathError on an unknown cleaner, on one that has to see all events first,
    and on events out of order.
    """
    cleaner = get_cleaner(name)
    if not cleaner.in_one_pass:
        raise FootpathError("not_in_one_pass", 400, f"the cleaner {name} has to see all events first; use clean_events")
    ahead = Ahead(in_order(events))
    projection = projection_of()
    for event in cleaner.clean(ahead):
        yield "cleaned", event
        yield from (("step", step) for step in projection.take_up(ahead.up_to(event["raw"][1]), event))
    yield from (("step", step) for step in projection.finish())


class Ahead:
    """Events handed to a cleaner, and once more, later, to whoever follows it."""

    def __init__(self, events: Iterator[Event]) -> None:
        self.events = events
        self.kept: deque[Event] = deque()
        self.given = 0

    def __iter__(self) -> Iterator[Event]:
        for event in self.events:
            self.kept.append(event)
            yield event

    def up_to(self, index: int) -> Iterator[Event]:
        """The events not given yet up to `index`, which goes with them."""
        while self.given <= index:
            self.given += 1
            yield self.kept.popleft()
