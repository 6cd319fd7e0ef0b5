"""Raw events, cleaned ones and steps as rows of the attempt page, linked by their `raw` ranges."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

DETAIL = (
    "key",
    "value",
    "text",
    "url",
    "how",
    "cause",
    "answer",
    "effect",
    "dx",
    "dy",
    "top",
    "label",
    "checked",
    "files",
    "length",
)


def rows(events: list[dict[str, Any]], first: int = 0) -> list[dict[str, Any]]:
    """Table rows {index, t, type, origin, target, detail, raw} for events from index `first` on."""
    return [row(event, first + place) for place, event in enumerate(events)]


def row(event: dict[str, Any], index: int) -> dict[str, Any]:
    """One event or step as the page's tables show it."""
    span = event.get("raw") or [index, index]
    return {
        "index": index,
        "t": event.get("t", 0),
        "clock": clock(event.get("t", 0)),
        "type": event.get("type", ""),
        "origin": event.get("origin", "user"),
        "tab": event.get("tab", ""),
        "target": name_of(event.get("target") or event.get("from") or {}),
        "detail": detail(event),
        "first": span[0],
        "last": span[1],
    }


def clock(ms: float) -> str:
    """Milliseconds as a player's time: 0:07.4, 12:03.0."""
    minutes, rest = divmod(max(0, round(ms / 100)), 600)
    return f"{minutes}:{rest // 10:02d}.{rest % 10}"


def name_of(target: dict[str, Any]) -> str:
    """A target as people say it: role “name”, else its text, else its CSS."""
    if target.get("secret"):
        return f"{target.get('role') or target.get('tag', '')} (secret)"
    name = target.get("name") or target.get("text")
    kind = target.get("role") or target.get("tag") or ""
    return f"{kind} “{name}”" if name else target.get("css") or target.get("xpath") or kind


def path_of(url: str) -> str:
    """An address without its origin, which is the recording's own everywhere."""
    parts = urlsplit(url)
    return parts._replace(scheme="", netloc="").geturl() or "/"


def detail(event: dict[str, Any]) -> str:
    """The fields that tell one event from another of its type, in words."""
    parts = []
    for field in DETAIL:
        value = path_of(event["url"]) if field == "url" and event.get("url") else event.get(field)
        if value not in (None, "", [], 0):
            parts.append(f"{field} {value}" if field not in ("value", "text", "url", "key") else str(value))
    if modifiers := event.get("modifiers"):
        parts.insert(0, "+".join(modifiers))
    return " · ".join(parts)[:300]
