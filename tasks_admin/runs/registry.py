"""The formats by name, and which of them a file or folder is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType

from tasks_admin.runs.files import LOOKED_FILES, files_of, first_byte, named, read_json, table_rows
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
from tasks_admin.runs.shape import BadRuns, Given, Heeds, Rejected, Row


@dataclass(frozen=True)
class Format:
    """`signature(path)` is whether it is this format; `read(path, given)` gives its runs and rejections.

    `heeds`: what of `given` the reader uses beside the model, the harness and the condition.
    """

    name: str
    words: str
    signature: Callable[[Path], bool]
    read: Callable[[Path, Given], Iterator[Row]]
    heeds: Heeds


def of(name: str, module: ModuleType) -> Format:
    words = (module.__doc__ or "").strip().splitlines()[0]
    return Format(name, words, module.signature, module.read, module.HEEDS)


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


def find_format(path: Path, passed_over: Iterable[Rejected] = ()) -> Format:
    """The format whose signature it has. Raises BadRuns where it has none, with what was met instead."""
    if not path.exists():
        raise BadRuns(f"{path} does not exist.")
    for known in FORMATS.values():
        if known.signature(path):
            return known
    met = [*glimpses(path), *(f"{one.place}: {one.reason.rstrip('.')}" for one in islice(passed_over, 3))]
    raise BadRuns(
        f"{path.name} looks like none of {', '.join(FORMATS)}. {'; '.join(met)}. "
        "Name the format, or give a table with a column map. Nothing was imported."
    )


def glimpses(path: Path) -> list[str]:
    """What a reader meets first and the broken files after it, three at most, without full stops."""
    files = (file for file in files_of(path) if file.suffix.lower() in table.TABLES)
    first, *others = [glimpse(file, named(file, path)) for file in islice(files, LOOKED_FILES)] or [
        f"There is no file in it that ends in {', '.join(table.TABLES)}"
    ]
    shown = [first, *(one for one in others if isinstance(one, Rejected))][:3]
    return [f"{one.place}: {one.reason.rstrip('.')}" if isinstance(one, Rejected) else one for one in shown]


def glimpse(file: Path, name: str) -> str | Rejected:
    """How a file begins, or why it cannot be read."""
    if file.suffix.lower() == ".json" and first_byte(file) == b"{":
        row = read_json(file, name)
    else:
        row = next((row for _, row in table_rows(file, name)), Rejected(name, "there is nothing in it"))
    if isinstance(row, Rejected):
        return row
    return f"{name} begins with the columns {', '.join(map(repr, islice(row, 12)))}"[:400]
