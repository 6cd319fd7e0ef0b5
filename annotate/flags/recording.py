"""Rules about what was recorded of an attempt, and in what circumstances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotate.flags.facts import Facts
from annotate.flags.registry import Limits, rule
from recorder import stretches

Size = tuple[float, float]
SAME = 2.0  # px that a side may differ by without having changed: a scroll bar's rounding


def seconds(ms: float) -> str:
    """Milliseconds as people read them in a reason."""
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{int(ms // 60_000)} min {int(ms % 60_000 / 1000):02d} s"


@rule()
def incomplete_proof(facts: Facts, limits: Limits) -> str:
    """The server does not hold every event the page produced."""
    if facts.attempt.proof_complete:
        return ""
    gaps = (facts.attempt.proof or {}).get("gaps", [])
    return f"The recording has {len(gaps)} gap(s); it can't become a reference."


@rule(least_seconds=120)
def long_idle(facts: Facts, limits: Limits) -> str:
    """Nothing was done for a long stretch."""
    found = stretches.idle(facts.events, facts.end, 1000 * limits["least_seconds"])
    if not found:
        return ""
    start, stop = stretches.longest(found) or found[0]
    whole = sum(b - a for a, b in found)
    more = f", {len(found)} such stretches with {seconds(whole)} in all" if len(found) > 1 else ""
    return (
        f"Nothing was done for {seconds(stop - start)}, from {seconds(start)} on, of {seconds(facts.end)} in all{more}."
    )


@rule(least_seconds=60)
def tab_hidden(facts: Facts, limits: Limits) -> str:
    """The website was out of view for a long stretch: another tab or window was in front."""
    least = 1000 * limits["least_seconds"]
    found = [stretch for stretch in stretches.hidden(facts.events, facts.end) if stretch[1] - stretch[0] >= least]
    if not found:
        return ""
    start, stop = stretches.longest(found) or found[0]
    more = f"; {len(found)} times over {limits['least_seconds']:.0f} s" if len(found) > 1 else ""
    return f"The website was out of view for {seconds(stop - start)}, from {seconds(start)} on{more}."


def resizes(facts: Facts) -> Iterator[tuple[float, Size, Size, dict[str, Any], dict[str, Any]]]:
    """Each change of a tab's size: when, the size before and after, and what was known of zoom and pixels before and after."""
    last: dict[int, dict[str, Any]] = {tab: {"viewport": size} for tab, size in facts.first_viewports.items()}
    for event in facts.events:
        if event["type"] != "resize" or not event.get("viewport"):
            continue
        before = last.get(event["tab"], {})
        last[event["tab"]] = event
        if before.get("viewport"):
            yield event["t"], size_of(before), size_of(event), before, event


def size_of(event: dict[str, Any]) -> Size:
    width, height = event["viewport"][:2]
    return float(width), float(height)


def docked(before: Size, after: Size, least: float) -> bool:
    """True where one side alone shrank by as much as a docked panel takes."""
    narrower, lower = before[0] - after[0], before[1] - after[1]
    return (narrower >= least and abs(lower) <= SAME) or (lower >= least and abs(narrower) <= SAME)


@rule(least_pixels=180)
def devtools_resize(facts: Facts, limits: Limits) -> str:
    """One side of the viewport shrank at once as it does when developer tools are docked."""
    for t, before, after, was, now in resizes(facts):
        zoomed = was.get("dpr") not in (None, now.get("dpr"))
        if not zoomed and docked(before, after, limits["least_pixels"]):
            return f"At {seconds(t)} the viewport went from {in_words(before)} to {in_words(after)}, one side alone."
    return ""


@rule(least_share=0.2)
def viewport_changed(facts: Facts, limits: Limits) -> str:
    """The window or its zoom was changed during the attempt."""
    for t, before, after, was, now in resizes(facts):
        if zoomed := [change for name in ("dpr", "zoom") if (change := changed(was, now, name))]:
            return f"At {seconds(t)} the zoom changed ({', '.join(zoomed)})."
        share = max(abs(a - b) / max(b, 1.0) for a, b in zip(after, before, strict=True))
        if share >= limits["least_share"]:
            return (
                f"At {seconds(t)} the viewport went from {in_words(before)} to {in_words(after)} ({100 * share:.0f} %)."
            )
    return ""


def changed(was: dict[str, Any], now: dict[str, Any], name: str) -> str:
    """What a number of a resize went from and to, in words; "" where it stayed or was not known."""
    before, after = was.get(name), now.get(name)
    words = {"dpr": "pixel ratio", "zoom": "pinch"}[name]
    return f"{words} {before:g} → {after:g}" if before and after and before != after else ""


def in_words(size: Size) -> str:
    return f"{size[0]:g} × {size[1]:g}"
