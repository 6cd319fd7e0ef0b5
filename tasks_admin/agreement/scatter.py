"""A scatter of pairs on logarithmic axes, as the parts of an SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SIZE, LEFT, BOTTOM, TOP = 420, 52, 52, 12
INSIDE = SIZE - LEFT - TOP  # both ways: LEFT and BOTTOM are the same


@dataclass(frozen=True)
class Dot:
    """A pair of positive numbers with what is said of it, where it leads, and its class."""

    x: float
    y: float
    words: str
    link: str
    kind: str


@dataclass(frozen=True)
class Scatter:
    """The picture: dots in its units, ticks of both axes, the lines of equal numbers and of ×2 and ÷2, and the axes' names."""

    title: str
    across: str
    up: str
    dots: list[dict[str, Any]]
    ticks: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    size: int = SIZE
    left: int = LEFT
    base: int = SIZE - BOTTOM
    top: int = TOP
    right: int = SIZE - TOP


def scatter(title: str, across: str, up: str, dots: Sequence[Dot]) -> Scatter | None:
    """Both axes have the same scale, so that what is equal lies on the diagonal; None where there is no dot."""
    if not dots:
        return None
    values = [value for dot in dots for value in (dot.x, dot.y)]
    low, high = math.log10(min(values)) - 0.08, math.log10(max(values)) + 0.08
    if high - low < 0.5:
        low, high = (low + high) / 2 - 0.25, (low + high) / 2 + 0.25

    def place(value: float) -> float:
        return INSIDE * (math.log10(value) - low) / (high - low)

    drawn = [
        {"x": round(LEFT + place(dot.x), 1), "y": round(SIZE - BOTTOM - place(dot.y), 1), "dot": dot} for dot in dots
    ]
    ticks = [tick(value, place(value)) for value in steps(10**low, 10**high)]
    return Scatter(title, across, up, drawn, ticks, [guide(factor, low, high) for factor in (1, 2, 0.5)])


def tick(value: float, at: float) -> dict[str, Any]:
    """A round number on both axes."""
    return {"label": f"{value:g}", "x": round(LEFT + at, 1), "y": round(SIZE - BOTTOM - at, 1)}


def steps(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten in between."""
    found = [
        m * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)
    ]
    return [value for value in found if low <= value <= high]


def guide(factor: float, low: float, high: float) -> dict[str, Any]:
    """The line up = factor × across, cut to the picture."""
    shift = INSIDE * math.log10(factor) / (high - low)
    start, stop = max(0.0, -shift), min(INSIDE, INSIDE - shift)
    return {
        "kind": "equal" if factor == 1 else "twice",
        "x1": round(LEFT + start, 1),
        "y1": round(SIZE - BOTTOM - start - shift, 1),
        "x2": round(LEFT + stop, 1),
        "y2": round(SIZE - BOTTOM - stop - shift, 1),
    }
