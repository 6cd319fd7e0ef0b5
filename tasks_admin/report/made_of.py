"""Which rows a line or a plot was made of, as `rows.py` finds them."""

from __future__ import annotations


def attempts(**fields: str) -> dict[str, str]:
    return {"of": "attempts", "role": "primary"} | fields


def runs(**fields: str) -> dict[str, str]:
    return {"of": "runs"} | fields
