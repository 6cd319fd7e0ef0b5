"""Filters of the pages: sanitised Markdown, durations, counts."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import nh3
from django import template
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince
from markdown_it import MarkdownIt

from annotate import locale

register = template.Library()
_markdown = MarkdownIt("commonmark", {"html": False})
TAGS = {"p", "h1", "h2", "h3", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "a", "hr", "br", "kbd"}


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as HTML that holds nothing but text, lists, headings and http(s) links."""
    clean = nh3.clean(
        _markdown.render(text), tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )
    return mark_safe(clean)  # noqa: S308  (nh3 has just sanitised it)


@register.filter
def duration(ms: float | None) -> str:
    """Milliseconds as people read them: 0.4 s, 34 s, 2 min 05 s, 1 h 04 min; "–" where unknown."""
    if ms is None:
        return "–"
    seconds = ms / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"


@register.filter
def roughly(ms: float) -> str:
    """A guess in whole minutes: 1 min, 40 min, 1 h 10 min."""
    minutes = max(1, round(ms / 60_000))
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@register.filter
def moment(instant: datetime | None) -> str:
    """An instant as the person reads it, with its zone: 4 May 2026, 14:30 CEST; "–" where there is none."""
    return locale.moment(instant) if instant else "–"


@register.filter
def exact_moment(instant: datetime | None) -> str:
    """The same with seconds."""
    return locale.moment(instant, seconds=True) if instant else "–"


@register.filter
def day(instant: datetime | None) -> str:
    """Its date; "–" where there is none."""
    return locale.day(instant) if instant else "–"


@register.filter
def lasting(since: datetime) -> str:
    """How long ago that was, or how long it has been so: "3 minutes", "less than a minute"."""
    return timesince(since) if timezone.now() - since >= timedelta(minutes=1) else "less than a minute"


@register.filter
def percent(part: float | None, whole: float = 1) -> str:
    """A share as whole per cent; "–" where there is nothing to share."""
    return "–" if part is None or not whole else f"{100 * part / whole:.0f} %"


@register.filter
def compact_json(value: Any) -> str:
    """A JSON value in one line, characters as they are."""
    return json.dumps(value, ensure_ascii=False)


@register.filter
def words(value: str) -> str:
    """A state or code as words: not_started → not started."""
    return str(value).replace("_", " ")


@register.filter
def told(value: Any) -> str:
    """A small JSON value as a line people read: "tier primary, capacity 5"; "–" where there is none."""
    if value is None or value == "" or value == [] or value == {}:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{words(name)} {told(one)}" for name, one in value.items())
    return ", ".join(told(one) for one in value) if isinstance(value, list) else str(value)
