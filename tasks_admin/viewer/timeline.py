"""The timeline of an attempt as SVG paths: a lane per kind of event, the site's requests, idle and hidden stretches, steps."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recorder.models import Recording, SiteRequest
from recorder.stretches import Stretch
from tasks_admin.viewer.trace import Order

WIDTH, LANE = 1000, 20  # units of the picture; it is stretched to the page's width
BINS = 500
MORE_MS = 1_000  # what came of the last act may be seen a little later
LANES: tuple[tuple[str, frozenset[str]], ...] = (
    ("pointer", frozenset({"click", "dblclick", "contextmenu", "auxclick", "mousemove", "drag"})),
    ("keys", frozenset({"keydown", "input", "composition", "change"})),
    ("clipboard", frozenset({"copy", "cut", "paste"})),
    ("scroll", frozenset({"scroll"})),
    ("focus", frozenset({"focus", "blur", "selection", "submit"})),
    ("navigation", frozenset({"navigate", "tab", "dialog", "download"})),
    ("window", frozenset({"visibility", "resize", "blind"})),
)


@dataclass(frozen=True)
class Lane:
    """A lane: its name, how many events it holds, the path of its marks and of its failed ones, and its top."""

    name: str
    count: int
    path: str
    failed: str
    top: int


@dataclass(frozen=True)
class Timeline:
    """What the picture is made of. `ends` is ms; `firsts` are the places of the first raw event of each of BINS bins."""

    ends: float
    lanes: list[Lane]
    idle: list[dict[str, float]]
    hidden: list[dict[str, float]]
    ticks: list[dict[str, Any]]
    firsts: list[int]
    step_times: list[int]

    @property
    def height(self) -> int:
        return LANE * len(self.lanes)

    @property
    def idle_ms(self) -> list[list[int]]:
        """Idle stretches as the player skips them: [from, to] in ms."""
        return [[round(one["from"]), round(one["to"])] for one in self.idle]


def timeline_of(
    recording: Recording, order: Order, steps: Sequence[dict[str, Any]], wall_ms: float, seen_ms: float = 0.0
) -> Timeline:
    """The timeline of a recording. `wall_ms` is the time to Evaluate; events after it lengthen the picture, and so does a
    capture that goes on until `seen_ms`, by MORE_MS at most."""
    ends = max(wall_ms, order.times[-1] if len(order) else 0, 1.0)
    ends = max(ends, min(seen_ms, ends + MORE_MS))
    lanes = [event_lane(name, kinds, order, ends) for name, kinds in LANES]
    lanes = [lane for lane in [*lanes, page_lane(order, ends), request_lane(recording, ends)] if lane.count]
    return Timeline(
        ends,
        [Lane(lane.name, lane.count, lane.path, lane.failed, LANE * place) for place, lane in enumerate(lanes)],
        [span(one, ends) for one in order.idle],
        [span(one, ends) for one in order.hidden],
        ticks(ends),
        [bisect_left(order.times, ends * place / BINS) for place in range(BINS)],
        [round(step["t"]) for step in steps],
    )


def event_lane(name: str, kinds: frozenset[str], order: Order, ends: float) -> Lane:
    """The person's events of some types."""
    wanted = {place for place, kind in enumerate(order.names) if kind in kinds}
    times = [t for t, kind, user in zip(order.times, order.kinds, order.users, strict=True) if user and kind in wanted]
    return Lane(name, len(times), marks(times, ends), "", 0)


def page_lane(order: Order, ends: float) -> Lane:
    """What the page did by itself."""
    times = [t for t, user in zip(order.times, order.users, strict=True) if not user]
    return Lane("page", len(times), marks(times, ends), "", 0)


def request_lane(recording: Recording, ends: float) -> Lane:
    """The site's own requests; those that failed apart."""
    asked = SiteRequest.objects.filter(recording=recording, t__gte=0).values_list("t", "status")
    good = [t for t, status in asked if 0 < status < 500]
    bad = [t for t, status in asked if not 0 < status < 500]
    return Lane("requests", len(good) + len(bad), marks(good, ends), marks(bad, ends), 0)


def marks(times: Iterable[float], ends: float) -> str:
    """A vertical stroke per bin that holds something, the taller the more it holds."""
    counts = Counter(min(BINS - 1, int(BINS * max(t, 0) / ends)) for t in times)
    width = WIDTH / BINS
    parts = []
    for place, count in sorted(counts.items()):
        tall = min(LANE - 4, 6 + round(4 * math.log2(count)))
        parts.append(f"M{width * place + width / 2:g} {LANE - 2}v-{tall}")
    return "".join(parts)


def span(stretch: Stretch, ends: float) -> dict[str, float]:
    """A stretch as a rectangle: x and width in units, from and to in ms."""
    start, stop = stretch
    return {
        "x": round(WIDTH * start / ends, 2),
        "width": round(WIDTH * (min(stop, ends) - start) / ends, 2),
        "from": start,
        "to": stop,
    }


def ticks(ends: float) -> list[dict[str, Any]]:
    """Four to nine round times along the picture: {percent, label}."""
    for every in (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600):
        if ends / 1000 / every <= 8:
            break
    found = range(0, int(ends / 1000) + 1, every)
    return [{"percent": round(100_000 * second / ends, 2), "label": label(second)} for second in found]


def label(second: int) -> str:
    return f"{second // 60}:{second % 60:02d}"
