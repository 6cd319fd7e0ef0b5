"""How a person reads instants: in their time zone, written as their language writes dates. The pages' words are English."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.utils import timezone
from django.utils.dateformat import format as written


@dataclass(frozen=True)
class Language:
    """`day` and `time` are formats of Django's `date` filter."""

    code: str
    name: str
    day: str
    time: str = "H:i"


LANGUAGES = {
    language.code: language
    for language in (
        Language("en-GB", "English (United Kingdom)", "j M Y"),
        Language("en-US", "English (United States)", "M j, Y", "g:i A"),
        Language("de", "Deutsch", "d.m.Y"),
        Language("es", "Español", "d/m/Y"),
        Language("fr", "Français", "d/m/Y"),
        Language("it", "Italiano", "d/m/Y"),
        Language("ja", "日本語", "Y/m/d"),
        Language("ko", "한국어", "Y. m. d."),
        Language("nl", "Nederlands", "d-m-Y"),
        Language("pl", "Polski", "d.m.Y"),
        Language("pt", "Português", "d/m/Y"),
        Language("sv", "Svenska", "Y-m-d"),
        Language("zh", "中文", "Y/m/d"),
    )
}
DEFAULT = "en-GB"
_language: ContextVar[Language] = ContextVar("language", default=LANGUAGES[DEFAULT])


@cache
def zones() -> tuple[str, ...]:
    """The names of the world's time zones, UTC first; no aliases of another age."""
    return (
        "UTC",
        *sorted(name for name in zoneinfo.available_timezones() if "/" in name and not name.startswith("Etc/")),
    )


@contextmanager
def reading(zone: str, language: str) -> Iterator[None]:
    """Within it instants are written for somebody with this time zone and language; unknown ones fall back to the default."""
    kept = _language.set(LANGUAGES.get(language, LANGUAGES[DEFAULT]))
    try:
        with timezone.override(zoneinfo.ZoneInfo(zone if zone in zones() else "UTC")):
            yield
    finally:
        _language.reset(kept)


def day(instant: datetime) -> str:
    """The date of an instant: 4 May 2026."""
    return written(timezone.localtime(instant), _language.get().day)


def moment(instant: datetime, *, seconds: bool = False) -> str:
    """An instant with its zone: 4 May 2026, 14:30 CEST."""
    local, language = timezone.localtime(instant), _language.get()
    time = language.time.replace(":i", ":i:s") if seconds else language.time
    return f"{written(local, language.day)}, {written(local, time)} {local.tzname()}"
