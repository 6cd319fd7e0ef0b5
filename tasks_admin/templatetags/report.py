"""Filters of the comparison: places in lists, query strings, files inside the page."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import template

from tasks_admin.report.sheet import FORMATS, Sheet

register = template.Library()


@register.filter
def at(values: Sequence[Any], place: int) -> Any:
    """The value at a 0-based place."""
    return values[place]


@register.filter
def query(fields: dict[str, str]) -> str:
    """Fields as a query string."""
    return urlencode(fields)


@register.filter
def data_url(value: Any) -> str:
    """A JSON document as a data URL."""
    return inside("application/json", json.dumps(value, ensure_ascii=False))


@register.filter
def sheet_url(sheet: Sheet, kind: str) -> str:
    """A table in one of its formats as a data URL."""
    write, content_type = FORMATS[kind]
    return inside(content_type, write(sheet))


def inside(content_type: str, text: str) -> str:
    return f"data:{content_type};base64,{base64.b64encode(text.encode()).decode()}"
