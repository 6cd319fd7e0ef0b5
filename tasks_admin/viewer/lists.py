"""The lists of the attempt page, a piece at a time: raw events, cleaned ones, steps, and the site's requests."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotate.models import Attempt
from recorder.models import SiteRequest
from tasks_admin.viewer import trace as reading
from tasks_admin.viewer.rows import clock, path_of, row

FIRST, MOST = 60, 300  # rows that the page brings with it, and that one request may ask for
KINDS = ("raw", "cleaned", "steps", "requests")
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Lists:
    """The lists of one attempt; each is read once, and only where it is asked for."""

    LOADED = ("recording", "round__participation__study", "round__assignment__task_condition__task__environment")

    attempt: Attempt

    @property
    def wall_ms(self) -> float:
        return float(self.attempt.wall_ms or 0)

    @cached_property
    def trace(self) -> reading.Trace | None:
        return reading.trace_of(self.attempt)

    @cached_property
    def order(self) -> reading.Order:
        recording = self.attempt.recording
        return reading.order_of(recording, self.wall_ms) if recording else reading.Order()

    @property
    def steps(self) -> Rows:
        return self.trace.steps if self.trace else []

    def total(self, kind: str) -> int:
        """How many rows the list has."""
        if kind == "raw":
            return len(self.order)
        if kind == "requests":
            return SiteRequest.objects.filter(recording=self.attempt.recording_id).count() if self.recorded else 0
        return len(self.listed(kind))

    @property
    def recorded(self) -> bool:
        return self.attempt.recording_id is not None

    def listed(self, kind: str) -> Rows:
        if self.trace is None:
            return []
        return self.trace.cleaned if kind == "cleaned" else self.trace.steps

    def piece(self, kind: str, first: int = 0, count: int = FIRST) -> Rows:
        """Rows {index, t, clock, type, origin, target, detail, first, last} from place `first` on."""
        recording = self.attempt.recording
        if recording is None:
            return []
        if kind == "requests":
            asked = SiteRequest.objects.filter(recording=recording).order_by("t", "pk")[first : first + count]
            return [request_row(one, first + place) for place, one in enumerate(asked)]
        whole = kind == "raw"
        found = reading.raw_piece(recording, self.order, first, count) if whole else self.listed(kind)[first:][:count]
        return [row(one, first + place) for place, one in enumerate(found)]

    def raw_event(self, index: int) -> dict[str, Any]:
        """The raw event of this place, whole."""
        assert self.attempt.recording is not None
        return reading.raw_piece(self.attempt.recording, self.order, index, 1)[0]

    def place(self, kind: str, *, raw: int | None = None, at: float | None = None) -> int | None:
        """Where in the list a raw event went, or which is the first at or after a time; None where there is none."""
        if raw is not None and kind in ("cleaned", "steps"):
            return reading.holding(self.listed(kind), raw)
        if at is None:
            return raw
        times = self.order.times if kind == "raw" else [one["t"] for one in self.listed(kind)]
        found = bisect_left(times, at)
        return found if found < len(times) else None


def request_row(request: SiteRequest, index: int) -> dict[str, Any]:
    """A request of the site as a row: its status stands in the place of a type."""
    failed = not 0 < request.status < 500
    return {
        "index": index,
        "t": request.t,
        "clock": clock(request.t),
        "type": str(request.status or "no answer"),
        "origin": "failed" if failed else "page",
        "tab": "",
        "target": f"{request.method} {path_of(request.path)}",
        "detail": f"{request.ms:.0f} ms" + (f" · {request.error}" if request.error else ""),
        "first": index,
        "last": index,
    }
