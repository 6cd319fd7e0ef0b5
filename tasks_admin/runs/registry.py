"""The formats by name, and which of them a file or folder is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tasks_admin.runs.formats import (
    agentlab,
    agentrewardbench,
    breakingweb,
    browser_use,
    componentbench,
    online_mind2web,
    osworld,
    table,
    webarena,
)
from tasks_admin.runs.shape import BadRuns, Given, Row


@dataclass(frozen=True)
class Format:
    """`signature(path)` is whether it is this format; `read(path, given)` gives its runs and rejections."""

    name: str
    words: str
    signature: Callable[[Path], bool]
    read: Callable[[Path, Given], Iterator[Row]]


def of(name: str, module: ModuleType) -> Format:
    words = (module.__doc__ or "").strip().splitlines()[0]
    return Format(name, words, module.signature, module.read)


# In the order in which they are tried: what is told by fewer signs comes later.
FORMATS: dict[str, Format] = {
    name: of(name, module)
    for name, module in (
        ("agentlab", agentlab),
        ("osworld", osworld),
        ("online-mind2web", online_mind2web),
        ("agentrewardbench", agentrewardbench),
        ("browser-use", browser_use),
        ("componentbench", componentbench),
        ("breakingweb", breakingweb),
        ("webarena", webarena),
        ("table", table),
    )
}
AUTO = "auto"


def find_format(path: Path) -> Format:
    """The format whose signature it has. Raises BadRuns where it has none."""
    if not path.exists():
        raise BadRuns(f"{path} does not exist.")
    for known in FORMATS.values():
        if known.signature(path):
            return known
    raise BadRuns(
        f"{path} looks like none of {', '.join(FORMATS)}. Name the format, or give a table with a column map."
    )
