"""A gesture in the making: the step it will be, and what later events need to know about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recorder.cleaning.order import Event, element_of

POINTER = ("x", "y", "button", "modifiers", "path")


@dataclass(eq=False)
class Gesture:
    """One step being built; `last_t` is when its latest event happened."""

    type: str
    event: Event
    last_t: float
    raw: list[int]
    fields: dict[str, Any] = field(default_factory=dict)
    by_key: bool = False  # a native control set by keys, not by its pointer picker
    ended: bool = False  # a later event of the same kind begins a new gesture
    acts: set[tuple[Any, Any]] = field(default_factory=set)  # the page's own numbers of the gesture

    @property
    def element(self) -> tuple[Any, ...]:
        return element_of(self.event)

    @property
    def tab(self) -> int:
        return int(self.event.get("tab", 1))

    @property
    def start(self) -> float:
        return float(self.event["t"])

    def absorb(self, event: Event) -> None:
        """Count `event` as part of this gesture."""
        self.acts |= acts_of(event)
        self.last_t = max(self.last_t, end_of(event))
        self.raw = [min(self.raw[0], event["raw"][0]), max(self.raw[1], event["raw"][1])]

    def swallow(self, other: Gesture) -> None:
        """Count another gesture as part of this one; this one begins where the earlier of both did."""
        self.acts |= other.acts
        self.fields.setdefault("t", self.start)
        self.fields["t"] = min(self.fields["t"], other.fields.get("t", other.start))
        self.last_t = max(self.last_t, other.last_t)
        self.raw = [min(self.raw[0], other.raw[0]), max(self.raw[1], other.raw[1])]

    def step(self) -> Event:
        """The finished step."""
        event = self.event
        step: Event = {"type": self.type, "t": self.fields.get("t", event["t"]), "t_end": self.last_t}
        step |= {name: event[name] for name in ("doc", "tab", "frame", "target") if name in event}
        return step | {name: value for name, value in self.fields.items() if name != "t"} | {"raw": self.raw}


def end_of(event: Event) -> float:
    """When an event, which may be several in one, ended."""
    return float(event["t_end"] if "t_end" in event else event["t"])


def acts_of(event: Event) -> set[tuple[Any, Any]]:
    """The act that the page said `event` belongs to: its document and number there."""
    return {(event.get("doc"), event["gesture"])} if event.get("gesture") is not None else set()


def gesture(kind: str, event: Event, names: tuple[str, ...] = (), **fields: Any) -> Gesture:
    """A gesture begun by `event`, with the event's own fields called `names`."""
    own = {name: event[name] for name in names if name in event}
    end = end_of(event)
    return Gesture(kind, event, end, list(event["raw"]), own | fields, acts=acts_of(event))
