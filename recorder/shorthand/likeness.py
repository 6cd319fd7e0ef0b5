"""Events that others are compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recorder import fast


@dataclass(slots=True)
class Likeness:
    """An event without its `doc`, `n` and `p`: its fields, those of the objects in it one by one.

    `parts` joined are its JSON, but for what stands before: what comes before a field's value and its value, by turns, and the end.
    """

    names: list[tuple[str, ...]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)


def likeness(event: dict[str, Any]) -> Likeness:
    """An event's fields."""
    found = Likeness()
    names, values, parts = found.names, found.values, found.parts
    closing = ""
    for name, value in event.items():
        before = f"{closing},{fast.written(name)}:"
        closing = ""
        if isinstance(value, dict) and value:
            before += "{"
            for own, part in value.items():
                names.append((name, own))
                values.append(part)
                parts += (f"{before}{fast.written(own)}:", fast.written(part))
                before = ","
            closing = "}"
        else:
            names.append((name,))
            values.append(value)
            parts += (before, fast.written(value))
    parts.append(closing + "}")
    return found
