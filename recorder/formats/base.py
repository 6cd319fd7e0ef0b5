"""What every format is given and gives: a checked trace in, text and what the format could not hold out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from recorder.cleaning.order import Event, element_of

Step = dict[str, Any]


@dataclass(frozen=True)
class Trace:
    """A trace file that `read.checked` found whole: `document` is the file, `steps` its steps in order."""

    document: dict[str, Any]
    steps: list[Step]

    @property
    def name(self) -> str:
        """The task, or the recording's key where there is none."""
        return str(self.document.get("task") or self.document.get("recording"))

    @property
    def start_url(self) -> str:
        """Address of the first page, on the recording's own origin."""
        top = [page for page in self.document["documents"] if not page.get("frame")]
        first: dict[str, Any] = min(top, key=lambda page: page.get("opened") or 0.0, default={})
        return str(first.get("url") or "")

    @property
    def viewport(self) -> tuple[int, int]:
        """Width and height in CSS px of the first page's window."""
        sizes = [
            page["viewport"] for page in self.document["documents"] if page.get("viewport") and not page.get("frame")
        ]
        width, height = sizes[0] if sizes else (1280, 720)
        return int(width), int(height)

    def tab_url(self, tab: int, before: float) -> str:
        """What the tab showed at `before` ms."""
        shown = [
            event
            for event in self.document["events"]
            if event["type"] == "navigate"
            and event.get("tab", 1) == tab
            and not event.get("frame")
            and event["t"] <= before
        ]
        return str(shown[-1].get("url") or "") if shown else self.start_url

    def matches(self, step: Step) -> dict[str, int]:
        """How many elements each locator of the step's target found, as last seen up to the step's end."""
        target = step.get("target") or {}
        if "matches" in target:
            return dict(target["matches"])
        return self.counted.get(element_of(step), {})

    @cached_property
    def counted(self) -> dict[tuple[Any, ...], dict[str, int]]:
        """Match counts by element, as the pointer last found them."""
        seen: dict[tuple[Any, ...], dict[str, int]] = {}
        for event in self.document["events"]:
            if "matches" in (event.get("target") or {}):
                seen[element_of(event)] = event["target"]["matches"]
        return seen


@dataclass
class Converted:
    """`text` in the format, and per step number (1-based) the fields that the format has no place for."""

    text: str
    lost: dict[int, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def lose(self, number: int, **fields: Any) -> None:
        """Note fields of a step that the text does not hold."""
        self.lost.setdefault(number, {}).update({name: value for name, value in fields.items() if value is not None})


UNPLACED = (
    "A frame around some steps is of another origin, so that where it lies was not seen: their coordinates are those of the "
    "frame's own viewport."
)


def times(step: Step) -> dict[str, Any]:
    """A step's begin and end, which most formats have no place for."""
    return {"t": step["t"], "t_end": step.get("t_end", step["t"])}


def center(target: dict[str, Any]) -> tuple[float, float] | None:
    """Middle of the target's box in its frame's viewport, CSS px; None where it had no box."""
    box = target.get("box")
    return (round(box[0] + box[2] / 2, 1), round(box[1] + box[3] / 2, 1)) if box else None


def point(step: Step) -> tuple[float, float] | None:
    """Where the pointer was, else the middle of the target."""
    if step.get("x") is not None and step.get("y") is not None:
        return float(step["x"]), float(step["y"])
    return center(step.get("target") or {})


def on_page(at: Sequence[float] | None, step: Step) -> tuple[float, float] | None:
    """A point of the step's frame in the tab's viewport, CSS px; as it is where a frame around it was not seen (`unplaced`)."""
    left, top = (step.get("target") or step.get("from") or {}).get("offset") or (0, 0)
    return (at[0] + left, at[1] + top) if at else None


def unplaced(step: Step) -> str | None:
    """The step's frame where nobody saw where it lies in the tab (a frame of another origin is around it), else None."""
    target = step.get("target") or step.get("from") or {}
    return step["frame"] if step.get("frame") and target and not target.get("offset") else None


def pressed_at(trace: Trace, step: Step) -> tuple[float, float] | None:
    """Where the pointer was in the last of the step's raw events that tells; None where none does."""
    for event in reversed(trace.document["events"][step["raw"][0] : step["raw"][1] + 1]):
        if event.get("origin") != "page" and event["type"] in {"click", "drag"} and event.get("x") is not None:
            return float(event["x"]), float(event["y"])
    return None


def chosen(step: Step) -> list[str]:
    """Values that a select_option chose."""
    values: Sequence[Any] = step["values"] if step.get("values") is not None else [step.get("value")]
    return [str(value) for value in values if value is not None]


def is_secret(step: Step) -> bool:
    """True where the value was never recorded: it is a length."""
    return bool((step.get("target") or {}).get("secret"))


def selection_before(trace: Trace, step: Step) -> bool:
    """True where the text was selected by Control+A in the same field just before a copy or cut."""
    for event in reversed(trace.document["events"][: step["raw"][0]]):
        if event.get("origin") == "page" or event["type"] not in {"keydown", "input", "click"}:
            continue
        if event["type"] == "keydown" and event.get("key") in {"Control", "Meta", "Shift"}:
            continue
        return bool(
            event["type"] == "keydown"
            and str(event.get("key")).lower() == "a"
            and {"Control", "Meta"} & set(event.get("modifiers") or ())
            and same_element(event, step)
        )
    return False


def same_element(one: Event, other: Event) -> bool:
    return element_of(one) == element_of(other)
