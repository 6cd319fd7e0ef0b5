"""The formats by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recorder.errors import FootpathError
from recorder.formats import browsergym, chrome_recorder, componentbench, human_jsonl, mind2web, playwright
from recorder.formats.base import Converted, Trace, times

SIDECAR = "footpath.sidecar/1"


@dataclass(frozen=True)
class Format:
    """`convert(trace, **options)` gives the text; `suffix` is the file name's; `options` names what it can be given."""

    name: str
    suffix: str
    convert: Callable[..., Converted]
    options: tuple[str, ...] = ()
    holds_times: bool = False


FORMATS = {
    found.name: found
    for found in (
        Format("playwright", ".py", playwright.convert),
        Format("browsergym", ".jsonl", browsergym.convert, ("observations",)),
        Format("chrome-recorder", ".json", chrome_recorder.convert),
        Format("mind2web", ".json", mind2web.convert, ("pages",)),
        Format("componentbench", ".jsonl", componentbench.convert, holds_times=True),
        Format("human-jsonl", ".jsonl", human_jsonl.convert, holds_times=True),
    )
}


def get_format(name: str) -> Format:
    """The format called `name`. Raises FootpathError (400) with the known names."""
    if name not in FORMATS:
        raise FootpathError(
            "unknown_format", 400, f"no format is called {name!r}; there are: {', '.join(sorted(FORMATS))}"
        )
    return FORMATS[name]


def convert(trace: Trace, name: str, **options: Any) -> Converted:
    """The trace in the format `name`; what it has no place for, times included, is in `lost`. Raises FootpathError."""
    found = get_format(name)
    given = {option: value for option, value in options.items() if value is not None}
    if unknown := sorted(set(given) - set(found.options)):
        raise FootpathError("bad_option", 400, f"{name} does not take {', '.join(unknown)}")
    done = found.convert(trace, **given)
    if not found.holds_times:
        for number, step in enumerate(trace.steps, 1):
            done.lose(number, **times(step))
    return done


def sidecar(trace: Trace, name: str, done: Converted) -> dict[str, Any]:
    """What goes beside the converted text: per step the type, its raw range and the fields that the format does not hold."""
    steps = [
        {"step": number, "type": trace.steps[number - 1]["type"], "raw": trace.steps[number - 1]["raw"]} | lost
        for number, lost in sorted(done.lost.items())
    ]
    return {
        "schema": SIDECAR,
        "recording": trace.document["recording"],
        "format": name,
        "notes": done.notes,
        "steps": steps,
    }


def said(trace: Trace, done: Converted) -> str:
    """In words what the format does not hold; '' where it holds everything."""
    counts: dict[str, int] = {}
    for lost in done.lost.values():
        for field in sorted(lost):
            counts[{"t": "times", "t_end": "times"}.get(field, field)] = 0
    for lost in done.lost.values():
        for field in {{"t": "times", "t_end": "times"}.get(name, name) for name in lost}:
            counts[field] += 1
    parts = [f"{field} of {count} step{'s' * (count != 1)}" for field, count in sorted(counts.items())]
    return ", ".join(parts)
